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

{{- /* Of slurmrestd: those that are named, or else the URLs' own. */ -}}
{{- define "slurmscope.ports" -}}
{{- $ports := .Values.networkPolicy.ports }}
{{- if not $ports }}
{{- $all := prepend (values (default dict .Values.config.clusters)) (dict "slurmrestd" .Values.config.slurmrestd) }}
{{- range $all }}
{{- $url := .slurmrestd | default dict | dig "url" "" }}
{{- if hasPrefix "http" $url }}
{{- $port := $url | regexFind ":[0-9]+/*$" | trimAll ":/" | default (hasPrefix "https:" $url | ternary "443" "80") }}
{{- $ports = append $ports (int $port) | uniq }}
{{- end }}
{{- end }}
{{- end }}
{{- $ports | sortAlpha | toJson }}
{{- end }}

{{- define "slurmscope.releaseLabel" -}}
{{- with .Values.releaseLabel }}
release: {{ . | quote }}
{{- end }}
{{- end }}
