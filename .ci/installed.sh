#!/usr/bin/env bash
# An installed Tributary as a user has it: the .tar.gz, unpacked into a read-only folder with all in its name that means something in a
# list of URLs, started by another user from another folder. Usage: .ci/installed.sh ARCHIVE. Needs mosquitto_pub, mosquitto_sub; root
# to change the user.
set -euo pipefail

readonly ARCHIVE=$1
scratch=$(mktemp -d)
pid=
inside() { "$@"; }
# shellcheck source=trial.sh
. "$(dirname "$0")/trial.sh"

clean_up() {
  [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true
  chmod -R u+w "$scratch"
  rm -rf "$scratch"
}
trap clean_up EXIT

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

place="$scratch/"'read only, 50%25 #1; a?b[c]${d}'
# The files of the installation, and what the user may write to beside the folder he works in.
listing() { find "$place" -printf '%p %s %T@ %m\n' | sort; }

mkdir -p "$place" "$scratch/work" "$scratch/temporary"
tar -xzf "$ARCHIVE" -C "$place" --no-same-owner
ws_port=$(free_port)
printf 'tributary:\n  listeners:\n    ws:\n      port: %s\n' "$ws_port" >>"$(echo "$place"/tributary-*)/etc/tributary.yaml"
chmod 755 "$scratch"
chmod -R a-w "$place"
program=$(echo "$place"/tributary-*/bin/tributary)
[ -x "$program" ] || die "there is no bin/tributary in $ARCHIVE"
as=()
if [ "$(id -u)" -eq 0 ]; then
  chown nobody "$scratch/work" "$scratch/temporary"
  as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi
become() { # command...: in place of this shell
  cd "$scratch/work"
  HOME=/nonexistent TMPDIR=$scratch/temporary exec ${as[@]+"${as[@]}"} "$@"
}
as_user() { (become "$@"); }

before=$(listing)
as_user "$program" version | grep -q '^tributary [0-9].*Java' || die "version says nothing"
as_user "$program" help >"$scratch/log"
for command in run health size cluster security drain rebalance session upgrade reshard perf bench advisories; do
  grep -q "^  $command " "$scratch/log" || die "help does not know $command"
done
bash -eu -c '. "$1"; complete -p tributary >/dev/null; [ "$(type -t _complete_tributary)" = function ]' _ \
  "$(dirname "$program")/../completion/tributary.bash" || die "the completion cannot be sourced"
# Each library is in a bill of materials; by a made-up database, the entry about Netty is found.
lib=$(dirname "$program")/../lib
sed -n 's|.*"purl" : "pkg:maven/[^/]*/\([^@]*\)@\([^?"]*\).*|\1-\2|p' "$lib"/*.cdx.json | sort -u >"$scratch/bills"
for jar in "$lib"/*.jar; do
  jar=$(basename "$jar" .jar)
  awk -v jar="$jar" 'index(jar, $0) == 1 { found = 1 } END { exit !found }' "$scratch/bills" ||
    case $jar in tributary-*) ;; *) die "$jar is in no bill of materials" ;; esac
done
mkdir "$scratch/work/osv"
printf '{"id": "TEST-1", "affected": [{"package": {"ecosystem": "Maven", "name": "io.netty:netty-handler"},
  "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}]}]}]}' >"$scratch/work/osv/TEST-1.json"
status=0
as_user "$program" advisories osv >"$scratch/log" 2>&1 || status=$?
[ "$status" -eq 1 ] || die "advisories ended with $status"
grep -q '^TEST-1: io.netty:netty-handler ' "$scratch/log" || die "advisories did not find the entry about Netty"
printf 'tenants:\n  acme: {limits: {connections: 10}}\n' >"$scratch/work/seed.yaml"
as_user "$program" security check seed.yaml >"$scratch/log" 2>&1 || die "security check refuses a file that is right"
printf 'tenants:\n  acme: {limits: {conections: 10}}\n' >"$scratch/work/seed.yaml"
if as_user "$program" security check seed.yaml >"$scratch/log" 2>&1; then die "security check takes a file that is wrong"; fi
grep -q 'conections' "$scratch/log" || die "security check does not say what is wrong"
rm -r "$scratch/work/seed.yaml" "$scratch/work/osv"
status=0
as_user "$program" run --prot 1 2>"$scratch/log" || status=$?
[ "$status" -eq 2 ] || die "a wrong option ended with $status"
grep -q 'did you mean --port' "$scratch/log" || die "a wrong option is not told in words"

port=$(free_port)
# A file says the port of health: all commands find it there.
health_port=$(free_port)
printf 'server:\n  port: %s\n' "$health_port" >"$scratch/work/tributary.yaml"
: >"$scratch/log"
become env TRIBUTARY_JAVA_OPTS="-Djava.io.tmpdir=$scratch/temporary" "$program" run --port "$port" >"$scratch/log" 2>&1 </dev/null &
pid=$!
await_ready
grep -q "listening on .*:$ws_port (" "$scratch/log" || die "etc/tributary.yaml is not read"
[ "$(cat "/proc/$pid/comm")" = java ] || die "the process that was started is not the broker"

exchange "$port"

says() { # exit code, words, command...: what the command ends with, and says
  local code=$1 words=$2 status=0
  shift 2
  as_user "$program" "$@" >"$scratch/said" 2>&1 </dev/null || status=$?
  [ "$status" -eq "$code" ] && grep -qF -- "$words" "$scratch/said" || die "$* ended with $status and said: $(cat "$scratch/said")"
}
says 0 '"UP"' health
says 0 '"UP"' health --live
says 0 'nothing is held back' upgrade status
says 0 'nothing is held back' upgrade finish
says 1 'this node knows no persistent session of nobody' session end nobody
says 1 'nothing to rebalance: this broker runs alone' rebalance
says 0 'safe to stop' drain --wait
says 1 'the node is drained' health
says 0 'is not drained' drain --cancel
for _ in $(seq 120); do # the node begins anew, which takes a moment
  if as_user "$program" health >/dev/null 2>&1 </dev/null; then break; fi
  sleep 0.5
done
rm "$scratch/work/tributary.yaml"

# Where all is as in the Debian package, commands have the variables of its service.
package=$scratch/package/usr/share/tributary
mkdir -p "$package/lib/package" "$scratch/package/etc/default"
cp -r "$(dirname "$program")" "$package/bin"
ln -s "$lib"/* "$package/lib"
printf 'tributary:\n  data-dir: elsewhere\n' >"$package/lib/package/tributary.yaml"
cp -r "$(dirname "$program")/../etc" "$scratch/package/etc/tributary"
ln -s ../../../etc/tributary "$package/etc"
printf '# The port of health.\nSERVER_PORT="%s"\n' "$health_port" >"$scratch/package/etc/default/tributary"
program=$package/bin/tributary says 0 '"UP"' health
program=$package/bin/tributary says 2 'elsewhere' drain --status
chmod u+w "$scratch/package/etc/tributary/tributary.yaml"
echo 'tributary.data-dir: data' >>"$scratch/package/etc/tributary/tributary.yaml"
program=$package/bin/tributary says 0 'is not drained' drain --status

stop
[ "$(listing)" = "$before" ] || die "the installation was changed: $(diff <(echo "$before") <(listing) || true)"
[ "$(ls -A "$scratch/work")" = data ] || die "beside its data it wrote: $(ls -A "$scratch/work")"
# The JVM's own, for tools; RocksDB's library is gone after a stop in order.
rest=$(find "$scratch/temporary" -mindepth 1 -not -name 'tomcat*' -not -path '*/tomcat*/*' -not -name 'hsperfdata*')
[ -z "$rest" ] || die "it left temporary files: $rest"

# With a record of a start and of clients: a JVM that has to use it does not start with one that it cannot use.
chmod -R u+w "$place"
TMPDIR=$scratch/temporary "$program" train 2>"$scratch/log" || die "train has failed"
chmod -R a-w "$place"
: >"$scratch/log"
become env TRIBUTARY_JAVA_OPTS="-Djava.io.tmpdir=$scratch/temporary -XX:AOTMode=on" "$program" run --port "$port" --ws-port "$(free_port)" \
  --server.port="$(free_port)" >"$scratch/log" 2>&1 </dev/null &
pid=$!
await_ready
exchange "$port"
stop
echo "an installed Tributary starts, delivers and stops, and so it does with a record of \`train\`"
