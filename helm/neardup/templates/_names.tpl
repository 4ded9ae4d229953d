{{- define "neardup.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 52 characters: Kubernetes adds to the name of a StatefulSet in the labels of its pods. */}}
{{- define "neardup.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains (include "neardup.name" .) .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "neardup.name" .) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Never change these: the selector of a StatefulSet is immutable. */}}
{{- define "neardup.selectorLabels" -}}
app.kubernetes.io/name: {{ include "neardup.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* How many lanes this release runs: one, if config.lanes.lane says which. */}}
{{- define "neardup.lanes" -}}
{{- $lanes := default dict .Values.config.lanes -}}
{{- if hasKey $lanes "lane" }}1{{ else }}{{ dig "count" 1 $lanes | int }}{{ end -}}
{{- end -}}

{{/* Name of the StatefulSet of one lane. */}}
{{- define "neardup.laneName" -}}
{{- $name := include "neardup.fullname" .root -}}
{{- if eq (include "neardup.lanes" .root | int) 1 }}{{ $name }}{{ else }}{{ printf "%s-lane-%d" ($name | trunc 44 | trimSuffix "-") .lane }}{{ end -}}
{{- end -}}

{{/* Labels of the pods of one lane. Never change them either. */}}
{{- define "neardup.podLabels" -}}
{{ include "neardup.selectorLabels" .root }}
{{- if gt (include "neardup.lanes" .root | int) 1 }}
neardup.io/lane: {{ .lane | quote }}
{{- end }}
{{- end -}}

{{- define "neardup.labels" -}}
{{ include "neardup.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "neardup.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "neardup.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "neardup.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (default $.Chart.AppVersion .tag) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Metadata of an object that Strimzi turns into a topic or a user. */}}
{{- define "neardup.strimziMetadata" }}
metadata:
  name: {{ .name }}
  namespace: {{ .namespace }}
  labels:
    {{- include "neardup.labels" .root | nindent 4 }}
    strimzi.io/cluster: {{ .root.Values.strimzi.cluster }}
  {{- if .keep }}
  annotations:
    # Strimzi deletes a topic with its object.
    helm.sh/resource-policy: keep
  {{- end }}
{{- end -}}

{{/* A list of values that may hold templates, as YAML. */}}
{{- define "neardup.tpl" -}}
{{- tpl (toYaml .value) .root -}}
{{- end -}}
