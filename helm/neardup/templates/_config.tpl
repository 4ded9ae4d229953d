{{/*
Helm reads numbers as floating point, and would write 10000000 as 1e+07. Replaces them, in a map or list and
all that it holds, by whole numbers where they are whole.
*/}}
{{- define "neardup.exactNumbers" -}}
{{- range $key, $value := .in -}}
{{- if kindIs "map" $value -}}
{{- include "neardup.exactNumbers" (dict "in" $value) -}}
{{- else if kindIs "slice" $value -}}
{{- range $item := $value -}}
{{- if kindIs "map" $item }}{{ include "neardup.exactNumbers" (dict "in" $item) }}{{ end -}}
{{- end -}}
{{- else if kindIs "float64" $value -}}
{{- if eq (floor $value) $value }}{{ $_ := set $.in $key (int64 $value) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Settings that the chart makes of its other values. A second place for them would be overlooked. */}}
{{- define "neardup.checkOwned" -}}
{{- $owned := dict "kafka.brokers" "kafka.bootstrapServers" "metrics.port" "metrics.port" "metrics.host" "metrics.host" "state.dir" "persistence" -}}
{{- range $path, $value := $owned -}}
{{- $words := splitList "." $path -}}
{{- if hasKey (default dict (get $.Values.config (first $words))) (last $words) -}}
{{- fail (printf "config.%s: the chart sets it. Use the value %s." $path $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
CPUs that an instance asks for, where the values name none. A record takes 4 us and 2.8 us for each KB on the machine
of docs/performance.md. Twice as much is for slower machines and for catching up.
*/}}
{{- define "neardup.cpu" -}}
{{- with .Values.cpu -}}
{{- if eq (int64 .recordsPerSecond) 0 -}}
2
{{- else -}}
{{- $microseconds := addf 4 (mulf 2.8 (divf (float64 .recordBytes) 1000)) -}}
{{- $halves := divf (mulf (float64 .recordsPerSecond) $microseconds 2 2) 1000000 | ceil | int64 | max 1 -}}
{{- printf "%dm" (mul $halves 500) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Threads of one instance: config.threads.fingerprint, or else the CPUs of the container. */}}
{{- define "neardup.threads" -}}
{{- $set := dig "threads" "fingerprint" 0 .Values.config -}}
{{- if ne (toString $set) "0" -}}
{{- $set | int64 -}}
{{- else -}}
{{- $cpu := dig "limits" "cpu" (dig "requests" "cpu" (include "neardup.cpu" .) .Values.resources) .Values.resources | toString -}}
{{- if hasSuffix "m" $cpu -}}
{{- divf (trimSuffix "m" $cpu | float64) 1000 | ceil | max 1 | int64 -}}
{{- else -}}
{{- float64 $cpu | ceil | max 1 | int64 -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "neardup.securityProperties" -}}
{{- $properties := dict -}}
{{- with .Values.kafka -}}
{{- if .sasl.enabled -}}
{{- if not .sasl.existingSecret }}{{ fail "kafka.sasl.existingSecret: expected the name of the secret with the password" }}{{ end -}}
{{- $_ := set $properties "security.protocol" (ternary "sasl_ssl" "sasl_plaintext" .tls.enabled) -}}
{{- $_ := set $properties "sasl.mechanism" .sasl.mechanism -}}
{{- $user := default (printf "${file:/etc/neardup/sasl/%s}" .sasl.usernameKey) .sasl.username -}}
{{- $password := printf "${file:/etc/neardup/sasl/%s}" .sasl.passwordKey -}}
{{- if eq .sasl.mechanism "OAUTHBEARER" -}}
{{- $_ := set $properties "sasl.oauthbearer.method" "oidc" -}}
{{- $_ := set $properties "sasl.oauthbearer.client.id" $user -}}
{{- $_ := set $properties "sasl.oauthbearer.client.secret" $password -}}
{{- $_ := set $properties "sasl.oauthbearer.token.endpoint.url" (.sasl.oauth.tokenEndpointUrl | required "kafka.sasl.oauth.tokenEndpointUrl: expected the URL where the client gets its token") -}}
{{- with .sasl.oauth.scope }}{{ $_ := set $properties "sasl.oauthbearer.scope" . }}{{ end -}}
{{- $extensions := list -}}
{{- range $name, $value := .sasl.oauth.extensions }}{{ $extensions = append $extensions (printf "%s=%s" $name $value) }}{{ end -}}
{{- if $extensions }}{{ $_ := set $properties "sasl.oauthbearer.extensions" (join "," $extensions) }}{{ end -}}
{{- else -}}
{{- $_ := set $properties "sasl.username" $user -}}
{{- $_ := set $properties "sasl.password" $password -}}
{{- end -}}
{{- else if .tls.enabled -}}
{{- $_ := set $properties "security.protocol" "ssl" -}}
{{- end -}}
{{- if .tls.enabled -}}
{{- if .tls.caSecret }}{{ $_ := set $properties "ssl.ca.location" (printf "/etc/neardup/ca/%s" .tls.caKey) }}{{ end -}}
{{- if .tls.clientSecret -}}
{{- $_ := set $properties "ssl.certificate.location" (printf "/etc/neardup/client/%s" .tls.certKey) -}}
{{- $_ := set $properties "ssl.key.location" (printf "/etc/neardup/client/%s" .tls.keyKey) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $properties -}}
{{- end -}}

{{/* The configuration of the service, as JSON. What config sets wins over what the chart sets. */}}
{{- define "neardup.config" -}}
{{- include "neardup.checkOwned" . -}}
{{- $brokers := .Values.kafka.bootstrapServers | required "kafka.bootstrapServers: expected the brokers as host:port, separated by commas, such as my-cluster-kafka-bootstrap:9092" -}}
{{- $own := dict
      "app" (include "neardup.fullname" .)
      "threads" (dict "fingerprint" (include "neardup.threads" . | int64))
      "kafka" (dict "brokers" $brokers "properties" (include "neardup.securityProperties" . | fromJson))
      "metrics" (dict "port" (int64 .Values.metrics.port))
      "state" (dict "dir" "/var/lib/neardup") -}}
{{- if .Values.strimzi.enabled }}{{ $_ := set $own "output" (dict "create_topics" false) }}{{ end -}}
{{- $config := mustMergeOverwrite $own (deepCopy .Values.config) -}}
{{- if not $config.kafka.properties }}{{ $_ := unset $config.kafka "properties" }}{{ end -}}
{{- if eq (toString $config.threads.fingerprint) "0" }}{{ $_ := set $config.threads "fingerprint" (include "neardup.threads" . | int64) }}{{ end -}}
{{- toJson $config -}}
{{- end -}}
