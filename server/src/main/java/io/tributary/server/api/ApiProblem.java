package io.tributary.server.api;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** A request that is not carried out, as RFC 9457 has it. */
final class ApiProblem extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final HttpStatus status;

    ApiProblem(HttpStatus status, String detail) {
        this(status, detail, null);
    }

    ApiProblem(HttpStatus status, String detail, @Nullable Throwable cause) {
        super(detail, cause);
        this.status = status;
    }

    static ApiProblem bad(String detail) {
        return new ApiProblem(HttpStatus.BAD_REQUEST, detail);
    }

    static ApiProblem noMethod(String method) {
        return new ApiProblem(HttpStatus.METHOD_NOT_ALLOWED, "there is no " + method);
    }

    HttpStatus status() {
        return status;
    }

    String detail() {
        return String.valueOf(getMessage());
    }
}
