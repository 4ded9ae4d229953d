{{/* One endpoint of a PodMonitor or ServiceMonitor. */}}
{{- define "neardup.endpoint" -}}
port: metrics
path: /metrics
interval: {{ .interval }}
{{- with .scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
{{- if .tls }}
scheme: https
{{- with .tlsConfig }}
tlsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- with .basicAuth }}
basicAuth:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .relabelings }}
relabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Whether the instances serve their pages by TLS: "true", or nothing. */}}
{{- define "neardup.servesTls" -}}
{{- if dig "metrics" "tls_certificate_path" "" .Values.config }}true{{ end }}
{{- end -}}

{{/* One probe of a page. */}}
{{- define "neardup.probe" -}}
httpGet: {path: {{ .path }}, port: metrics{{ if include "neardup.servesTls" .root }}, scheme: HTTPS{{ end }}}
{{ toYaml .settings }}
{{- end -}}

{{/* The pods of helm test. They must not match the selector of the StatefulSet. */}}
{{- define "neardup.testLabels" -}}
app.kubernetes.io/name: {{ include "neardup.name" . }}-test
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
