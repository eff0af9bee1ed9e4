{{/* The name of what belongs to one run: an upgrade is another one. */}}
{{- define "perf.name" -}}
{{ .Release.Name | replace "." "-" | trunc 40 | trimSuffix "-" }}-{{ .Release.Revision }}
{{- end }}

{{/* What tells the pods of a run: (list ROOT COMPONENT). */}}
{{- define "perf.selector" -}}
app.kubernetes.io/name: tributary-perf
app.kubernetes.io/instance: {{ include "perf.name" (index . 0) }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* (list ROOT COMPONENT SUFFIX) */}}
{{- define "perf.metadata" -}}
name: {{ include "perf.name" (index . 0) }}{{ index . 2 }}
namespace: {{ (index . 0).Release.Namespace }}
labels:
  {{- include "perf.labels" . | nindent 2 }}
{{- end }}

{{- define "perf.labels" -}}
{{ include "perf.selector" . }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- with (index . 0).Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The template of a pod: (list ROOT COMPONENT WORDS), with what only the one or the other has. */}}
{{- define "perf.pod" -}}
{{- $root := index . 0 }}
{{- $component := index . 1 }}
{{- $v := $root.Values }}
{{- $own := ternary $v.runners $v.orchestrator (eq $component "runner") }}
metadata:
  labels:
    {{- include "perf.labels" (list $root $component) | nindent 4 }}
  annotations: # a pod that is moved ends the run
    karpenter.sh/do-not-disrupt: "true"
    cluster-autoscaler.kubernetes.io/safe-to-evict: "false"
spec:
  # The orchestrator runs once. A runner is started again until there is one to work for.
  restartPolicy: {{ ternary "OnFailure" "Never" (eq $component "runner") }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with $v.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . | quote }}
    {{- end }}
  {{- end }}
  {{- with $own.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if eq $component "runner" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "perf.selector" (list $root $component) | nindent 10 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: {type: RuntimeDefault}
    {{- if eq $component "runner" }}
    # Clients of one address are as many as it has ports.
    sysctls: [{name: net.ipv4.ip_local_port_range, value: "1024 65535"}]
    {{- end }}
  containers:
    - name: {{ $component }}
      image: {{ $v.image.repository }}:{{ default $root.Chart.AppVersion $v.image.tag }}
      imagePullPolicy: {{ $v.image.pullPolicy }}
      command: [/opt/tributary/bin/tributary, perf]
      args:
        {{- range index . 2 }}
        - {{ . | quote }}
        {{- end }}
      env:
        - {name: TRIBUTARY_PERF_OPTS, value: {{ printf "-XX:MaxRAMPercentage=60 %s" $v.jvmOptions | trim | quote }}}
      {{- if eq $component "orchestrator" }}
      ports: [{name: runners, containerPort: 7000}]
      {{- end }}
      resources:
        {{- toYaml $own.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: run, mountPath: /etc/tributary-perf, readOnly: true}
        - {name: tmp, mountPath: /tmp}
        {{- range $key, $secret := $v.secretMounts }}
        - {name: {{ $key }}, mountPath: /etc/tributary/mounts/{{ $key }}, readOnly: true}
        {{- end }}
  volumes:
    - {name: run, secret: {secretName: {{ include "perf.name" $root }}}}
    - {name: tmp, emptyDir: {sizeLimit: 1Gi}}
    {{- range $key, $secret := $v.secretMounts }}
    - {name: {{ $key }}, secret: {secretName: {{ $secret | quote }}}}
    {{- end }}
{{- end }}
