{{/* nginx.conf */}}
{{- define "tributary.nginx" -}}
{{- $v := .Values }}
{{- $lb := $v.loadBalancer }}
{{- $r := include "tributary.reckoned" . | fromYaml }}
{{- $listeners := include "tributary.listeners" . | fromYaml }}
{{- $ready := printf "%s-ready.%s.svc.%s" (include "tributary.name" .) .Release.Namespace $v.clusterDomain -}}
{{- if eq $lb.policy "client-id" -}}
load_module modules/ngx_stream_js_module.so;
{{ end -}}
pid /tmp/nginx.pid;
error_log stderr warn;
worker_processes auto;
# Two a client, and some.
worker_rlimit_nofile {{ add (mul 2 (int $v.expected.clients)) 1000 }};
events { worker_connections {{ add (mul 2 (int $v.expected.clients)) 1000 }}; }

stream {
  # The ready nodes, asked for anew every five seconds.
  resolver {{ $lb.resolver }} valid=5s ipv6=off;
  resolver_timeout 3s;
  {{- if eq $lb.policy "client-id" }}
  js_path /etc/balancer;
  js_import mqtt from mqtt.js;
  js_set $mqtt_client mqtt.client;
  {{- end }}
  server { listen 8404; return ok; }
  {{- range $key, $listener := $listeners }}

  upstream {{ $key }} {
    zone {{ $key }} 256k;
    {{- if eq $lb.policy "least-connections" }}
    least_conn;
    {{- else if eq $lb.policy "client-id" }}
    hash $mqtt_client consistent;
    {{- end }}
    server {{ $ready }}:{{ int $listener.port }} resolve max_fails=2 fail_timeout=5s;
  }
  server {
    listen {{ int $listener.port }}{{ if $listener.ended }} ssl{{ end }};
    {{- if $listener.ended }}
    ssl_certificate /etc/balancer-tls/{{ $key }}/tls.crt;
    ssl_certificate_key /etc/balancer-tls/{{ $key }}/tls.key;
    ssl_protocols TLSv1.2 TLSv1.3;
    {{- end }}
    {{- if eq $lb.policy "client-id" }}
    js_preread mqtt.preread;
    preread_timeout 10s;
    {{- end }}
    proxy_pass {{ $key }};
    {{- if $listener.proxy }}
    proxy_protocol on;
    {{- end }}
    proxy_connect_timeout 2s;
    proxy_next_upstream on;
    # Longer than one and a half times the longest keep alive.
    proxy_timeout {{ int $r.idleTimeout }}s;
    tcp_nodelay on;
  }
  {{- end }}
}
{{- end }}
