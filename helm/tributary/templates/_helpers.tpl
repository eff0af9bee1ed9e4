{{/* Names and labels. */}}
{{- define "tributary.name" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 48 | trimSuffix "-" }}
{{- else if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 48 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 48 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* What a selector has, which never changes: (list ROOT COMPONENT). */}}
{{- define "tributary.selector" -}}
app.kubernetes.io/name: tributary
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "tributary.labels" -}}
{{ include "tributary.selector" . }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- with (index . 0).Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The metadata of a resource: (list ROOT COMPONENT SUFFIX). */}}
{{- define "tributary.metadata" -}}
name: {{ include "tributary.name" (index . 0) }}{{ index . 2 }}
namespace: {{ (index . 0).Release.Namespace }}
labels:
  {{- include "tributary.labels" . | nindent 2 }}
{{- end }}

{{/* An image with the registry of all: (list ROOT IMAGE). */}}
{{- define "tributary.image" -}}
{{- with (index . 0).Values.global.imageRegistry }}{{ trimSuffix "/" . }}/{{ end }}{{ index . 1 }}
{{- end }}

{{- define "tributary.brokerImage" -}}
{{- $image := .Values.image }}
{{- $tag := ternary (printf "@%s" $image.digest) (printf ":%s" (default .Chart.AppVersion $image.tag)) (ne $image.digest "") }}
{{- include "tributary.image" (list . (print $image.repository $tag)) }}
{{- end }}

{{- define "tributary.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "tributary.name" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{/* What all pods have by Pod Security "restricted": the user of the image, (list ROOT USER). */}}
{{- define "tributary.podSecurity" -}}
runAsNonRoot: true
{{- if (index . 0).Values.fixedUsers }}
runAsUser: {{ index . 1 }}
runAsGroup: {{ index . 1 }}
fsGroup: {{ index . 1 }}
{{- end }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* The fields of all pods by which machines are chosen; empty where there are none. */}}
{{- define "tributary.placed" -}}
{{- range $key, $value := pick .Values "nodeSelector" "tolerations" }}
{{- with $value }}{{ dict $key . | toYaml }}
{{ end }}
{{- end }}
{{- end }}

{{- define "tributary.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* A duration such as 90s, 5m, 2h or 7d in seconds. */}}
{{- define "tributary.seconds" -}}
{{- mul (regexFind "^[0-9]+" .) (get (dict "s" 1 "m" 60 "h" 3600 "d" 86400) (regexFind "[a-z]+$" .)) }}
{{- end }}

{{/* What is wrong with processor time and memory, a sentence: (list NAME RESOURCES). Empty where nothing is. */}}
{{- define "tributary.badResources" -}}
{{- $name := index . 0 }}
{{- $at := index . 1 }}
{{- $bad := "" }}
{{- range $part := list "requests" "limits" }}
{{- range $key, $value := get $at $part | default dict }}
{{- if not (regexMatch "^[0-9]+([.][0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$" (toString $value)) }}{{ $bad = printf "%s.%s.%s: %v is no quantity; such as %s" $name $part $key $value (ternary "500m" "2Gi" (eq $key "cpu")) }}{{ end }}
{{- end }}
{{- end }}
{{- $asked := dig "requests" "memory" "" $at }}
{{- $limit := dig "limits" "memory" "" $at }}
{{- if $bad }}{{ $bad }}
{{- else if and $asked $limit (gt (include "tributary.mebibytes" $asked | int) (include "tributary.mebibytes" $limit | int)) }}{{ $name }}.requests.memory: {{ $asked }} is more than {{ $name }}.limits.memory: {{ $limit }}, which Kubernetes refuses; lower the one or raise the other
{{- end }}
{{- end }}

{{/* A quantity of memory such as 2Gi in MiB, rounded down. */}}
{{- define "tributary.mebibytes" -}}
{{- $n := regexFind "^[0-9.]+" (toString .) | float64 }}
{{- $unit := get (dict "" 1 "k" 1000 "Ki" 1024 "M" 1000000 "Mi" 1048576 "G" 1000000000 "Gi" 1073741824 "T" 1000000000000 "Ti" 1099511627776) (regexFind "[A-Za-z]*$" (toString .)) }}
{{- divf (mulf $n (default 1 $unit)) 1048576 | floor | int64 }}
{{- end }}

{{/* The field of a StatefulSet with the volume of each pod: (list SIZE CLASS). Empty without a size. */}}
{{- define "tributary.claims" -}}
{{- if index . 0 -}}
volumeClaimTemplates:
  - metadata: {name: data}
    spec:
      accessModes: [ReadWriteOnce]
      {{- with index . 1 }}
      storageClassName: {{ . }}
      {{- end }}
      resources: {requests: {storage: {{ index . 0 }}}}
{{- end }}
{{- end }}

{{/* What that field has, in words. Kubernetes writes sizes in its own way: 1024Gi is 1Ti. */}}
{{- define "tributary.volume" -}}
{{- range .volumeClaimTemplates }}a volume of {{ include "tributary.mebibytes" .spec.resources.requests.storage }} MiB{{ with .spec.storageClassName }} of the class {{ . }}{{ end }}
{{- else }}no volume{{ end }}
{{- end }}

{{/* The field of a pod that names the secrets of the registry; empty where there are none. */}}
{{- define "tributary.pullSecrets" -}}
{{- with .Values.global.imagePullSecrets -}}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The sources of a NetworkPolicy that are the addresses, and ranges of them, which headers are taken from: a list. */}}
{{- define "tributary.trustedPeers" -}}
{{- $peers := list }}
{{- range .Values.loadBalancer.trusted }}
{{- $one := ternary "/128" "/32" (contains ":" .) }}
{{- $peers = append $peers (dict "ipBlock" (dict "cidr" (ternary . (print . $one) (contains "/" .)))) }}
{{- end }}
{{- toJson $peers }}
{{- end }}

{{/* All that is below a value, each with the names that lead there: (list NAME VALUE). Read by `fromJsonArray`. What is {name, value} goes by that name. */}}
{{- define "tributary.leaves" -}}
{{- $at := index . 0 }}
{{- $value := index . 1 }}
{{- $all := list }}
{{- if and (kindIs "map" $value) (hasKey (default dict $value) "name") (hasKey (default dict $value) "value") }}
{{- $all = list (dict "at" (printf "%s.%v" $at $value.name) "value" $value.value) }}
{{- else if and (kindIs "map" $value) $value }}
{{- range $key, $item := $value }}{{ $all = concat $all (include "tributary.leaves" (list (print $at "." $key) $item) | fromJsonArray) }}{{ end }}
{{- else if and (kindIs "slice" $value) $value }}
{{- range $value }}{{ $all = concat $all (include "tributary.leaves" (list $at .) | fromJsonArray) }}{{ end }}
{{- else }}
{{- $all = list (dict "at" $at "value" $value) }}
{{- end }}
{{- toJson $all }}
{{- end }}

{{- define "tributary.clustered" -}}
{{- if or (ne .Values.form "node") (eq .Values.node.mode "cluster") }}true{{ end }}
{{- end }}

{{- define "tributary.daemon" -}}
{{- if and (eq .Values.form "node") .Values.node.everyMachine }}true{{ end }}
{{- end }}

{{/* Whether each machine has a broker of its own that knows none of the others. */}}
{{- define "tributary.alone" -}}
{{- if and (include "tributary.daemon" .) (not (include "tributary.clustered" .)) }}true{{ end }}
{{- end }}

{{/* Whether the pods of haproxy or nginx are there. */}}
{{- define "tributary.balancer" -}}
{{- if has .Values.loadBalancer.kind (list "haproxy" "nginx") }}true{{ end }}
{{- end }}

{{/* For how many nodes the StatefulSet that is there was reckoned: more nodes keep that, or they would all be exchanged. */}}
{{- define "tributary.reckonedBefore" -}}
{{- $old := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "tributary.name" .) }}
{{- if $old }}{{ dig "annotations" "tributary.io/reckoned-nodes" "" $old.metadata }}{{ end }}
{{- end }}

{{/*
How many replicas the StatefulSet has to name, if any. With an autoscaler none, or each upgrade would set them back: but once they
were named, to leave them out would make them one. Then those that there are by now are named, and ever after. So they are where
somebody has scaled it to 0: an autoscaler leaves that alone.
*/}}
{{- define "tributary.replicas" -}}
{{- $a := .Values.autoscaling }}
{{- if not $a.enabled }}{{ int (include "tributary.reckoned" . | fromYaml).nodes }}
{{- else }}
{{- $old := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "tributary.name" .) }}
{{- if and $old (or (not (dig "annotations" "tributary.io/autoscaled" "" $old.metadata)) (eq (int $old.spec.replicas) 0)) }}{{ max (int $a.min) (min (int $a.max) (int $old.spec.replicas)) }}{{ end }}
{{- end }}
{{- end }}

{{/* The numbers that the chart reckons; docs/kubernetes.md says how. `clientsWhileAway`: of a node, while another one is away. Read by `fromYaml`, then `int`. */}}
{{- define "tributary.reckoned" -}}
{{- $nodes := int (default (ternary .Values.autoscaling.min 3 .Values.autoscaling.enabled) .Values.replicas) }}
{{- if eq .Values.form "node" }}{{ $nodes = int (default 1 .Values.replicas) }}{{ end }}
{{- $for := $nodes }}
{{- with include "tributary.reckonedBefore" . }}{{ $for = min $nodes (int .) | int }}{{ end }}
{{- with .Values.expected.nodes }}{{ $for = int . }}{{ end }}
{{- $clients := int .Values.expected.clients }}
{{- $each := ceil (divf $clients $for) | int }}
{{- $most := ceil (mulf $each 1.5) | int }}
{{- $away := $each }}
{{- if gt $for 1 }}
{{- $others := ceil (divf $clients (sub $for 1)) | int }}
{{- $most = max $most $others }}
{{- if include "tributary.clustered" . }}{{ $away = $others }}{{ end }}
{{- end }}
{{- $keepAlive := include "tributary.seconds" .Values.expected.keepAlive | int }}
{{- $idle := max 350 (ceil (mulf $keepAlive 1.5) | int) }}
{{- $serveFor := default (ternary "150s" "15s" (eq .Values.loadBalancer.kind "nlb")) .Values.loadBalancer.deregistration }}
{{- $serve := include "tributary.seconds" $serveFor | int }}
{{- $stop := include "tributary.seconds" .Values.drain.stopTimeout | int }}
{{- $leave := ceil (divf $most .Values.drain.rate) | int }}
nodes: {{ $nodes }}
for: {{ $for }}
clientsPerNode: {{ $each }}
clientsWhileAway: {{ $away }}
maxConnections: {{ $most }}
maxKeepAlive: {{ $keepAlive }}
idleTimeout: {{ $idle }}
serveFor: {{ $serve }}
stopTimeout: {{ $stop }}
gracePeriod: {{ add $serve $leave $stop 30 }}
openFiles: {{ add $away (div $away 2) 2000 }}
slots: {{ ternary .Values.autoscaling.max (max 6 (mul 2 $nodes)) .Values.autoscaling.enabled }}
{{- end }}

{{/*
What the pods of haproxy or nginx need; docs/kubernetes.md says how. Two open files a client, of all clients, since another pod may be away.
NGINX has a table of connections in each worker, of its share and half as much again: 430 bytes each, and once more beside the workers
of a reload. A client's own part was measured, and a third more.
*/}}
{{- define "tributary.balancing" -}}
{{- $v := .Values }}
{{- $lb := $v.loadBalancer }}
{{- $nginx := eq $lb.kind "nginx" }}
{{- $cpu := dig "limits" "cpu" (dig "requests" "cpu" "0" $lb.resources) $lb.resources | toString }}
{{- $processors := divf (regexFind "^[0-9.]+" $cpu | float64) (ternary 1000 1 (hasSuffix "m" $cpu)) | ceil | int }}
{{- $workers := default (max 2 $processors) $lb.workers | int }}
{{- $files := add (mul 2 (int $v.expected.clients)) 1000 }}
{{- $connections := min $files (add (div (mul 3 (int $v.expected.clients)) $workers) 1000) }}
{{- $clients := ceil (divf $v.expected.clients (max 1 (sub $lb.replicas 1))) | int }}
{{- $each := ternary (ternary 60 32 (eq $lb.tls "ended")) (ternary 24 6 (eq $lb.tls "ended")) $nginx }}
{{- $table := ternary (div (mul $workers $connections 430) 1024) (div $files 4) $nginx }}
workers: {{ $workers }}
files: {{ $files }}
connections: {{ $connections }}
clients: {{ $clients }}
memory: {{ add 32 (div (add (mul 2 $table) (mul $each $clients)) 1024) }}
{{- end }}

{{/* How the broker shares out a pod's memory limit, in MiB, with the clients of a node while another one is away: the rule of dist/src/main/dist/lib/size.sh, which helm/check holds against it. */}}
{{- define "tributary.memory" -}}
{{- $clients := (include "tributary.reckoned" . | fromYaml).clientsWhileAway | int }}
{{- $limit := include "tributary.mebibytes" (dig "limits" "memory" "0" .Values.resources) | int }}
{{- $store := ternary 0 128 (ne (include "tributary.clustered" .) "") }}
{{- $tls := div (mul $clients 40) 1024 }}
{{- $other := add 160 (div $limit 20) $tls }}
{{- $rest := sub $limit (add $store $other) }}
{{- $full := div (mul (add 96 (div (mul $clients 16) 1024)) 16) 9 }}
limit: {{ $limit }}
heap: {{ sub $rest (div $rest 4) }}
direct: {{ div $rest 4 }}
store: {{ $store }}
other: {{ $other }}
enough: {{ max 512 (add 1 (div (mul 20 (add $full $store 160 $tls)) 19)) }}
{{- end }}

{{/* The Secret with a certificate that is no listener's: the given one, or the one that cert-manager makes: (list ROOT management|link). */}}
{{- define "tributary.tlsSecret" -}}
{{- $v := (index . 0).Values }}
{{- $made := ternary (printf "%s-%s-tls" (include "tributary.name" (index . 0)) (index . 1)) "" (get $v.certificate (index . 1)) }}
{{- default $made (get $v (index . 1)).tls.existingSecret }}
{{- end }}

{{/* The listeners that are there, with what is not said filled in: name -> values, and
     proxy (a header comes), secret (of the certificate, or empty), ended (TLS ends in the balancer), broker (TLS of the broker). */}}
{{- define "tributary.listeners" -}}
{{- $root := . }}
{{- $all := dict }}
{{- $inFront := ne .Values.loadBalancer.kind "none" }}
{{- range $name, $given := .Values.listeners }}
{{- if $given }}
{{- $defaults := dict "enabled" true "kind" "tcp" "port" 0 "authentication" list "path" "/mqtt" "allowedOrigins" list "acceptOpenListener" false "settings" dict "tls" (dict "enabled" true "existingSecret" "" "clientCertificates" "none" "authorities" (dict "existingSecret" "")) }}
{{- $listener := mergeOverwrite $defaults (deepCopy $given) }}
{{- if $listener.enabled }}
{{- $proxy := $inFront }}
{{- if not (kindIs "invalid" $listener.proxyProtocol) }}{{ $proxy = $listener.proxyProtocol }}{{ end }}
{{- $secret := $listener.tls.existingSecret }}
{{- if and (not $secret) $root.Values.certificate.enabled }}{{ $secret = print (include "tributary.name" $root) "-tls" }}{{ end }}
{{- if not $listener.tls.enabled }}{{ $secret = "" }}{{ end }}
{{- $ended := and (ne $secret "") (ne (include "tributary.balancer" $root) "") (eq $root.Values.loadBalancer.tls "ended") }}
{{- $_ := set $all $name (merge (dict "proxy" $proxy "secret" $secret "ended" $ended "broker" (and (ne $secret "") (not $ended))) $listener) }}
{{- end }}
{{- end }}
{{- end }}
{{- toYaml $all }}
{{- end }}

{{/* Volumes of secrets that the chart knows of: name -> {secret} or {configMap}, at /etc/tributary/secrets/NAME. */}}
{{- define "tributary.secrets" -}}
{{- $all := dict }}
{{- $v := .Values }}
{{- if include "tributary.clustered" . }}
{{- $_ := set $all "link" (dict "secret" $v.link.existingSecret) }}
{{- with (include "tributary.tlsSecret" (list $ "link")) }}{{ $_ := set $all "link-tls" (dict "secret" .) }}{{ end }}
{{- if eq $v.kafka.kind "external" }}
{{- with $v.kafka.external.authorities.existingSecret }}{{ $_ := set $all "kafka-authorities" (dict "secret" .) }}{{ end }}
{{- with $v.kafka.external.sasl.existingSecret }}{{ $_ := set $all "kafka" (dict "secret" .) }}{{ end }}
{{- else if eq $v.kafka.kind "strimzi" }}
{{- $_ := set $all "kafka-authorities" (dict "secret" (print (include "tributary.name" .) "-cluster-ca-cert")) }}
{{- $_ := set $all "kafka" (dict "secret" (print (include "tributary.name" .) "-broker")) }}
{{- end }}
{{- if eq $v.redis.kind "external" }}
{{- with $v.redis.external.authorities.existingSecret }}{{ $_ := set $all "redis-authorities" (dict "secret" .) }}{{ end }}
{{- with $v.redis.external.existingSecret }}{{ $_ := set $all "redis" (dict "secret" .) }}{{ end }}
{{- end }}
{{- end }}
{{- range $name, $listener := include "tributary.listeners" . | fromYaml }}
{{- if $listener.broker }}
{{- $_ := set $all (print "listener-" $name) (dict "secret" $listener.secret) }}
{{- with $listener.tls.authorities.existingSecret }}{{ $_ := set $all (print "authorities-" $name) (dict "secret" .) }}{{ end }}
{{- end }}
{{- end }}
{{- with (include "tributary.tlsSecret" (list $ "management")) }}{{ $_ := set $all "management" (dict "secret" .) }}{{ end }}
{{- with $v.security.firstAdministrator.existingSecret }}{{ $_ := set $all "administrator" (dict "secret" .) }}{{ end }}
{{- with $v.security.seed.existingSecret }}{{ $_ := set $all "seed" (dict "secret" .) }}{{ end }}
{{- with $v.security.seed.existingConfigMap }}{{ $_ := set $all "seed" (dict "configMap" .) }}{{ end }}
{{- toYaml $all }}
{{- end }}

{{- define "tributary.kafkaServers" -}}
{{- $name := include "tributary.name" . }}
{{- if eq .Values.kafka.kind "external" }}{{ .Values.kafka.external.bootstrapServers }}
{{- else if eq .Values.kafka.kind "strimzi" }}{{ $name }}-kafka-bootstrap:9093
{{- else }}{{ range $i := until (int .Values.kafka.trial.brokers) }}{{ if $i }},{{ end }}{{ $name }}-kafka-{{ $i }}.{{ $name }}-kafka:9092{{ end }}{{ end }}
{{- end }}

{{- define "tributary.redisNodes" -}}
{{- $name := include "tributary.name" . }}
{{- if eq .Values.redis.kind "external" }}{{ .Values.redis.external.nodes }}
{{- else }}{{ range $i := until (min 3 (int .Values.redis.trial.servers) | int) }}{{ if $i }},{{ end }}{{ $name }}-redis-{{ $i }}.{{ $name }}-redis:6379{{ end }}{{ end }}
{{- end }}

{{/* The ports of DNS: OpenShift's pods listen on 5353, and its network judges by the port of the pod. */}}
{{- define "tributary.dnsPorts" -}}
[{port: 53, protocol: UDP}, {port: 53, protocol: TCP}, {port: 5353, protocol: UDP}, {port: 5353, protocol: TCP}]
{{- end }}

{{/* The ports in a list of addresses, each once. */}}
{{- define "tributary.ports" -}}
{{- $ports := list }}
{{- range splitList "," . }}{{ $ports = append $ports (regexFind "[0-9]+$" (trim .)) }}{{ end }}
{{- join "," (compact $ports | uniq) }}
{{- end }}

{{/* What a pod does before it stops, as a list; it finds port and token in the pod's settings. */}}
{{- define "tributary.drainCommand" -}}
{{- $r := include "tributary.reckoned" . | fromYaml }}
{{- toJson (list "/opt/tributary/bin/tributary" "drain" "--serve-for" (printf "%ds" (int $r.serveFor)) "--rate" (toString (int .Values.drain.rate)) "--wait") }}
{{- end }}

{{/* What clients connect to, where the chart has no balancer: the type of its Service. */}}
{{- define "tributary.serviceType" -}}
{{- default (ternary "ClusterIP" "LoadBalancer" (eq .Values.loadBalancer.kind "none")) .Values.loadBalancer.serviceType }}
{{- end }}

{{/* The Service whose port 9093 is the API of some ready node: one of its own where the other one is open to the outside. */}}
{{- define "tributary.apiService" -}}
{{- $outside := and (not (include "tributary.balancer" .)) (ne (include "tributary.serviceType" .) "ClusterIP") }}
{{- print (include "tributary.name" .) (ternary "-api" "" $outside) }}
{{- end }}

{{- define "tributary.rebalanceCommand" -}}
{{- $https := ne (include "tributary.tlsSecret" (list $ "management")) "" }}
{{- $url := printf "%s://%s:9093" (ternary "https" "http" $https) (include "tributary.apiService" .) }}
{{- $command := list "/opt/tributary/bin/tributary" "rebalance" "--url" $url "--token-file" "/etc/tributary/secrets/administrator/token" }}
{{- if $https }}{{ $command = concat $command (list "--ca" "/etc/tributary/secrets/management/tls.crt") }}{{ end }}
{{- toJson (concat $command (list "--rate" (toString (int .Values.autoscaling.rebalanceRate)) "--tolerance" "10%" "--wait")) }}
{{- end }}

{{/* The listener that `helm test` tries: the named one, or the first of TCP with TLS, or the first of TCP. */}}
{{- define "tributary.testListener" -}}
{{- $listeners := include "tributary.listeners" . | fromYaml }}
{{- $tls := list }}{{ $plain := list }}
{{- range $key, $listener := $listeners }}
{{- if eq $listener.kind "tcp" }}
{{- if $listener.secret }}{{ $tls = append $tls $key }}{{ else }}{{ $plain = append $plain $key }}{{ end }}
{{- end }}
{{- end }}
{{- .Values.test.listener | default (first (append (concat $tls $plain) "")) }}
{{- end }}

{{/* Whether its listener asks for a certificate that `helm test` has not got. */}}
{{- define "tributary.testLacksCertificate" -}}
{{- $listener := get (include "tributary.listeners" . | fromYaml) (include "tributary.testListener" .) }}
{{- if and $listener (eq (dig "tls" "clientCertificates" "" (default dict $listener)) "need") (not .Values.test.clientCertificate.existingSecret) }}true{{ end }}
{{- end }}

{{/* Whether its listener asks for a user that `helm test` has not got. */}}
{{- define "tributary.testLacksUser" -}}
{{- $listener := get (include "tributary.listeners" . | fromYaml) (include "tributary.testListener" .) }}
{{- if and $listener (not .Values.test.existingSecret) }}
{{- range $listener.authentication }}{{ if ne (dig . "kind" "" $.Values.security.authenticators) "x509" }}true{{ end }}{{ end }}
{{- end }}
{{- end }}

{{- define "tributary.testHost" -}}
{{- if .Values.test.host }}{{ .Values.test.host }}
{{- else if ne .Values.loadBalancer.kind "nlb" }}{{ include "tributary.name" . }}{{ if include "tributary.balancer" . }}-balancer{{ end }}.{{ .Release.Namespace }}.svc{{ end }}
{{- end }}
