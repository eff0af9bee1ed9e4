{{/* haproxy.cfg */}}
{{- define "tributary.haproxy" -}}
{{- $v := .Values }}
{{- $lb := $v.loadBalancer }}
{{- $r := include "tributary.reckoned" . | fromYaml }}
{{- $b := include "tributary.balancing" . | fromYaml }}
{{- $name := include "tributary.name" . }}
{{- $domain := printf "%s-nodes.%s.svc.%s" $name .Release.Namespace $v.clusterDomain }}
{{- $listeners := include "tributary.listeners" . | fromYaml -}}
global
  log stdout format raw daemon notice
  # Two a client, and some: beyond that clients wait.
  fd-hard-limit {{ int $b.files }}
  nbthread {{ int $b.workers }}

defaults
  mode tcp
  log global
  option dontlog-normal
  # A pod that is gone without a word takes no connection and refuses none: another one is asked.
  timeout connect 2s
  retries 3
  option redispatch 1
  # Until a node has the connection: who shakes no hands, or sends no packet where one is looked at, has no place for long.
  timeout client 10s
  timeout server 10s
  # Longer than one and a half times the longest keep alive.
  timeout tunnel {{ int $r.idleTimeout }}s
  timeout check 2s
  # Who waits in silence at a machine that is gone without a word is cut off after half a minute, and comes back at another node.
  option srvtcpka
  srvtcpka-idle 15s
  srvtcpka-intvl 5s
  srvtcpka-cnt 3

resolvers cluster
  parse-resolv-conf
  accepted_payload_size 8192
  timeout resolve 2s
  hold valid 2s
  hold nx 5s

frontend status
  mode http
  bind :8404
  {{- range $key, $_ := $listeners }}
  monitor fail if { nbsrv({{ $key }}) lt 1 }
  {{- end }}
  monitor-uri /health
  http-request use-service prometheus-exporter if { path /metrics }
{{ range $key, $listener := $listeners }}
frontend {{ $key }}
  bind :{{ int $listener.port }}{{ if $listener.ended }} ssl crt /etc/balancer-tls/{{ $key }}/tls.crt ssl-min-ver TLSv1.2
  {{- if ne $listener.tls.clientCertificates "none" }} ca-file /etc/balancer-{{ if $listener.tls.authorities.existingSecret }}authorities{{ else }}tls{{ end }}/{{ $key }}/ca.crt verify {{ ternary "required" "optional" (eq $listener.tls.clientCertificates "need") }}{{ end }}{{ end }}
  {{- if eq $lb.policy "client-id" }}
  tcp-request inspect-delay 10s
  # In a variable: where a server is chosen, HAProxy cannot look into the packet any more.
  tcp-request content set-var(txn.client) req.payload(0,0),mqtt_field_value(connect,client_identifier) if { req.payload(0,0),mqtt_is_valid }
  tcp-request content accept if { req.payload(0,0),mqtt_is_valid }
  {{- end }}
  default_backend {{ $key }}

backend {{ $key }}
  {{- if eq $lb.policy "client-id" }}
  balance hash var(txn.client)
  hash-type consistent
  {{- else }}
  balance {{ ternary "roundrobin" "leastconn" (eq $lb.policy "round-robin") }}
  {{- end }}
  # Of a weight of 1, any share would be none or all: while a node starts slowly, or by its load.
  # Readiness, at the port of health: no check shows up as a client.
  option httpchk
  http-check send meth GET uri /actuator/health/readiness ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
  default-server weight 100 check port 9093 inter 2s fall 2 rise 2{{ if (include "tributary.tlsSecret" (list $ "management")) }} check-ssl verify none{{ end }} slowstart {{ $lb.slowStart }} resolvers cluster init-addr none
  {{- if eq $lb.policy "load" }} agent-check agent-port {{ int $lb.agentPort }} agent-inter 2s{{ end }}
  {{- if $listener.proxy }} {{ ternary "send-proxy-v2-ssl-cn" "send-proxy-v2" (and $listener.ended (ne $listener.tls.clientCertificates "none")) }}{{ end }}
  {{- range $i := until (int $r.slots) }}
  server {{ $name }}-{{ $i }} {{ $name }}-{{ $i }}.{{ $domain }}:{{ int $listener.port }}
  {{- end }}
{{ end }}
{{- end }}
