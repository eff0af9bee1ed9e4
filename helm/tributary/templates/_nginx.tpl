{{/* nginx.conf */}}
{{- define "tributary.nginx" -}}
{{- $v := .Values }}
{{- $lb := $v.loadBalancer }}
{{- $r := include "tributary.reckoned" . | fromYaml }}
{{- $b := include "tributary.balancing" . | fromYaml }}
{{- $listeners := include "tributary.listeners" . | fromYaml }}
{{- $ready := printf "%s-ready.%s.svc.%s" (include "tributary.name" .) .Release.Namespace $v.clusterDomain -}}
{{- $byClient := eq $lb.policy "client-id" -}}
pid /tmp/nginx.pid;
error_log stderr warn;
worker_processes {{ int $b.workers }};
# Two a client, for each worker its share and half as much again.
worker_rlimit_nofile {{ add (int $b.connections) 100 }};
events { worker_connections {{ int $b.connections }}; }

stream {
  # The ready nodes, asked for anew every five seconds.
  resolver {{ $lb.resolver }} valid=5s ipv6=off;
  resolver_timeout {{ ternary "1s" "3s" $byClient }};
  {{- if $byClient }}
  js_path /etc/balancer;
  js_import mqtt from mqtt.js;
  js_set $mqtt_node mqtt.node;
  js_set $mqtt_ready mqtt.ready;
  # Nodes that are ready, for as long as two checks take.
  js_shared_dict_zone zone=ready:64k timeout=5s;
  js_fetch_timeout 900ms;
  js_fetch_verify off;
  {{- end }}
  {{- if not $byClient }}

  # For the probe of readiness: whether a node is known, and reached.
  upstream alive {
    zone alive 256k;
    server {{ $ready }}:9093 resolve max_fails=0;
  }
  {{- end }}

  server {
    listen 8404;
    {{- if $byClient }}
    js_periodic mqtt.check interval=2s;
    return $mqtt_ready;
    {{- else }}
    proxy_pass alive;
    proxy_connect_timeout 2s;
    {{- end }}
  }
  {{- range $key, $listener := $listeners }}
  {{- if not $byClient }}

  upstream {{ $key }} {
    zone {{ $key }} 256k;
    {{- if eq $lb.policy "least-connections" }}
    least_conn;
    {{- end }}
    server {{ $ready }}:{{ int $listener.port }} resolve max_fails=2 fail_timeout=5s;
  }
  {{- end }}

  server {
    # Each worker has a queue of its own, so that clients are shared out evenly.
    listen {{ int $listener.port }}{{ if $listener.ended }} ssl{{ end }} reuseport;
    {{- if $listener.ended }}
    ssl_certificate /etc/balancer-tls/{{ $key }}/tls.crt;
    ssl_certificate_key /etc/balancer-tls/{{ $key }}/tls.key;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_handshake_timeout 10s;
    {{- end }}
    {{- if $byClient }}
    js_preread mqtt.preread;
    preread_timeout 10s;
    proxy_pass $mqtt_node:{{ int $listener.port }};
    {{- else }}
    proxy_pass {{ $key }};
    {{- end }}
    {{- if $listener.proxy }}
    proxy_protocol on;
    {{- end }}
    proxy_connect_timeout 2s;
    proxy_next_upstream on;
    # Longer than one and a half times the longest keep alive.
    proxy_timeout {{ int $r.idleTimeout }}s;
    tcp_nodelay on;
    # The pod's kernel says when: who waits in silence at a machine that is gone is cut off after half a minute.
    proxy_socket_keepalive on;
  }
  {{- end }}
}
{{- end }}
{{/* nodes.js: the addresses by which mqtt.js finds the nodes and asks for their readiness. */}}
{{- define "tributary.nginx.nodes" -}}
{{- $name := include "tributary.name" . }}
{{- $domain := printf "%s-nodes.%s.svc.%s" $name .Release.Namespace .Values.clusterDomain -}}
const readiness = '{{ ternary "https" "http" (ne (include "tributary.tlsSecret" (list $ "management")) "") }}://NODE:9093/actuator/health/readiness';
const nodes = [
{{- range $i := until (int (include "tributary.reckoned" . | fromYaml).slots) }}
  '{{ $name }}-{{ $i }}.{{ $domain }}',
{{- end }}
];
export default {nodes, readiness};
{{- end }}
