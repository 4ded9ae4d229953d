{{/* One endpoint of a PodMonitor or ServiceMonitor. */}}
{{- define "neardup.endpoint" -}}
port: metrics
path: /metrics
interval: {{ .interval }}
{{- with .scrapeTimeout }}
scrapeTimeout: {{ . }}
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

{{/* The pods of helm test. They must not match the selector of the StatefulSet. */}}
{{- define "neardup.testLabels" -}}
app.kubernetes.io/name: {{ include "neardup.name" . }}-test
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
