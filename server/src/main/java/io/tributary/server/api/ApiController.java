package io.tributary.server.api;

import io.tributary.broker.security.store.SecurityRecorder;
import io.tributary.common.thread.StageFailure;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriUtils;

/**
 * The one way into the API: every request, whatever its path and method, comes through {@link #handle}, which asks for
 * the token first. Bodies are bounded; what goes wrong is answered as RFC 9457 has it.
 */
@RestController
public final class ApiController {
    /** The largest body of a request. */
    static final int LARGEST_BODY_BYTES = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(ApiController.class);
    private static final String ROOT = "/api/v1/";
    private static final String BEARER = "Bearer ";
    private static final String AREA = "security";
    private static final String AUDIT = "audit";
    private static final String REFUSED = "refused";
    private static final String SESSIONS = "sessions";
    private static final List<String> DRAIN = List.of("node", "drain");
    private static final List<String> REBALANCE = List.of("cluster", "rebalance");
    private static final List<String> UPGRADE = List.of("cluster", "upgrade");
    private static final List<String> UPGRADE_FINISH = List.of("cluster", "upgrade", "finish");

    private final @Nullable AdminToken token;
    private final SecurityResource security;
    private final OperationsResource operations;
    private final UpgradeResource upgrade;
    private final SessionResource sessions;
    private final SecurityRecorder recorder;

    /**
     * Creates it.
     *
     * @param token what opens the API; null where there is none, and nothing opens it
     */
    public ApiController(
            @Nullable AdminToken token,
            SecurityResource security,
            OperationsResource operations,
            UpgradeResource upgrade,
            SessionResource sessions,
            SecurityRecorder recorder) {
        this.token = token;
        this.security = security;
        this.operations = operations;
        this.upgrade = upgrade;
        this.sessions = sessions;
        this.recorder = recorder;
    }

    /** Answers a request. */
    @RequestMapping({"/api", "/api/**"})
    public CompletionStage<ResponseEntity<byte[]>> handle(HttpServletRequest request) {
        try {
            String who = checkToken(request.getHeader(HttpHeaders.AUTHORIZATION));
            return carriedOut(request, who).exceptionally(failure -> ofFailure(failure));
        } catch (ApiProblem | IllegalArgumentException | ArithmeticException | IOException problem) {
            return CompletableFuture.completedStage(ofFailure(problem));
        }
    }

    /** Who has sent the request. */
    private String checkToken(@Nullable String authorization) {
        String who = token == null
                        || authorization == null
                        || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? null
                : token.nameOf(authorization.substring(BEARER.length()).strip());
        if (who == null) {
            recorder.unauthorized();
            throw new ApiProblem(
                    HttpStatus.UNAUTHORIZED, "the API is for those who send its token as Authorization: Bearer TOKEN");
        }
        return who;
    }

    private CompletionStage<ResponseEntity<byte[]>> carriedOut(HttpServletRequest request, String who)
            throws IOException {
        List<String> path = path(request.getRequestURI());
        if (path.equals(List.of(AUDIT)) && request.getMethod().equals("GET")) {
            return security.audit(request.getParameter("before"), request.getParameter("limit"))
                    .thenApply(ApiController::ofAnswer);
        }
        if (path.equals(List.of(AREA, REFUSED)) && request.getMethod().equals("GET")) {
            return CompletableFuture.completedStage(
                    ofAnswer(security.refused(request.getParameter("before"), request.getParameter("limit"))));
        }
        String method = request.getMethod();
        if (path.equals(DRAIN)) {
            return operations
                    .drain(method, request.getParameter("node"), body(request), who, request.getRemoteAddr())
                    .thenApply(ApiController::ofAnswer);
        }
        if (path.equals(REBALANCE)) {
            return operations
                    .rebalance(method, body(request), who, request.getRemoteAddr())
                    .thenApply(ApiController::ofAnswer);
        }
        if (path.equals(UPGRADE)) {
            return upgrade.status(method).thenApply(ApiController::ofAnswer);
        }
        if (path.equals(UPGRADE_FINISH)) {
            return upgrade.finish(method, who, request.getRemoteAddr()).thenApply(ApiController::ofAnswer);
        }
        if (!path.isEmpty() && path.size() <= 2 && path.getFirst().equals(SESSIONS)) {
            String clientId = path.size() == 2 ? path.get(1) : request.getParameter("clientId");
            return sessions.answer(method, clientId, request::getParameter, who, request.getRemoteAddr())
                    .thenApply(ApiController::ofAnswer);
        }
        if (path.size() < 2 || path.size() > 3 || !path.getFirst().equals(AREA)) {
            throw new ApiProblem(HttpStatus.NOT_FOUND, "there is nothing at " + request.getRequestURI());
        }
        return security.answer(ofTable(request, path, who)).thenApply(ApiController::ofAnswer);
    }

    private static ApiRequest ofTable(HttpServletRequest request, List<String> path, String who) throws IOException {
        return new ApiRequest(
                request.getMethod(),
                path.get(1),
                path.size() == 3 ? path.get(2) : null,
                request.getParameter("after"),
                request.getParameter("limit"),
                request.getHeader(HttpHeaders.IF_MATCH),
                request.getHeader(HttpHeaders.IF_NONE_MATCH),
                body(request),
                who,
                request.getRemoteAddr());
    }

    private static List<String> path(String uri) {
        if (!uri.startsWith(ROOT)) {
            return List.of();
        }
        return Arrays.stream(uri.substring(ROOT.length()).split("/", -1))
                .map(segment -> UriUtils.decode(segment, StandardCharsets.UTF_8))
                .toList();
    }

    private static byte[] body(HttpServletRequest request) throws IOException {
        if (request.getContentLengthLong() > LARGEST_BODY_BYTES) {
            throw tooLarge();
        }
        byte[] body = request.getInputStream().readNBytes(LARGEST_BODY_BYTES + 1);
        if (body.length > LARGEST_BODY_BYTES) {
            throw tooLarge();
        }
        String type = request.getContentType();
        if (body.length > 0 && (type == null || !MediaType.APPLICATION_JSON.includes(MediaType.valueOf(type)))) {
            throw new ApiProblem(HttpStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be application/json");
        }
        return body;
    }

    private static ApiProblem tooLarge() {
        return new ApiProblem(HttpStatus.CONTENT_TOO_LARGE, "the body has more than " + LARGEST_BODY_BYTES + " bytes");
    }

    private static ResponseEntity<byte[]> ofAnswer(ApiAnswer answer) {
        ResponseEntity.BodyBuilder to = ResponseEntity.status(answer.status()).cacheControl(CacheControl.noStore());
        if (answer.etag() != null) {
            to.eTag(answer.etag());
        }
        return answer.json() == null
                ? to.build()
                : to.contentType(MediaType.APPLICATION_JSON).body(JsonFields.write(answer.json()));
    }

    private static ResponseEntity<byte[]> ofFailure(Throwable failure) {
        return switch (StageFailure.cause(failure)) {
            case ApiProblem problem -> ofProblem(problem.status(), problem.detail());
            case IllegalArgumentException wrong ->
                ofProblem(HttpStatus.BAD_REQUEST, String.valueOf(wrong.getMessage()));
            case ArithmeticException _ -> ofProblem(HttpStatus.BAD_REQUEST, "a number is too large");
            case IOException lost -> ofProblem(HttpStatus.BAD_REQUEST, "the body did not come: " + lost.getMessage());
            default -> {
                LOG.error("a request to the API failed; this is a defect", failure);
                yield ofProblem(HttpStatus.INTERNAL_SERVER_ERROR, "the request failed; the log says why");
            }
        };
    }

    private static ResponseEntity<byte[]> ofProblem(HttpStatus status, String detail) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("type", "about:blank");
        json.put("title", status.getReasonPhrase());
        json.put("status", status.value());
        json.put("detail", detail);
        ResponseEntity.BodyBuilder to = ResponseEntity.status(status)
                .cacheControl(CacheControl.noStore())
                .contentType(MediaType.APPLICATION_PROBLEM_JSON);
        if (status == HttpStatus.UNAUTHORIZED) {
            to.header(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        }
        return to.body(JsonFields.write(json));
    }
}
