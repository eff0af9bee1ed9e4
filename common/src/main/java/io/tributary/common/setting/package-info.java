/** What is said of a wrong value of a setting, wherever the value comes from. */
@NullMarked
package io.tributary.common.setting;

import org.jspecify.annotations.NullMarked;
