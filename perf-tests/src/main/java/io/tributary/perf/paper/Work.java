package io.tributary.perf.paper;

/**
 * A published work.
 *
 * @param title with authors, year and place
 * @param measured what it measured, and on what machines
 */
public record Work(String title, String measured) {}
