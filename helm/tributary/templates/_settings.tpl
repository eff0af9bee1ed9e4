{{/* tributary.yaml: what the chart says, and `settings` over it. */}}
{{- define "tributary.settings" -}}
{{- $r := include "tributary.reckoned" . | fromYaml }}
{{- $own := include "tributary.ownSettings" . | fromYaml }}
{{- $top := dict "server" (dict "address" "0.0.0.0" "port" 9093) "tributary" (mergeOverwrite $own (deepCopy .Values.settings)) }}
{{- toYaml $top }}
{{- end }}

{{- define "tributary.ownSettings" -}}
{{- $v := .Values }}
{{- $r := include "tributary.reckoned" . | fromYaml }}
{{- $name := include "tributary.name" . }}
{{- $secrets := "/etc/tributary/secrets" }}
{{- $listeners := include "tributary.listeners" . | fromYaml }}
mode: {{ ternary "cluster" "standalone" (ne (include "tributary.clustered" .) "") }}
stop-timeout: {{ $v.drain.stopTimeout }}
stop: {drain-rate: {{ int $v.drain.rate }}}
limits: {connect: {max-keep-alive: {{ int $r.maxKeepAlive }}s}}
{{- if include "tributary.daemon" . }}
node-name: ${NODE_NAME}
{{- end }}
{{- if include "tributary.clustered" . }}
cluster:
  id: {{ $v.cluster.id | quote }}
  shards: {{ int $v.cluster.shards }}
  retention: {{ $v.cluster.retention }}
  # Until `tributary upgrade finish`, which needs the API, the version before reads all that a new one writes: `helm rollback` is the way back.
  formats: {{ ternary "hold" "automatic" (ne $v.security.firstAdministrator.existingSecret "") }}
  kafka:
    bootstrap-servers: {{ include "tributary.kafkaServers" . | quote }}
    replication-factor: {{ int $v.kafka.replicationFactor }}
    # While Kafka is away a new pod waits for it, as long as its startup probe lets it, and a minute less for the rest of the start; an hour at most.
    start-timeout: {{ max 30 (min 3600 (sub (mul (int $v.startupProbe.periodSeconds) (int $v.startupProbe.failureThreshold)) 60)) }}s
    {{- with $v.kafka.topicPrefix }}
    topic-prefix: {{ . | quote }}
    {{- end }}
    {{- if eq $v.kafka.kind "strimzi" }}
    tls: {enabled: true, certificates: {{ $secrets }}/kafka-authorities/ca.crt}
    sasl: {mechanism: scram-sha-512, username: {{ $name }}-broker, password-file: {{ $secrets }}/kafka/password}
    {{- else if eq $v.kafka.kind "external" }}
    {{- if $v.kafka.external.tls }}
    tls:
      enabled: true
      {{- if $v.kafka.external.authorities.existingSecret }}
      certificates: {{ $secrets }}/kafka-authorities/ca.crt
      {{- end }}
    {{- end }}
    {{- with $v.kafka.external.sasl.mechanism }}
    sasl: {mechanism: {{ . }}, username: {{ $v.kafka.external.sasl.username | quote }}, password-file: {{ $secrets }}/kafka/password}
    {{- end }}
    {{- end }}
    {{- with $v.kafka.clientProperties }}
    client-properties:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  redis:
    nodes: {{ include "tributary.redisNodes" . | quote }}
    {{- if eq $v.redis.kind "external" }}
    {{- if $v.redis.external.tls }}
    tls:
      enabled: true
      {{- if $v.redis.external.authorities.existingSecret }}
      certificates: {{ $secrets }}/redis-authorities/ca.crt
      {{- end }}
    {{- end }}
    {{- with $v.redis.external.username }}
    username: {{ . | quote }}
    {{- end }}
    {{- if $v.redis.external.existingSecret }}
    password-file: {{ $secrets }}/redis/password
    {{- end }}
    {{- end }}
  link:
    host: 0.0.0.0
    advertised-host: {{ if include "tributary.daemon" . }}${POD_IP}{{ else }}${HOSTNAME}.{{ $name }}-nodes{{ end }}
    secret-file: {{ $secrets }}/link/secret
    {{- if (include "tributary.tlsSecret" (list $ "link")) }}
    tls: {certificate: {{ $secrets }}/link-tls/tls.crt, private-key: {{ $secrets }}/link-tls/tls.key, authorities: {{ $secrets }}/link-tls/ca.crt}
    {{- end }}
{{- else }}
data-dir: /var/lib/tributary/data
{{- end }}
{{- if and (eq $v.form "geographic") $v.geographic.ingest }}
ingest: {topics: {{ join "," $v.geographic.ingest | quote }}}
{{- end }}
{{- if and (eq $v.loadBalancer.kind "haproxy") (eq $v.loadBalancer.policy "load") }}
agent-check: {host: 0.0.0.0, port: {{ int $v.loadBalancer.agentPort }}}
{{- end }}
listeners:
  {{- range $default := list "tcp" "ws" }}
  {{- if not (hasKey $listeners $default) }}
  {{ $default }}: {enabled: false}
  {{- end }}
  {{- end }}
  {{- range $key, $listener := $listeners }}
  {{- $own := include "tributary.listenerSettings" (list $ $key $listener) | fromYaml }}
  {{ $key }}:
    {{- toYaml (mergeOverwrite $own (deepCopy $listener.settings)) | nindent 4 }}
  {{- end }}
security:
  {{- $open := false }}
  {{- range $listeners }}{{ if not .authentication }}{{ $open = true }}{{ end }}{{ end }}
  anonymous: {{ ternary "always" "never" $open }}
  {{- with $v.security.authenticators }}
  authenticators:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.security.rules }}
  rules:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if $v.security.firstAdministrator.existingSecret }}
  admin-token-file: {{ $secrets }}/administrator/token
  {{- end }}
  {{- if or $v.security.seed.existingSecret $v.security.seed.existingConfigMap }}
  seed: {{ $secrets }}/seed/seed.yaml
  {{- end }}
{{- if (include "tributary.tlsSecret" (list $ "management")) }}
http: {tls: {certificate: {{ $secrets }}/management/tls.crt, private-key: {{ $secrets }}/management/tls.key}}
{{- end }}
{{- end }}

{{/* (list ROOT NAME LISTENER) */}}
{{- define "tributary.listenerSettings" -}}
{{- $v := (index . 0).Values }}
{{- $r := include "tributary.reckoned" (index . 0) | fromYaml }}
{{- $listener := index . 2 }}
{{- $files := print "/etc/tributary/secrets/listener-" (index . 1) }}
host: 0.0.0.0
port: {{ int $listener.port }}
kind: {{ $listener.kind }}
max-connections: {{ int $r.maxConnections }}
{{- if eq $listener.kind "websocket" }}
path: {{ $listener.path | quote }}
{{- with $listener.allowedOrigins }}
allowed-origins: {{ join "," . | quote }}
{{- end }}
{{- end }}
{{- with $listener.authentication }}
authentication: {{ toJson . }}
{{- end }}
{{- if $listener.proxy }}
proxy-protocol:
  enabled: true
  trusted: {{ join "," $v.loadBalancer.trusted | quote }}
  {{- if and $listener.ended (ne $listener.tls.clientCertificates "none") }}
  certificate-name: true
  {{- end }}
{{- end }}
{{- if $listener.broker }}
tls:
  certificate: {{ $files }}/tls.crt
  private-key: {{ $files }}/tls.key
  {{- if ne $listener.tls.clientCertificates "none" }}
  client-certificates: {{ $listener.tls.clientCertificates }}
  authorities: {{ ternary (print "/etc/tributary/secrets/authorities-" (index . 1)) $files (ne $listener.tls.authorities.existingSecret "") }}/ca.crt
  {{- end }}
{{- end }}
{{- end }}
