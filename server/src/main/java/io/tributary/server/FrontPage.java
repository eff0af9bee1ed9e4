package io.tributary.server;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.info.BuildProperties;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the port of health and metrics answers to somebody who asks for nothing in particular. */
@RestController
final class FrontPage {
    private final PathMappedEndpoints endpoints;
    private final @Nullable BuildProperties build;

    FrontPage(PathMappedEndpoints endpoints, @Nullable BuildProperties build) {
        this.endpoints = endpoints;
        this.build = build;
    }

    @GetMapping("/")
    ResponseEntity<String> page() {
        String version = build == null ? "" : " " + build.getVersion();
        String paths = endpoints.getAllPaths().stream().sorted().collect(Collectors.joining("\n", "\n", "\n"));
        return ResponseEntity.ok()
                .contentType(MediaType.TEXT_PLAIN)
                .body("Tributary" + version + ", an MQTT broker. Its health and metrics are here:\n" + paths);
    }
}
