{{/*
The most memory that an instance takes, as `neardup config show` prints it. src/service/config/memory_table.cc and
Index::BytesMax are the source of the formula; a test compares the result with what the program prints.
*/}}

{{/* A number of bytes as the service reads it: 8388608, "8MiB", "10MB". */}}
{{- define "neardup.bytes" -}}
{{- $text := toString .value -}}
{{- if not (kindIs "string" .value) }}{{ $text = .value | int64 | toString }}{{ end -}}
{{- if not (regexMatch "^[0-9]+([KMG]i?B|B)?$" $text) -}}
{{- fail (printf "config.%s is %s, and the chart cannot compute the memory from it: write a number of bytes, or set resources.requests.memory and resources.limits.memory" .path $text) -}}
{{- end -}}
{{- $number := regexFind "^[0-9]+" $text | int64 -}}
{{- $unit := regexReplaceAll "^[0-9]+" $text "" -}}
{{- $factor := get (dict "" 1 "B" 1 "KB" 1000 "KiB" 1024 "MB" 1000000 "MiB" 1048576 "GB" 1000000000 "GiB" 1073741824) $unit -}}
{{- mul $number $factor -}}
{{- end -}}

{{/* A whole number that may be written as a text. */}}
{{- define "neardup.count" -}}
{{- $text := toString .value -}}
{{- if not (kindIs "string" .value) }}{{ $text = .value | int64 | toString }}{{ end -}}
{{- if not (regexMatch "^[0-9]+$" $text) -}}
{{- fail (printf "config.%s is %s, and the chart cannot compute the memory from it: write a number, or set resources.requests.memory and resources.limits.memory" .path $text) -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* The smallest power of two that is not less. */}}
{{- define "neardup.powerOfTwo" -}}
{{- $power := 1 -}}
{{- range until 62 }}{{ if lt (int64 $power) (int64 $) }}{{ $power = mul $power 2 }}{{ end }}{{ end -}}
{{- $power -}}
{{- end -}}

{{- define "neardup.indexBytes" -}}
{{- $entries := int64 .entries -}}
{{- $live := add $entries .uncommitted -}}
{{- $tables := 4 -}}
{{- $buckets := 65536 -}}
{{- $chunk := 2621440 -}}
{{- if .exactOnly -}}
{{- $tables = 1 -}}
{{- $chunk = 2097152 -}}
{{- else if and (not .neighbours) (le $entries (int64 10000)) -}}
{{- $buckets = 256 -}}
{{- else if and (not .neighbours) (ge $entries (int64 30000000)) -}}
{{- $tables = 6 -}}
{{- range until 5 }}{{ if le (mul $buckets 32) $entries }}{{ $buckets = mul $buckets 2 }}{{ end }}{{ end -}}
{{- end -}}
{{- $chunks := add (div $live 65536) 2 -}}
{{- $places := include "neardup.powerOfTwo" $chunks | int64 | max 4 -}}
{{- $store := add (mul (add $chunks 1) $chunk) (mul (add $places (div $places 2)) 16) -}}
{{- $postings := add $live (max (mul 2 $tables $buckets) (div $live 8)) -}}
{{- $grown := add $postings (div $postings 24) -}}
{{- $blocks := mul $tables (add (mul $buckets 192) (mul (add $grown (div $grown 24)) 6)) -}}
{{- $gaps := add (div $blocks 8) 6291456 -}}
{{- $keys := 0 -}}
{{- if and .textKeys (not .exactOnly) -}}
{{- $lines := max 65536 (div (mul $entries 300) 930) -}}
{{- $keys = mul (div (add $lines 63) 64) 64 64 -}}
{{- end -}}
{{- $uncommitted := mul (include "neardup.powerOfTwo" .uncommitted | int64) 72 -}}
{{- add 68048 $store $blocks $gaps $keys $uncommitted -}}
{{- end -}}

{{/* Bytes that an instance takes at most. */}}
{{- define "neardup.memoryBytes" -}}
{{- $config := include "neardup.config" . | fromJson -}}
{{- $record := include "neardup.bytes" (dict "path" "record.record_bytes_max" "value" (dig "record" "record_bytes_max" "4MiB" $config)) | int64 -}}
{{- $transaction := include "neardup.bytes" (dict "path" "transaction.bytes_max" "value" (dig "transaction" "bytes_max" "32MiB" $config)) | int64 -}}
{{- $inflightBytes := include "neardup.bytes" (dict "path" "kafka.inflight_bytes_max" "value" (dig "kafka" "inflight_bytes_max" "256MiB" $config)) | int64 -}}
{{- $prefetch := include "neardup.bytes" (dict "path" "kafka.prefetch_bytes_max" "value" (dig "kafka" "prefetch_bytes_max" "256MiB" $config)) | int64 -}}
{{- $batch := include "neardup.count" (dict "path" "transaction.batch_records_max" "value" (dig "transaction" "batch_records_max" 2000 $config)) | int64 -}}
{{- $inflightRecords := include "neardup.count" (dict "path" "kafka.inflight_records_max" "value" (dig "kafka" "inflight_records_max" 100000 $config)) | int64 -}}
{{- $entries := include "neardup.count" (dict "path" "window.entries_max" "value" (dig "window" "entries_max" 1000000 $config)) | int64 -}}
{{- $threads := include "neardup.count" (dict "path" "threads.fingerprint" "value" $config.threads.fingerprint) | int64 -}}
{{- $registry := ternary 0 1 (empty (dig "registry" "url" "" $config)) -}}
{{- $decoders := max $registry (ternary 0 1 (has (dig "record" "format" "auto" $config) (list "auto" "json"))) -}}
{{- $partitions := int64 .Values.memory.inputPartitions -}}
{{- $bytes := add $transaction $record -}}
{{- $records := div (add $transaction 1023) 1024 -}}
{{- $index := include "neardup.indexBytes" (dict
      "entries" $entries
      "uncommitted" $records
      "exactOnly" (eq (toString (dig "match" "distance_max" 8 $config)) "0")
      "neighbours" (dig "match" "neighbours" false $config)
      "textKeys" (dig "match" "text_keys" true $config)) | int64 -}}
{{- $moving := add
      (max $prefetch (mul $partitions 2097152))
      (add (mul 5 $batch 2048) (mul 2 $bytes))
      (mul 56 $record)
      (add (min (mul 2 $bytes) $inflightBytes) (mul (min $records $inflightRecords) 512))
      (mul $records 512)
      33554432
      33554432
      (mul $registry 33554432)
      (mul $decoders 2 $threads $record)
      (mul $threads 56 262144) -}}
{{- add $index $moving (div $moving 4) 67108864 (mul $partitions 65536) -}}
{{- end -}}

{{/*
The size of a volume: three times 53 bytes for each entry (docs/snapshot.md), because two snapshots are kept while the
next one grows. At least 10Gi, so that few changes of the window need new volumes.
*/}}
{{- define "neardup.volumeSize" -}}
{{- if .Values.persistence.size -}}
{{- .Values.persistence.size -}}
{{- else if .Values.existingConfigMap -}}
10Gi
{{- else -}}
{{- $entries := dig "window" "entries_max" 1000000 .Values.config -}}
{{- if not (regexMatch "^[0-9]+$" (ternary (toString $entries) ($entries | int64 | toString) (kindIs "string" $entries))) -}}
{{- fail (printf "config.window.entries_max is %s, and the chart cannot compute the size of the volume from it: write a number, or set persistence.size" (toString $entries)) -}}
{{- end -}}
{{- $bytes := mul 3 53 (int64 $entries) -}}
{{- printf "%dGi" (max 10 (div (add $bytes 1073741823) 1073741824)) -}}
{{- end -}}
{{- end -}}

{{/* The resources of the container: as the values set them, with memory and CPU where they set none. */}}
{{- define "neardup.resources" -}}
{{- $resources := deepCopy .Values.resources -}}
{{- $requests := default dict $resources.requests -}}
{{- $limits := default dict $resources.limits -}}
{{- $wantsLimit := and .Values.memory.setLimit (not (hasKey $limits "memory")) -}}
{{- if and (not .Values.existingConfigMap) (or $wantsLimit (not (hasKey $requests "memory"))) -}}
{{- $mebibytes := div (add (include "neardup.memoryBytes" . | int64) 1048575) 1048576 -}}
{{- if not (hasKey $requests "memory") }}{{ $_ := set $requests "memory" (get $limits "memory" | default (printf "%dMi" $mebibytes)) }}{{ end -}}
{{- if $wantsLimit }}{{ $_ := set $limits "memory" (printf "%dMi" $mebibytes) }}{{ end -}}
{{- end -}}
{{- if not (or (hasKey $requests "cpu") (hasKey $limits "cpu")) }}{{ $_ := set $requests "cpu" (include "neardup.cpu" .) }}{{ end -}}
{{- if $requests }}{{ $_ := set $resources "requests" $requests }}{{ end -}}
{{- if $limits }}{{ $_ := set $resources "limits" $limits }}{{ end -}}
{{- toYaml $resources -}}
{{- end -}}
