{{/* A pod of one role: takes root, role, its values, and port, where it answers its probes. */}}
{{- define "flyball.pod" -}}
{{- $v := .root.Values -}}
{{- $strict := and (eq .role "runner") (eq $v.runner.containment "A") -}}
metadata:
  labels:
    {{- include "flyball.labels" . | nindent 4 }}
    {{- with $v.pod.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # A changed flyball.yaml restarts the pods: most keys apply after a restart only.
    checksum/config: {{ include "flyball.yaml" .root | sha256sum }}
    {{- with $v.pod.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  # Variables such as FLYBALL_PORT, which a Service adds, would look like configuration.
  enableServiceLinks: false
  # Agents must not find a way to the API server.
  automountServiceAccountToken: false
  {{- if eq .role "runner" }}
  # The drain, the time from TERM to KILL, what a stop needs besides, and 2 s.
  terminationGracePeriodSeconds: {{ add $v.runner.drainSeconds $v.runner.graceSeconds 11 }}
  {{- else }}
  terminationGracePeriodSeconds: {{ add $v.runner.graceSeconds 11 }}
  {{- end }}
  {{- if and $strict $v.runner.ownProc }}
  # No user of the pod is a user of the node: an unmasked /proc is admitted only then.
  hostUsers: false
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: {{ $v.pod.uid }}
    runAsGroup: {{ $v.pod.uid }}
    fsGroup: {{ $v.pod.uid }}
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: {type: RuntimeDefault}
  {{- with $v.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with $v.pod.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.pod.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.pod.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "flyball.selector" . | nindent 10 }}
  containers:
    - name: {{ .role }}
      image: "{{ $v.image.repository }}:{{ $v.image.tag | default .root.Chart.AppVersion }}"
      imagePullPolicy: {{ $v.image.pullPolicy }}
      args: [{{ .role }}, --config, /etc/flyball/flyball.yaml]
      {{- include "flyball.environment" . | nindent 6 }}
      ports:
        - {name: http, containerPort: {{ .port }}}
      # Over HTTP, on all addresses: a probe that starts a process would add one to a container whose processes are
      # counted. The broker may be away while a role starts; /livez answers meanwhile.
      startupProbe:
        httpGet: {path: /livez, port: http}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /livez, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet: {path: /readyz, port: http}
        periodSeconds: 5
        timeoutSeconds: 5
      resources: {{- toYaml .values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
        {{- if $strict }}
        # Level A makes a user and a PID namespace for each session; the default profile denies both.
        seccompProfile: {type: Unconfined}
        {{- if $v.runner.ownProc }}
        procMount: Unmasked
        {{- end }}
        {{- end }}
      volumeMounts:
        - {name: config, mountPath: /etc/flyball, readOnly: true}
        {{- if $v.kafka.filesSecret }}
        - {name: kafka-files, mountPath: /etc/flyball-kafka, readOnly: true}
        {{- end }}
        - {name: data, mountPath: /data}
        - {name: tmp, mountPath: /tmp}
  volumes:
    - name: config
      configMap: {name: {{ include "flyball.name" .root }}-config}
    {{- if $v.kafka.filesSecret }}
    - name: kafka-files
      secret: {secretName: {{ $v.kafka.filesSecret }}, defaultMode: 0440}
    {{- end }}
    {{- if not (dig "persistence" "enabled" false .values) }}
    - name: data
      emptyDir: {}
    {{- end }}
    - name: tmp
      emptyDir: {}
{{- end -}}

{{- define "flyball.environment" -}}
{{- $v := .root.Values -}}
env:
  # Agents keep their own sessions below it, which a later session of the same item resumes.
  - {name: HOME, value: /data}
  - {name: FLYBALL_DATA, value: /data}
  - {name: FLYBALL_KAFKA_BOOTSTRAP_SERVERS, value: {{ $v.kafka.bootstrapServers | quote }}}
  {{- range $v.kafka.secretProperties }}
  - name: FLYBALL_KAFKA_{{ .property | upper | replace "." "_" }}
    valueFrom:
      secretKeyRef: {name: {{ .secret }}, key: {{ .key | quote }}}
  {{- end }}
  - {name: FLYBALL_SESSIONS_GRACE, value: {{ $v.runner.graceSeconds }}s}
  {{- if eq .role "console" }}
  - {name: FLYBALL_CONSOLE_LISTEN, value: "0.0.0.0:{{ .port }}"}
  - {name: FLYBALL_CONSOLE_HOSTS, value: {{ include "flyball.consoleHosts" .root | quote }}}
  - {name: FLYBALL_CONSOLE_TOKENS, value: {{ include "flyball.tokens" .root | squote }}}
  - name: CONSOLE_TOKEN
    valueFrom:
      secretKeyRef: {name: {{ $v.console.token.secret }}, key: {{ $v.console.token.key | quote }}}
  {{- if $v.serviceMonitor.enabled }}
  - name: VIEWER_TOKEN
    valueFrom:
      secretKeyRef: {name: {{ $v.console.token.secret }}, key: {{ $v.console.token.viewerKey | quote }}}
  {{- end }}
  {{- else }}
  - {name: FLYBALL_ADMIN_LISTEN, value: "0.0.0.0:{{ .port }}"}
  {{- end }}
  {{- if eq .role "runner" }}
  - {name: FLYBALL_SESSIONS_SLOTS, value: {{ $v.runner.slots | quote }}}
  - {name: FLYBALL_SESSIONS_DRAIN, value: {{ $v.runner.drainSeconds }}s}
  - {name: FLYBALL_CONTAINMENT_MINIMUM, value: {{ $v.runner.containment }}}
  {{- end }}
{{- with .values.secrets }}
envFrom:
  {{- range . }}
  - secretRef: {name: {{ . }}}
  {{- end }}
{{- end }}
{{- end -}}
