#!/bin/sh
# Installs the packages that scripts/package built on a clean system, runs the service, and removes it again. Runs as root inside
# that system (scripts/debian --clean); install_test.py calls it.
#
#   install.sh RELEASE_NUMBER BROKERS RECORDS    BROKERS: a Kafka whose topic `articles` holds RECORDS records
set -eu

number=$1
brokers=$2
records=$3
config=/etc/neardup/neardup.yaml
unit=/usr/lib/systemd/system/neardup.service

step() { printf '%s\n' "$1"; }

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

is() {  # WHAT EXPECTED FOUND
  [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
}

# Runs a command with its output in /tmp/apt, and shows it only if the command fails.
quietly() {
  "$@" >/tmp/apt 2>&1 || {
    cat /tmp/apt
    exit 1
  }
}

# Runs the command of the unit as systemd would, without its sandbox.
start() {
  # shellcheck disable=SC2046  # the line is a list of words
  setpriv --reuid neardup --regid neardup --clear-groups --inh-caps=-all --no-new-privs \
    $(sed -n 's/^ExecStart=//p' "$unit") >/tmp/log 2>&1 &
  service=$!
}

# Sets `code`. The service does not start in a subshell, because `wait` could not wait for it there.
await_end() {
  code=0
  wait "$service" || code=$?
}

export DEBIAN_FRONTEND=noninteractive
deb=$(ls build/release/neardup_*deb"$number"_*.deb)
tarball=$(ls build/release/neardup-*-debian"$number"-*.tar.gz)
quietly apt-get update -q
dpkg --get-selections | sort >/tmp/packages
quietly apt-get install -q -y --no-install-recommends "./$deb"
step "installed: $(dpkg --get-selections | sort | comm -13 /tmp/packages - | wc -l) packages; $(grep '^After this' /tmp/apt)"

is 'owner and mode of /etc/neardup' 'root neardup 750' "$(stat -c '%U %G %a' /etc/neardup)"
is "owner and mode of $config" 'root neardup 640' "$(stat -c '%U %G %a' $config)"
is 'owner and mode of /var/lib/neardup' 'neardup neardup 750' "$(stat -c '%U %G %a' /var/lib/neardup)"
neardup version
grep -q "$(sha256sum /usr/bin/neardup | cut -d ' ' -f 1)" /usr/share/doc/neardup/neardup.spdx.json ||
  fail 'the bill of materials names another program than the one that is installed'
systemd-analyze verify --man=no "$unit" || fail 'systemd-analyze verify finds faults in the unit'
systemd-analyze security --offline=true --threshold=20 --no-pager "$unit" >/tmp/security ||
  { cat /tmp/security && fail 'systemd-analyze security: the unit is more exposed than 2.0'; }
step "$(tail -n 1 /tmp/security)"

start
await_end
[ "$code" = 78 ] || fail "exit code without input topics: expected 78, found $code: $(cat /tmp/log)"
grep -q 'input.topics' /tmp/log || fail "the first start does not say what is missing: $(cat /tmp/log)"
step "refused to start: $(grep -m 1 'input.topics' /tmp/log)"

cat >$config <<TEXT
kafka:
  brokers: $brokers
input:
  topics: [articles]
record:
  fields: [title, text]
state:
  snapshot_interval_ms: 1s
TEXT
neardup validate --config $config >/dev/null
start
tries=0
until neardup verify --config $config >/tmp/verified 2>&1 && grep -q "^input records $records:" /tmp/verified &&
  neardup healthcheck >/dev/null && neardup snapshot verify --state-dir /var/lib/neardup >/dev/null; do
  tries=$((tries + 1))
  [ "$tries" -lt 120 ] || fail "the topic was not routed: $(tail -n 20 /tmp/log /tmp/verified)"
  kill -0 "$service" || fail "the service ended: $(tail -n 20 /tmp/log)"
  sleep 0.5
done
step "$(neardup healthcheck), $(grep '^input records' /tmp/verified), $(tail -n 1 /tmp/verified)"
kill -TERM "$service"
await_end
is 'exit code after SIGTERM' 0 "$code"
step 'stopped'

cp $config /tmp/config
quietly dpkg --install "$deb"
cmp $config /tmp/config || fail "installing again changed $config"
step 'installed again: the configuration is kept'

quietly apt-get remove -q -y neardup
[ ! -e /usr/bin/neardup ] || fail 'apt-get remove left /usr/bin/neardup'
[ -e $config ] || fail 'apt-get remove took the configuration'
[ -n "$(ls /var/lib/neardup)" ] || fail 'apt-get remove took the state'
quietly apt-get purge -q -y neardup
for left in /etc/neardup /var/lib/neardup "$unit" /usr/share/doc/neardup; do
  [ ! -e "$left" ] || fail "apt-get purge left $left: $(ls -la "$left")"
done
step 'purged'

# The libraries are still there.
mkdir /tmp/tarball
tar -C /tmp/tarball --strip-components=1 -xzf "$tarball"
/tmp/tarball/usr/bin/neardup demo --records 2000 2>/dev/null | grep -q 'planted copies' ||
  fail 'the program of the tarball does not run the demo'
[ -e /tmp/tarball/etc/neardup/neardup.yaml ] || fail 'the tarball holds no configuration'
step 'the program of the tarball runs'
