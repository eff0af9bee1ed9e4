package io.tributary.server.api;

import org.jspecify.annotations.Nullable;

/**
 * A request that had the token.
 *
 * @param table the name of a table
 * @param id the object, null for all
 * @param after where a page begins
 * @param limit how long a page is
 * @param body what came with it, empty without
 * @param by who has sent it
 * @param from the address of the other side
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ApiRequest(
        String method,
        String table,
        @Nullable String id,
        @Nullable String after,
        @Nullable String limit,
        @Nullable String ifMatch,
        @Nullable String ifNoneMatch,
        byte[] body,
        String by,
        String from) {}
