/** The broker as a Spring Boot application: settings, start and stop, health, metrics over HTTP. Nothing imports it. */
@NullMarked
package io.tributary.server;

import org.jspecify.annotations.NullMarked;
