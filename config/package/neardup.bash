# Completion of neardup for bash, printed by `neardup completion bash`.
_neardup() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=neardup words= values= files= word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
      'neardup run'|'neardup filter'|'neardup learn'|'neardup tune'|'neardup evaluate'|'neardup explain'|'neardup test'|'neardup generate'|'neardup demo'|'neardup report'|'neardup verify'|'neardup replay'|'neardup reset'|'neardup reindex'|'neardup import'|'neardup lanes'|'neardup lanes migrate'|'neardup snapshot'|'neardup snapshot inspect'|'neardup snapshot verify'|'neardup snapshot index'|'neardup snapshot find'|'neardup validate'|'neardup config'|'neardup config show'|'neardup config schema'|'neardup config example'|'neardup config reference'|'neardup healthcheck'|'neardup version'|'neardup completion'|'neardup manual'|'neardup help') command="$command $word" ;;
    esac
  done
  case $command in
    'neardup')
      words='run filter learn tune evaluate explain test generate demo report verify replay reset reindex import lanes snapshot validate config healthcheck version completion manual help --help --version'
      values=''
      files='' ;;
    'neardup run')
      words='--help --config --set --fields --keys --brokers --input --app --state-dir --metrics-port'
      values='--set --fields --keys --brokers --input --app --state-dir --metrics-port'
      files='-c --config' ;;
    'neardup filter')
      words='--help --config --set --fields --keys --input --unique --duplicate --dead-letter --verdicts --pairs --groups --keep --lanes --lanes-field --line-mode --id-field --json'
      values='--set --fields --keys --keep --lanes --lanes-field --id-field'
      files='-c --config -i --input --unique --duplicate --dead-letter --verdicts --pairs --groups' ;;
    'neardup learn')
      words='--help --config --set --fields --keys --sample --records --hash-seed --force --output'
      values='--set --fields --keys --records --hash-seed'
      files='-c --config --sample -o --output' ;;
    'neardup tune')
      words='--help --config --set --fields --keys --brokers --sample --topic --latest --window --records --hash-seed --force --report --labels --json --output --compare'
      values='--set --fields --keys --brokers --topic --window --records --hash-seed'
      files='-c --config --sample --report --labels -o --output --compare' ;;
    'neardup evaluate')
      words='--help --config --set --fields --keys --data --records --labels --id-field --scheme --json --html'
      values='--set --fields --keys --id-field --scheme'
      files='-c --config --data --records --labels --html' ;;
    'neardup explain')
      words='RECORD --help --config --set --fields --keys --brokers --json --html'
      values='--set --fields --keys --brokers'
      files='-c --config --html' ;;
    'neardup test')
      words='--help --config --set --fields --keys --json'
      values='--set --fields --keys'
      files='-c --config' ;;
    'neardup generate')
      words='--help --input --fields --output --labels --id-field --copies --kinds --strength --seed'
      values='--fields --id-field --copies --kinds --strength --seed'
      files='-i --input -o --output --labels' ;;
    'neardup demo')
      words='--help --records --distance-max --seed'
      values='--records --distance-max --seed'
      files='' ;;
    'neardup report')
      words='--help --config --set --fields --keys --brokers --input --app --since --examples --quiet --json'
      values='--set --fields --keys --brokers --input --app --since --examples'
      files='-c --config' ;;
    'neardup verify')
      words='--help --config --set --fields --keys --brokers --input --app --from --to --since --memory-max --quiet --json'
      values='--set --fields --keys --brokers --input --app --from --to --since --memory-max'
      files='-c --config' ;;
    'neardup replay')
      words='--help --config --set --fields --keys --brokers --input --app --dead-letter --reason --execute'
      values='--set --fields --keys --brokers --input --app --dead-letter --reason'
      files='-c --config' ;;
    'neardup reset')
      words='--help --config --set --fields --keys --brokers --app --state-dir --metrics-port --input --to --all --execute'
      values='--set --fields --keys --brokers --app --state-dir --metrics-port --input --to'
      files='-c --config' ;;
    'neardup reindex')
      words='--help --config --set --fields --keys --brokers --input --app --execute'
      values='--set --fields --keys --brokers --input --app'
      files='-c --config' ;;
    'neardup import')
      words='--help --config --set --fields --keys --brokers --input --app --from --start --accept-gap --execute'
      values='--set --fields --keys --brokers --input --app --start'
      files='-c --config --from' ;;
    'neardup lanes')
      words='migrate --help'
      values=''
      files='' ;;
    'neardup lanes migrate')
      words='--help --config --set --fields --keys --brokers --input --app --to --execute'
      values='--set --fields --keys --brokers --input --app --to'
      files='-c --config' ;;
    'neardup snapshot')
      words='inspect verify index find --help'
      values=''
      files='' ;;
    'neardup snapshot inspect')
      words='--help --state-dir --json'
      values=''
      files='--state-dir' ;;
    'neardup snapshot verify')
      words='--help --state-dir --json'
      values=''
      files='--state-dir' ;;
    'neardup snapshot index')
      words='--help --config --set --fields --keys --state-dir --json'
      values='--set --fields --keys --state-dir'
      files='-c --config' ;;
    'neardup snapshot find')
      words='--help --config --set --fields --keys --state-dir --json --record'
      values='--set --fields --keys --state-dir'
      files='-c --config --record' ;;
    'neardup validate')
      words='--help --config --set --fields --keys --brokers --input --app --online'
      values='--set --fields --keys --brokers --input --app'
      files='-c --config' ;;
    'neardup config')
      words='show schema example reference --help'
      values=''
      files='' ;;
    'neardup config show')
      words='--help --config --set --fields --keys --brokers --input --app --origin --json --in-force --partitions'
      values='--set --fields --keys --brokers --input --app --partitions'
      files='-c --config' ;;
    'neardup config schema')
      words='--help'
      values=''
      files='' ;;
    'neardup config example')
      words='--help'
      values=''
      files='' ;;
    'neardup config reference')
      words='--help'
      values=''
      files='' ;;
    'neardup healthcheck')
      words='--help --config --set --metrics-port --url'
      values='--set --metrics-port --url'
      files='-c --config' ;;
    'neardup version')
      words='--help'
      values=''
      files='' ;;
    'neardup completion')
      words='bash zsh fish --help'
      values=''
      files='' ;;
    'neardup manual')
      words='--help'
      values=''
      files='' ;;
    'neardup help')
      words='run filter learn tune evaluate explain test generate demo report verify replay reset reindex import lanes snapshot validate config healthcheck version completion manual help --help'
      values=''
      files='' ;;
  esac
  COMPREPLY=()
  if [[ " $files " == *" $previous "* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ " $values " != *" $previous "* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    if [[ $words == *RECORD* && $current != -* ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
  fi
}
complete -F _neardup neardup
