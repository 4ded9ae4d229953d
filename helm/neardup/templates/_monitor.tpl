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
{{- if or .lanes .relabelings }}
relabelings:
  {{- if .lanes }}
  # Each lane is a job of its own, as each lane works by itself.
  - sourceLabels: [__meta_kubernetes_pod_label_neardup_io_lane]
    targetLabel: job
    replacement: {{ .release }}-lane-$1
  {{- end }}
  {{- with .relabelings }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
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
