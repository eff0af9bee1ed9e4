package io.tributary.perf.target;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A proxy in front of several nodes, a program of the distribution. Nodes are checked where the policy needs to know
 * how long they take to answer, and not otherwise: no node is to die behind it.
 */
enum Proxy {
    /** HAProxy, with as many threads as there are processors. */
    HAPROXY("HAProxy") {
        @Override
        String configuration(Balancing policy, int port, Target nodes, Path directory) {
            List<String> lines = new ArrayList<>();
            if (policy.asksNodes()) {
                lines.add("global");
                lines.add("  lua-load " + directory.resolve(LUA));
            }
            lines.add("""
                    defaults
                      mode tcp
                      timeout connect 5s
                      timeout client 1h
                      timeout server 1h
                    frontend mqtt
                      bind 127.0.0.1:%d
                      default_backend nodes
                    backend nodes""".formatted(port));
            policy.haproxy().forEach(line -> lines.add("  " + line));
            if (policy.asksNodes()) {
                lines.add(CHECK.indent(2).stripTrailing());
            }
            for (int i = 0; i < nodes.addresses().size(); i++) {
                String agent = policy == Balancing.LOAD
                        ? " agent-addr 127.0.0.1 agent-port "
                                + nodes.agents().get(i).getPort()
                        : "";
                lines.add(
                        "  server n" + (i + 1) + " " + address(nodes.addresses().get(i)) + agent);
            }
            return String.join("\n", lines) + "\n";
        }

        @Override
        List<String> command(Path program, Path file, Path directory) {
            return List.of(program.toString(), "-db", "-f", file.toString());
        }
    },

    /** NGINX, one process. */
    NGINX("NGINX") {
        @Override
        String configuration(Balancing policy, int port, Target nodes, Path directory) {
            List<String> lines = new ArrayList<>();
            if (Files.exists(STREAM_MODULE)) { // elsewhere it is in the program
                lines.add("load_module " + STREAM_MODULE + ";");
            }
            lines.add("""
                    daemon off;
                    master_process off;
                    pid %1$s/nginx.pid;
                    error_log %1$s/nginx-error.log;
                    events { worker_connections 16384; }
                    stream {
                      upstream nodes {""".formatted(directory));
            lines.add("    " + policy.nginx());
            nodes.addresses().forEach(node -> lines.add("    server " + address(node) + ";"));
            lines.add("""
                      }
                      server {
                        listen 127.0.0.1:%d backlog=4096;
                        proxy_pass nodes;
                        proxy_connect_timeout 5s;
                        proxy_timeout 1h;
                      }
                    }""".formatted(port).indent(2).stripTrailing());
            return String.join("\n", lines) + "\n";
        }

        @Override
        List<String> command(Path program, Path file, Path directory) {
            String errors = directory.resolve("nginx-error.log").toString();
            return List.of(program.toString(), "-p", directory.toString(), "-e", errors, "-c", file.toString());
        }
    };

    /** Where Debian has it, in its package libnginx-mod-stream. */
    private static final Path STREAM_MODULE = Path.of("/usr/lib/nginx/modules/ngx_stream_module.so");

    /** The file with the script that chooses nodes for HAProxy. */
    static final String LUA = "balancing.lua";

    /** CONNECT of MQTT 3.1.1 without a client identifier, CONNACK, DISCONNECT, twice a second. */
    private static final String CHECK = """
            timeout check 5s
            option tcp-check
            tcp-check connect
            tcp-check send-binary 100c00044d5154540402000a0000
            tcp-check expect binary 20020000
            tcp-check send-binary e000
            default-server check inter 500ms""";

    private final String product;

    Proxy(String product) {
        this.product = product;
    }

    /** The text of its configuration. */
    abstract String configuration(Balancing policy, int port, Target nodes, Path directory);

    /** How it is started, in the foreground. */
    abstract List<String> command(Path program, Path file, Path directory);

    /** What it is called. */
    String product() {
        return product;
    }

    /** The word of the command line and the name of the program. */
    String word() {
        return product.toLowerCase(Locale.ROOT);
    }

    /**
     * Where it is installed.
     *
     * @throws TargetException if it is not
     */
    Path program() {
        return Programs.find(word())
                .orElseThrow(() -> new TargetException(word() + " is missing: apt-get install "
                        + (this == NGINX ? "nginx libnginx-mod-stream" : word())));
    }

    /** Its version, for people. */
    String version() {
        return Programs.output(program().toString(), "-v");
    }

    private static String address(InetSocketAddress node) {
        return InetAddress.getLoopbackAddress().getHostAddress() + ":" + node.getPort();
    }
}
