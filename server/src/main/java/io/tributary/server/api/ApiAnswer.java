package io.tributary.server.api;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * What is answered to a request that was carried out.
 *
 * @param etag the version of the object, null without one
 * @param json the body, null without one
 */
record ApiAnswer(
        HttpStatus status, @Nullable String etag, @Nullable Map<String, @Nullable Object> json) {}
