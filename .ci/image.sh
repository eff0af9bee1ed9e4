#!/usr/bin/env bash
# What the image has, tried without an engine: its files are put together as docker/Dockerfile does it, and a broker runs from
# them in namespaces of its own: with nothing to write to but its data, as a user that nobody knows. No AOT cache is made.
# Usage: .ci/image.sh PROGRAM-FOLDER. Needs Linux, root, Debian's dpkg, ip, mosquitto_pub and mosquitto_sub.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly PROGRAM=$1 READY_LIMIT_SECONDS=60 STOP_LIMIT_SECONDS=20
if [ "$(id -u)" -ne 0 ] || ! command -v dpkg-query >/dev/null || ! command -v ip >/dev/null || ! unshare --mount --net true 2>/dev/null; then
  echo "== the image's files were not tried: that needs root, namespaces, ip, and a Debian"
  exit 0
fi
scratch=$(mktemp -d)
readonly root=$scratch/root
pid=

die() {
  printf 'image: %s\n' "$*" >&2
  [ ! -s "$scratch/log" ] || tail -n 40 "$scratch/log" >&2
  exit 1
}

clean_up() {
  [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true
  rm -rf "$scratch"
}
trap clean_up EXIT

contained() { # NAME=value... command...: in place of this shell, in a read-only root and a network of its own
  exec unshare --mount --net bash -euc '
    root=$1 data=$2
    shift 2
    ip link set lo up
    mount --bind "$root" "$root"
    mount --bind "$data" "$root/var/lib/tributary/data"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -o remount,bind,ro "$root"
    exec chroot --userspec=12345:0 --groups= "$root" /usr/bin/env -i PATH=/opt/tributary/bin:/usr/bin:/bin TRIBUTARY_JAVA_HOME=/opt/java \
      LANG=C.UTF-8 "$@"' _ "$root" "$scratch/data" "$@"
}

refused() { # words, then what `contained` takes
  local words=$1 status=0
  shift
  (contained "$@") >"$scratch/log" 2>&1 </dev/null || status=$?
  [ "$status" -eq 1 ] || die "$* ended with $status, not with 1"
  grep -qF -- "$words" "$scratch/log" || die "$* does not say: $words"
}

inside() { nsenter --target "$pid" --net "$@"; }

docker/rootfs.sh "$root"
docker/assemble.sh "$PROGRAM" "$JAVA_HOME" "$root"
chmod 755 "$scratch"
mkdir "$scratch/data"
chown 0:0 "$scratch/data"
chmod 770 "$scratch/data"

readonly run='/opt/tributary/bin/tributary run'
refused 'the broker needs 512 MB' TRIBUTARY_MEMORY=511m $run
refused 'nothing says who may connect' TRIBUTARY_LISTENERS_TCP_PORT=1884 $run
refused 'nothing listens at port 9093' /opt/tributary/bin/tributary health

: >"$scratch/log"
contained TRIBUTARY_MEMORY=768m TRIBUTARY_EXPECTED_CLIENTS=1000 $run >"$scratch/log" 2>&1 </dev/null &
pid=$!
for ((i = 0; i < READY_LIMIT_SECONDS * 10; i++)); do
  if grep -qx ready "$scratch/log"; then break; fi
  kill -0 "$pid" 2>/dev/null || die "it ended while it started"
  sleep 0.1
done
grep -qx ready "$scratch/log" || die "it is not ready after $READY_LIMIT_SECONDS s"
grep -q 'everybody who reaches' "$scratch/log" || die "it does not say that it is open"
heap=$(TRIBUTARY_MEMORY=768m TRIBUTARY_EXPECTED_CLIENTS=1000 "$PROGRAM/bin/tributary" size | sed -n 's/.*-Xmx\([0-9]*\)m/\1/p')
grep -q "heap ${heap}MB" "$scratch/log" || die "the heap is not that of tributary size: $heap MB"
nsenter --target "$pid" --mount --net --root --wd /opt/tributary/bin/tributary health >"$scratch/health" || die "health says it is not well"
grep -q '"UP"' "$scratch/health" || die "health says: $(cat "$scratch/health")"
grep -q "/opt/tributary/lib/native/librocksdbjni" "/proc/$pid/maps" || die "RocksDB's library is not the unpacked one"
grep -q "/opt/tributary/lib/native/libnetty_transport_native_epoll" "/proc/$pid/maps" || die "nor is that of Netty"
inside mosquitto_sub -i reader -c -q 1 -t 'image/#' -E >/dev/null || die "the session was not made"
inside mosquitto_pub -q 1 -t image/door -m open || die "publishing failed"
got=$(inside mosquitto_sub -i reader -c -q 1 -t 'image/#' -C 1 -W 10) || true
[ "$got" = open ] || die "got '$got' in place of the message"
kill "$pid"
status=0
timeout "$STOP_LIMIT_SECONDS" tail --pid="$pid" -f /dev/null || die "it did not stop"
wait "$pid" || status=$?
pid=
[ "$status" -eq 0 ] || die "it stopped with $status"
echo "== the image's files: $(du -sm "$root" | cut -f1) MB, a broker runs from them with nothing to write to but its data"
