# What installed.sh and image.sh do alike with a broker that they start; sourced. Both have a folder $scratch, whose file `log` is what
# the last program said, the broker's process $pid, and `inside`, which runs a command where the broker is reached.
readonly READY_LIMIT_SECONDS=60 STOP_LIMIT_SECONDS=20

die() {
  printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2
  [ ! -s "$scratch/log" ] || tail -n 40 "$scratch/log" >&2
  exit 1
}

await_ready() {
  local i
  for ((i = 0; i < READY_LIMIT_SECONDS * 10; i++)); do
    if grep -qx ready "$scratch/log"; then return; fi
    kill -0 "$pid" 2>/dev/null || die "it ended while it started"
    sleep 0.1
  done
  grep -qx ready "$scratch/log" || die "it is not ready after $READY_LIMIT_SECONDS s"
}

# A message that is published while its subscriber is away.
exchange() { # port
  local got
  inside mosquitto_sub -p "$1" -i reader -c -q 1 -t 'trial/#' -E >/dev/null || die "the session was not made"
  inside mosquitto_pub -p "$1" -q 1 -t trial/door -m open || die "publishing failed"
  got=$(inside mosquitto_sub -p "$1" -i reader -c -q 1 -t 'trial/#' -C 1 -W 10) || true
  [ "$got" = open ] || die "got '$got' in place of the message"
}

stop() {
  local status=0
  kill "$pid"
  timeout "$STOP_LIMIT_SECONDS" tail --pid="$pid" -f /dev/null || die "it did not stop"
  wait "$pid" || status=$?
  pid=
  [ "$status" -eq 0 ] || die "it stopped with $status"
}
