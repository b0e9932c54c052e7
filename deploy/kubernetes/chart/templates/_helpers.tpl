{{- define "slurmscope.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "slurmscope.fullname" -}}
{{- $name := include "slurmscope.name" . }}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- default $full .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "slurmscope.selector" -}}
app.kubernetes.io/name: {{ include "slurmscope.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "slurmscope.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "slurmscope.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: exporter
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "slurmscope.image" -}}
{{- with .Values.image }}
{{- .digest | empty | ternary (printf "%s:%s" .repository (default $.Chart.AppVersion .tag)) (printf "%s@%s" .repository .digest) }}
{{- end }}
{{- end }}

{{- define "slurmscope.serviceAccount" -}}
{{- .Values.serviceAccount.create | ternary (include "slurmscope.fullname" .) (default "default" .Values.serviceAccount.name) }}
{{- end }}

{{- /* All pages ask for the password of a web configuration, these too, and the kubelet has none. */ -}}
{{- define "slurmscope.probe" -}}
{{- if .root.Values.webConfig.secret }}
tcpSocket: {port: metrics}
{{- else }}
httpGet: {path: {{ .path }}, port: metrics}
{{- end }}
{{- end }}
