/** What people see of results: a line while a run goes on, Markdown, and a page with charts. */
@NullMarked
package io.tributary.perf.report;

import org.jspecify.annotations.NullMarked;
