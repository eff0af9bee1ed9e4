/** Users in a directory, asked by LDAP. */
@NullMarked
package io.tributary.security.ldap;

import org.jspecify.annotations.NullMarked;
