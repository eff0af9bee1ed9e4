/** What the value of one setting may be, how it is written, and the words for one that is wrong; knows no setting. */
@NullMarked
package io.tributary.server.settings.check;

import org.jspecify.annotations.NullMarked;
