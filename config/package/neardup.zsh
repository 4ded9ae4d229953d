#compdef neardup
# Completion of neardup for zsh, printed by `neardup completion zsh`.
_neardup() {
  local command=neardup previous=${words[CURRENT-1]} word
  local -a choices options values files
  local takes_files= none=1
  for word in ${words[2,CURRENT-1]}; do
    case "$command $word" in
      'neardup run'|'neardup filter'|'neardup learn'|'neardup tune'|'neardup evaluate'|'neardup explain'|'neardup test'|'neardup generate'|'neardup demo'|'neardup report'|'neardup verify'|'neardup replay'|'neardup reset'|'neardup reindex'|'neardup import'|'neardup lanes'|'neardup lanes migrate'|'neardup snapshot'|'neardup snapshot inspect'|'neardup snapshot verify'|'neardup snapshot index'|'neardup snapshot find'|'neardup validate'|'neardup config'|'neardup config show'|'neardup config schema'|'neardup config example'|'neardup config reference'|'neardup healthcheck'|'neardup version'|'neardup completion'|'neardup manual'|'neardup help') command="$command $word" ;;
    esac
  done
  case $command in
    'neardup')
      choices=('run:run the service: route the records of Kafka topics until SIGTERM or SIGINT' 'filter:route the records of a file as `run` does, without Kafka' 'learn:learn a model from a sample of a stream, for the setting feature.model' 'tune:propose a configuration from a sample of a stream, with a report that explains it' 'evaluate:measure precision, recall and speed of schemes on labelled records' 'explain:say why a record repeats another one or does not, and what would change that' 'test:decide pairs of records, and compare the verdicts with the expected ones' 'generate:plant edited copies in your records, and write the labels for `evaluate`' 'demo:run the service on an embedded broker and a synthetic stream' 'report:count the verdicts in the output topics, and show pairs that were just near enough' 'verify:check the guarantees of a pipeline on its topics' 'replay:send dead letters back to their input topics, exactly once' 'reset:move the inputs of a stopped service to other offsets, or forget all it knows' 'reindex:rebuild the index of a stopped service, for other fields, features or another model, from its unique topics' 'import:give a service that has never run what neardup.spark found in its history' 'lanes:change the number of lanes' 'snapshot:inspect the snapshots of an instance' 'validate:check a configuration, by default without a broker' 'config:print configuration' 'healthcheck:ask a running instance whether it is ready' 'version:print the versions of neardup and of the Kafka library' 'completion:print a script that completes command lines in a shell' 'manual:print the manual page, for man' 'help:print the help of a command')
      options=('--help:Print this help message and exit'
               '--version:print the versions of neardup and of the Kafka library')
      values=()
      files=()
      takes_files= ;;
    'neardup run')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--input:short for --set input.topics=[LIST]'
               '--app:short for --set app=VALUE'
               '--state-dir:short for --set state.dir=VALUE'
               '--metrics-port:short for --set metrics.port=VALUE')
      values=(--set --fields --keys --brokers --input --app --state-dir --metrics-port)
      files=(-c --config)
      takes_files= ;;
    'neardup filter')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--input:read JSON Lines from this file, also .gz and .zst; - is standard input'
               '--unique:write unique lines here; - is standard output, .gz is compressed'
               '--duplicate:write duplicate lines here; - is standard output, .gz is compressed'
               '--dead-letter:write lines that cannot be compared here; - is standard output, .gz is compressed'
               '--verdicts:write id, verdict, original id, distance and kind here, separated by tabs; - is standard output, .gz is compressed'
               '--pairs:write each duplicate beside its original here, as a line of JSON; holds the unique records in memory; - is standard output, .gz is compressed'
               '--groups:write each group of duplicates here, original first, as a line of JSON with their ids; holds the ids in memory; - is standard output, .gz is compressed'
               '--keep:short for --set routing.keep=VALUE'
               '--lanes:say which share of the duplicates so many lanes would miss (lanes.count), 2 to 64'
               '--lanes-field:the field that is, or will be, the key of the records'
               '--line-mode:write one verdict at once for each line that is read, on standard output unless --verdicts names a file, and without a header line'
               '--id-field:field that identifies a record in verdicts, pairs and groups (default: the line number)'
               '--json:print the summary as one JSON object, on standard error')
      values=(--set --fields --keys --keep --lanes --lanes-field --id-field)
      files=(-c --config -i --input --unique --duplicate --dead-letter --verdicts --pairs --groups)
      takes_files= ;;
    'neardup learn')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--sample:read JSON Lines from this file, also .gz and .zst; - is standard input'
               '--records:read at most N records, 1 to 100000'
               '--hash-seed:seed of the fingerprints; another seed gives other, equally good ones, 0 or more'
               '--force:overwrite existing output files'
               '--output:write the model here')
      values=(--set --fields --keys --records --hash-seed)
      files=(-c --config --sample -o --output)
      takes_files= ;;
    'neardup tune')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--sample:read JSON Lines from this file, also .gz and .zst; - is standard input'
               '--topic:read the sample from this Kafka topic instead'
               '--latest:read the newest records of the topic, and not some of its whole length'
               '--window:unique records that the window will hold, 1000 to 1000000000 (default: 1000000, or fewer if chance matches in a larger window would hide the copies)'
               '--records:read at most N records, 1 to 100000'
               '--hash-seed:seed of the fingerprints; another seed gives other, equally good ones, 0 or more'
               '--force:overwrite existing output files'
               '--report:write the HTML report here (default: beside --output)'
               '--labels:pairs that you have marked, as for `neardup test`: fields, keys and distance are chosen so that most of them come out right'
               '--json:print the findings as one JSON object'
               '--output:write the configuration here'
               '--compare:write nothing; say whether this configuration still fits, by default the newest records of its input topics')
      values=(--set --fields --keys --brokers --topic --window --records --hash-seed)
      files=(-c --config --sample --report --labels -o --output --compare)
      takes_files= ;;
    'neardup evaluate')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--data:read a folder with records.jsonl.gz (or records.jsonl), labels.tsv and, optionally, set.json; repeatable'
               '--records:read records from this file, with or without --data: JSON Lines in stream order, also .gz'
               '--labels:labels of --records: tab-separated columns id, cluster and kind'
               '--id-field:field that identifies a record in the labels'
               '--scheme:schemes to measure: neardup (the filter), others with or without parameters (minhash, minhash:similarity_min=0.8), or all'
               '--json:print the report as one JSON object'
               '--html:also write the report as an HTML page with charts')
      values=(--set --fields --keys --id-field --scheme)
      files=(-c --config --data --records --labels --html)
      takes_files= ;;
    'neardup explain')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--json:print one JSON object'
               '--html:also write the explanation as an HTML page; - is standard output, in place of the text')
      values=(--set --fields --keys --brokers)
      files=(-c --config --html)
      takes_files=yes ;;
    'neardup test')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--json:print one JSON object')
      values=(--set --fields --keys)
      files=(-c --config)
      takes_files= ;;
    'neardup generate')
      choices=()
      options=('--help:Print this help message and exit'
               '--input:read JSON Lines from this file, also .gz and .zst; - is standard input'
               '--fields:fields that are compared, and so edited'
               '--output:write records and copies here; .gz is compressed'
               '--labels:write the labels here'
               '--id-field:field that identifies a record; added to records without it'
               '--copies:number of copies, or their share of the records: 500, 0.2 or 20%'
               '--kinds:kinds of copies: exact, reordered, inserted, deleted, replaced, field-change, sentence-drop, format (default: all except format)'
               '--strength:shares of the words that are inserted, deleted or replaced, 0.01 to 1'
               '--seed:seed of the copies; another seed makes other copies, 0 or more')
      values=(--fields --id-field --copies --kinds --strength --seed)
      files=(-i --input -o --output --labels)
      takes_files= ;;
    'neardup demo')
      choices=()
      options=('--help:Print this help message and exit'
               '--records:records of the stream, 100 to 40000'
               '--distance-max:largest distance between duplicates, in bits, 0 to 12'
               '--seed:seed of the stream; another seed makes another stream, 0 or more')
      values=(--records --distance-max --seed)
      files=()
      takes_files= ;;
    'neardup report')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--input:short for --set input.topics=[LIST]'
               '--app:short for --set app=VALUE'
               '--since:read only outputs from this time on: a time, or how long ago, such as 2h or 7d'
               '--examples:closest calls, and most copied records, to show'
               '--quiet:show no progress'
               '--json:print one JSON object, and show no progress')
      values=(--set --fields --keys --brokers --input --app --since --examples)
      files=(-c --config)
      takes_files= ;;
    'neardup verify')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--input:short for --set input.topics=[LIST]'
               '--app:short for --set app=VALUE'
               '--from:check only input records from this time on, or from this offset on; with offsets, only the partitions that are named; repeatable'
               '--to:check only input records before this time or offset; repeatable'
               '--since:short for --from: a time, or how long ago, such as 2h or 7d'
               '--memory-max:refuse to start if more memory than this may be needed (default: 4 GiB)'
               '--quiet:show no progress'
               '--json:print the outcome as one JSON object, and show no progress')
      values=(--set --fields --keys --brokers --input --app --from --to --since --memory-max)
      files=(-c --config)
      takes_files= ;;
    'neardup replay')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--input:short for --set input.topics=[LIST]'
               '--app:short for --set app=VALUE'
               '--dead-letter:read dead letters from this topic'
               '--reason:only those with this reason; the others stay for a later replay'
               '--execute:make the change; without this flag, only print what would change')
      values=(--set --fields --keys --brokers --input --app --dead-letter --reason)
      files=(-c --config)
      takes_files= ;;
    'neardup reset')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--app:short for --set app=VALUE'
               '--state-dir:short for --set state.dir=VALUE'
               '--metrics-port:short for --set metrics.port=VALUE'
               '--input:move this input partition; repeatable. With --all: the input topics, as for `run`'
               '--to:to this offset: earliest, latest or a number; once for each --input'
               '--all:delete the changelog, the lease topic, the group offsets and the snapshots, so that the next start is a first start'
               '--execute:make the change; without this flag, only print what would change')
      values=(--set --fields --keys --brokers --app --state-dir --metrics-port --input --to)
      files=(-c --config)
      takes_files= ;;
    'neardup reindex')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--input:short for --set input.topics=[LIST]'
               '--app:short for --set app=VALUE'
               '--execute:make the change; without this flag, only print what would change')
      values=(--set --fields --keys --brokers --input --app)
      files=(-c --config)
      takes_files= ;;
    'neardup import')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--input:short for --set input.topics=[LIST]'
               '--app:short for --set app=VALUE'
               '--from:the work_dir of neardup.spark.deduplicate'
               '--start:where partitions begin of which the history holds no record'
               '--accept-gap:go on although a topic no longer holds the records after the history'
               '--execute:make the change; without this flag, only print what would change')
      values=(--set --fields --keys --brokers --input --app --start)
      files=(-c --config --from)
      takes_files= ;;
    'neardup lanes')
      choices=('migrate:give the entries of all lanes, which must be stopped, to another number of lanes')
      options=('--help:Print this help message and exit')
      values=()
      files=()
      takes_files= ;;
    'neardup lanes migrate')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--input:short for --set input.topics=[LIST]'
               '--app:short for --set app=VALUE'
               '--to:how many lanes there will be, 1 to 64'
               '--execute:make the change; without this flag, only print what would change')
      values=(--set --fields --keys --brokers --input --app --to)
      files=(-c --config)
      takes_files= ;;
    'neardup snapshot')
      choices=('inspect:print manifests and segments' 'verify:print the same, and check every byte and every delta' 'index:restore the newest snapshot, and print how full its index is' 'find:list the remembered records that a record repeats, the best match first')
      options=('--help:Print this help message and exit')
      values=()
      files=()
      takes_files= ;;
    'neardup snapshot inspect')
      choices=()
      options=('--help:Print this help message and exit'
               '--state-dir:the state.dir of the instance'
               '--json:print one JSON object')
      values=()
      files=(--state-dir)
      takes_files= ;;
    'neardup snapshot verify')
      choices=()
      options=('--help:Print this help message and exit'
               '--state-dir:the state.dir of the instance'
               '--json:print one JSON object')
      values=()
      files=(--state-dir)
      takes_files= ;;
    'neardup snapshot index')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--state-dir:short for --set state.dir=VALUE'
               '--json:print one JSON object')
      values=(--set --fields --keys --state-dir)
      files=(-c --config)
      takes_files= ;;
    'neardup snapshot find')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--state-dir:short for --set state.dir=VALUE'
               '--json:print one JSON object'
               '--record:read the JSON payload of one record from this file')
      values=(--set --fields --keys --state-dir)
      files=(-c --config --record)
      takes_files= ;;
    'neardup validate')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--input:short for --set input.topics=[LIST]'
               '--app:short for --set app=VALUE'
               '--online:also check brokers, login, topics and rights; changes nothing there')
      values=(--set --fields --keys --brokers --input --app)
      files=(-c --config)
      takes_files= ;;
    'neardup config')
      choices=('show:print every setting in force, and what takes memory' 'schema:print the JSON Schema of the configuration file' 'example:print a complete file with comments and the defaults' 'reference:print all settings as Markdown tables')
      options=('--help:Print this help message and exit')
      values=()
      files=()
      takes_files= ;;
    'neardup config show')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--fields:short for --set record.fields=[LIST]'
               '--keys:add key fields to --fields: duplicates must be equal in all of them'
               '--brokers:short for --set kafka.brokers=VALUE'
               '--input:short for --set input.topics=[LIST]'
               '--app:short for --set app=VALUE'
               '--origin:show where each value comes from'
               '--json:print one JSON object'
               '--in-force:also ask the brokers for what the lane learned (match.mode: auto)'
               '--partitions:input partitions that the memory is computed for, 1 to 1000000')
      values=(--set --fields --keys --brokers --input --app --partitions)
      files=(-c --config)
      takes_files= ;;
    'neardup config schema')
      choices=()
      options=('--help:Print this help message and exit')
      values=()
      files=()
      takes_files= ;;
    'neardup config example')
      choices=()
      options=('--help:Print this help message and exit')
      values=()
      files=()
      takes_files= ;;
    'neardup config reference')
      choices=()
      options=('--help:Print this help message and exit')
      values=()
      files=()
      takes_files= ;;
    'neardup healthcheck')
      choices=()
      options=('--help:Print this help message and exit'
               '--config:read settings from this YAML file; `neardup config example` prints one'
               '--set:override one setting, such as --set window.window_ms=1h; repeatable'
               '--metrics-port:short for --set metrics.port=VALUE'
               '--url:ask this address (default: metrics.host and metrics.port of the configuration, http://127.0.0.1:9404/readyz without one)')
      values=(--set --metrics-port --url)
      files=(-c --config)
      takes_files= ;;
    'neardup version')
      choices=()
      options=('--help:Print this help message and exit')
      values=()
      files=()
      takes_files= ;;
    'neardup completion')
      choices=('bash' 'zsh' 'fish')
      options=('--help:Print this help message and exit')
      values=()
      files=()
      takes_files= ;;
    'neardup manual')
      choices=()
      options=('--help:Print this help message and exit')
      values=()
      files=()
      takes_files= ;;
    'neardup help')
      choices=('run:run the service: route the records of Kafka topics until SIGTERM or SIGINT' 'filter:route the records of a file as `run` does, without Kafka' 'learn:learn a model from a sample of a stream, for the setting feature.model' 'tune:propose a configuration from a sample of a stream, with a report that explains it' 'evaluate:measure precision, recall and speed of schemes on labelled records' 'explain:say why a record repeats another one or does not, and what would change that' 'test:decide pairs of records, and compare the verdicts with the expected ones' 'generate:plant edited copies in your records, and write the labels for `evaluate`' 'demo:run the service on an embedded broker and a synthetic stream' 'report:count the verdicts in the output topics, and show pairs that were just near enough' 'verify:check the guarantees of a pipeline on its topics' 'replay:send dead letters back to their input topics, exactly once' 'reset:move the inputs of a stopped service to other offsets, or forget all it knows' 'reindex:rebuild the index of a stopped service, for other fields, features or another model, from its unique topics' 'import:give a service that has never run what neardup.spark found in its history' 'lanes:change the number of lanes' 'snapshot:inspect the snapshots of an instance' 'validate:check a configuration, by default without a broker' 'config:print configuration' 'healthcheck:ask a running instance whether it is ready' 'version:print the versions of neardup and of the Kafka library' 'completion:print a script that completes command lines in a shell' 'manual:print the manual page, for man' 'help:print the help of a command')
      options=('--help:Print this help message and exit')
      values=()
      files=()
      takes_files= ;;
  esac
  if (( ${files[(Ie)$previous]} )); then
    _files && none=0
  elif (( ! ${values[(Ie)$previous]} )); then
    (( $#choices )) && _describe -t commands word choices && none=0
    _describe -o option options && none=0
    [[ -n $takes_files ]] && _files && none=0
  fi
  return $none
}
if [[ ${funcstack[1]} == _neardup ]]; then _neardup; else compdef _neardup neardup; fi
