{{/* Names, labels and the parts of a pod that all roles share. */}}

{{- define "flyball.name" -}}
{{- if contains "flyball" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-flyball" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "flyball.labels" -}}
{{ include "flyball.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "flyball.selector" -}}
app.kubernetes.io/name: flyball
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .role }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{/* flyball.yaml: what the user wrote, with the properties of Kafka's clients. */}}
{{- define "flyball.yaml" -}}
{{- $file := deepCopy .Values.config -}}
{{- with .Values.kafka.properties -}}
{{- $_ := set $file "kafka" . -}}
{{- end -}}
{{- toYaml $file -}}
{{- end -}}

{{/* The console's tokens: those of the Secret, and those of config. One line of JSON, which is YAML. */}}
{{- define "flyball.tokens" -}}
{{- $own := dict "name" "admin" "token-env" "CONSOLE_TOKEN" "roles" (list "*:admin") -}}
{{- $console := .Values.config.console | default dict -}}
{{- $tokens := prepend ($console.tokens | default list) $own -}}
{{- if .Values.serviceMonitor.enabled -}}
{{- $tokens = append $tokens (dict "name" "prometheus" "token-env" "VIEWER_TOKEN") -}}
{{- end -}}
{{- toJson $tokens -}}
{{- end -}}

{{/* The names by which pods of the cluster call the console; it denies requests by any other name. */}}
{{- define "flyball.consoleHosts" -}}
{{- $service := printf "%s-console" (include "flyball.name" .) -}}
{{- $space := .Release.Namespace -}}
{{- $names := list $service (printf "%s.%s" $service $space) (printf "%s.%s.svc" $service $space) (printf "%s.%s.svc.cluster.local" $service $space) -}}
{{- concat $names .Values.console.hosts | uniq | join "," -}}
{{- end -}}
