#!/usr/bin/env bash
# What the image has, tried without an engine: its files are put together as docker/Dockerfile does it, and a broker runs from
# them in namespaces of its own: with nothing to write to but its data, as a user that nobody knows. No AOT cache is made.
# Usage: .ci/image.sh PROGRAM-FOLDER. Needs Linux, root, Debian's dpkg, ip, mosquitto_pub, mosquitto_sub and mosquitto_passwd.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly PROGRAM=$1
if [ "$(id -u)" -ne 0 ] || ! command -v dpkg-query >/dev/null || ! command -v ip >/dev/null || ! unshare --mount --net true 2>/dev/null; then
  echo "== the image's files were not tried: that needs root, namespaces, ip, and a Debian"
  exit 0
fi
scratch=$(mktemp -d)
readonly root=$scratch/root
pid=
# shellcheck source=trial.sh
. .ci/trial.sh

clean_up() {
  [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true
  rm -rf "$scratch"
}
trap clean_up EXIT

contained() { # NAME=value... command...: in place of this shell, in a read-only root and a network of its own
  # shellcheck disable=SC2016
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

# shellcheck source=../dist/src/main/dist/lib/launcher.sh
JAVA_HOME=$(JAVA_PROGRAM=javac && . dist/src/main/dist/lib/launcher.sh && find_jdk && printf '%s' "$JAVA_HOME") || die "there is no JDK 25"
docker/rootfs.sh "$root"
docker/assemble.sh "$PROGRAM" "$JAVA_HOME" "$root"
chmod 755 "$scratch"
mkdir "$scratch/data"
chown 0:0 "$scratch/data"
chmod 770 "$scratch/data"

readonly run=(/opt/tributary/bin/tributary run)
refused 'the broker needs 512 MB' TRIBUTARY_MEMORY=511m "${run[@]}"
refused 'nothing says who may connect' TRIBUTARY_LISTENERS_TCP_PORT=1884 "${run[@]}"
refused 'nothing says who may connect' tributary.listeners.tcp.port=1884 "${run[@]}" # no variable of a shell
refused 'nothing listens at port 9093' /opt/tributary/bin/tributary health

: >"$scratch/log"
contained TRIBUTARY_MEMORY=768m TRIBUTARY_EXPECTED_CLIENTS=1000 "${run[@]}" >"$scratch/log" 2>&1 </dev/null &
pid=$!
await_ready
grep -q 'everybody who reaches' "$scratch/log" || die "it does not say that it is open"
heap=$(TRIBUTARY_MEMORY=768m TRIBUTARY_EXPECTED_CLIENTS=1000 "$PROGRAM/bin/tributary" size | sed -n 's/.*-Xmx\([0-9]*\)m/\1/p')
tr '\0' '\n' <"/proc/$pid/cmdline" | grep -qx -- "-Xmx${heap}m" || die "the heap is not that of tributary size: $heap MB"
nsenter --target "$pid" --mount --net --root --wd=/ /opt/tributary/bin/tributary health >"$scratch/health" || die "health says it is not well"
grep -q '"UP"' "$scratch/health" || die "health says: $(cat "$scratch/health")"
grep -q "/opt/tributary/lib/native/librocksdbjni" "/proc/$pid/maps" || die "RocksDB's library is not the unpacked one"
grep -q "/opt/tributary/lib/native/libnetty_transport_native_epoll" "/proc/$pid/maps" || die "nor is that of Netty"
exchange 1883
# The load tool, which finds its jars with those of the broker, and Netty's library where this one does.
cp -R "$root"/opt/perf/. "$root/opt/tributary/"
(nsenter --target "$pid" --mount --net --root --wd=/ env -C /tmp TRIBUTARY_PERF_OPTS=-Djava.io.tmpdir=/var/lib/tributary/data \
  /opt/tributary/bin/tributary perf run p2p --target 127.0.0.1:1883 --node broker=http://127.0.0.1:9093 --set pairs=5 --set warmup=1s \
  --set duration=2s --accept-bottleneck --out -) >"$scratch/perf" 2>&1 || die "the load tool: $(head -n 5 "$scratch/perf")"
grep -q '^{"tool".*"lost":0' "$scratch/perf" || die "the load tool gives no result: $(cut -c 1-200 "$scratch/perf")"
stop

# Each kind of hash, as the image's jar of them is not whole.
cat >"$scratch/data/users" <<'EOT'
a:$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$DIVxXbzyTufGziJVmx3+B2oksVdu2DH9/tcgGgqN7hI
b:$2b$04$EGdrhbKUv8Oc9vGiXX0HQOC7x/FiY5BvBGcvs8tODvacse791.dge
EOT
printf 'c:tributary\n' >"$scratch/mosquitto"
mosquitto_passwd -U "$scratch/mosquitto"
cat "$scratch/mosquitto" >>"$scratch/data/users"
chown 12345:0 "$scratch/data/users"
chmod 600 "$scratch/data/users"
: >"$scratch/log"
contained TRIBUTARY_MEMORY=768m TRIBUTARY_LISTENERS_TCP_AUTHENTICATION=users TRIBUTARY_LISTENERS_WS_AUTHENTICATION=users TRIBUTARY_SECURITY_AUTHENTICATORS_USERS_KIND=file \
  TRIBUTARY_SECURITY_AUTHENTICATORS_USERS_FILE=/var/lib/tributary/data/users "${run[@]}" >"$scratch/log" 2>&1 </dev/null &
pid=$!
await_ready
for user in a b c; do
  inside mosquitto_pub -u "$user" -P tributary -q 1 -t trial/door -m open || die "$user is not let in"
  ! inside mosquitto_pub -u "$user" -P other -q 1 -t trial/door -m open 2>/dev/null || die "$user is let in with another password"
done
stop
echo "== the image's files: $(du -sm "$root" | cut -f1) MB, a broker runs from them with nothing to write to but its data, and the load tool beside it"
