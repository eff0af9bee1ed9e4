# For the launcher: how the memory of a container, or of a part of a machine, is shared out, and how many files may be open.
# `tributary size` prints it, the image starts the broker by it; docs/docker.md says it in words. Keeps to bash 3.2.

readonly LEAST_MEMORY=512 # MB
# RocksDB's cache and write buffers (tributary.storage.cache-size, .write-buffer-size); a node of a cluster has none.
readonly STORE_MEMORY=128
# Code, classes, threads, the collector's own; and for each client TLS, which is neither heap nor direct memory.
readonly JVM_MEMORY=160 JVM_PART=20 TLS_KB=40
# What a connected client takes of the heap; and what the broker takes without any.
readonly CLIENT_KB=16 BROKER_MEMORY=96
# What is resident without clients, standalone and in a cluster; and for each that is connected over TLS and idle. Measured.
readonly RESIDENT_STANDALONE=240 RESIDENT_CLUSTER=290 RESIDENT_KB=17
readonly STORE_FILES=2000

# Sets MEGABYTES: of 2147483648, 2048m, 2g, 2Gi, 2GB.
megabytes() { # text
  local number=${1%%[!0-9]*} unit
  unit=${1#"$number"}
  MEGABYTES=
  [ -n "$number" ] || return 0
  case $unit in
    '' | b | B) MEGABYTES=$((10#$number >> 20)) ;;
    k | K | kb | KB | Ki | KiB) MEGABYTES=$((10#$number >> 10)) ;;
    m | M | mb | MB | Mi | MiB) MEGABYTES=$((10#$number)) ;;
    g | G | gb | GB | Gi | GiB) MEGABYTES=$((10#$number << 10)) ;;
  esac
}

# The rule. Sets HEAP, DIRECT, STORE, OTHER (MB), FILES, and ENOUGH: the memory with which so many clients fill
# three quarters of the heap; and IDLE: how much is resident while they do nothing.
share_out() { # memory-in-MB clients standalone|cluster
  local rest
  STORE=$STORE_MEMORY
  IDLE=$RESIDENT_STANDALONE
  if [ "$3" = cluster ]; then
    STORE=0
    IDLE=$RESIDENT_CLUSTER
  fi
  OTHER=$((JVM_MEMORY + $1 / JVM_PART + $2 * TLS_KB / 1024))
  rest=$(($1 - STORE - OTHER))
  DIRECT=$((rest / 4))
  HEAP=$((rest - DIRECT))
  FILES=$(($2 + $2 / 2 + STORE_FILES))
  IDLE=$((IDLE + $2 * RESIDENT_KB / 1024))
  ENOUGH=$((((BROKER_MEMORY + $2 * CLIENT_KB / 1024) * 16 / 9 + STORE + JVM_MEMORY + $2 * TLS_KB / 1024) * JVM_PART / (JVM_PART - 1) + 1))
  if [ "$ENOUGH" -lt "$LEAST_MEMORY" ]; then ENOUGH=$LEAST_MEMORY; fi
}

# Sets LIMIT: the memory (MB) that this container or unit of systemd may use; nothing where it has no limit.
memory_limit() {
  local file value line path files
  LIMIT=
  files=(/sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes)
  if [ -r /proc/self/cgroup ]; then # where it sees the groups of the whole machine
    while IFS= read -r line; do
      path=${line#*:*:}
      case $line in
        0::/?*) files+=("/sys/fs/cgroup$path/memory.max") ;;
        *:memory:/?*) files+=("/sys/fs/cgroup/memory$path/memory.limit_in_bytes") ;;
      esac
    done </proc/self/cgroup
  fi
  for file in "${files[@]}"; do
    [ -r "$file" ] && IFS= read -r value <"$file" || continue
    case $value in '' | *[!0-9]*) continue ;; esac # "max"
    [ ${#value} -lt 16 ] || continue               # no limit, in version 1 of control groups
    value=$((value >> 20))
    if [ -z "$LIMIT" ] || [ "$value" -lt "$LIMIT" ]; then LIMIT=$value; fi
  done
}

# Sets MACHINE: the memory of the machine (MB); nothing where it is not Linux.
machine_memory() {
  local name value rest
  MACHINE=
  [ -r /proc/meminfo ] || return 0
  while read -r name value rest; do
    if [ "$name" = MemTotal: ]; then MACHINE=$((value >> 10)); fi
  done </proc/meminfo
}

# Sets MEMORY: what the broker may have in all. Without a limit, a quarter of the machine, for others live there, too.
memory_of_broker() {
  if [ -n "${TRIBUTARY_MEMORY:-}" ]; then
    megabytes "$TRIBUTARY_MEMORY"
    [ -n "$MEGABYTES" ] || fail 1 "TRIBUTARY_MEMORY=$TRIBUTARY_MEMORY is not a size such as 2g or 512m"
    MEMORY=$MEGABYTES
    return
  fi
  memory_limit
  MEMORY=$LIMIT
  [ -n "$MEMORY" ] || {
    machine_memory
    MEMORY=$((${MACHINE:-4096} / 4))
    if [ "$MEMORY" -lt "$LEAST_MEMORY" ]; then MEMORY=$LEAST_MEMORY; fi
  }
}

# Sets CLIENTS: how many are expected; 0 where nobody has said it.
expected_clients() {
  CLIENTS=${TRIBUTARY_EXPECTED_CLIENTS:-0}
  case $CLIENTS in
    *[!0-9]*) fail 1 "TRIBUTARY_EXPECTED_CLIENTS=$CLIENTS is not a number" ;;
  esac
  [ "${#CLIENTS}" -le 7 ] || fail 1 "TRIBUTARY_EXPECTED_CLIENTS=$CLIENTS: a node has 9999999 clients at most"
  CLIENTS=$((10#$CLIENTS))
}

# Sets OPTIONS of the JVM, by the rule; says what is too little.
check_and_share_out() { # standalone|cluster
  memory_of_broker
  expected_clients
  [ "$MEMORY" -ge "$LEAST_MEMORY" ] ||
    fail 1 "there are $MEMORY MB of memory, and the broker needs $LEAST_MEMORY MB: docker run --memory=1g," \
      "  deploy.resources.limits.memory in a compose file, resources.limits.memory in Kubernetes"
  share_out "$MEMORY" "$CLIENTS" "$1"
  [ "$HEAP" -ge 64 ] ||
    fail 1 "there are $MEMORY MB of memory, and $CLIENTS clients (TRIBUTARY_EXPECTED_CLIENTS) need $ENOUGH MB"
  [ "$CLIENTS" -eq 0 ] || [ "$MEMORY" -ge "$ENOUGH" ] ||
    note "tributary: $MEMORY MB of memory are little for $CLIENTS clients (TRIBUTARY_EXPECTED_CLIENTS); $ENOUGH MB would be enough"
  OPTIONS+=("-Xmx${HEAP}m" "-XX:MaxDirectMemorySize=${DIRECT}m")
}

# The command: what the rule makes of this container, or of what is given.
size() { # words
  local mode=${TRIBUTARY_MODE:-standalone}
  while [ $# -gt 0 ]; do
    case $1 in
      --memory=*) TRIBUTARY_MEMORY=${1#*=} ;;
      --clients=*) TRIBUTARY_EXPECTED_CLIENTS=${1#*=} ;;
      --memory | --clients)
        [ $# -gt 1 ] || fail 2 "size: $1 needs a value"
        set -- "$1=$2" "${@:3}"
        continue
        ;;
      --cluster) mode=cluster ;;
      *) fail 2 "size: there is no option $1" "See: $COMMAND help size" ;;
    esac
    shift
  done
  if [ -n "${TRIBUTARY_MEMORY:-}" ]; then
    megabytes "$TRIBUTARY_MEMORY"
    [ -n "$MEGABYTES" ] || fail 2 "size: --memory needs a size such as 2g or 512m, not '$TRIBUTARY_MEMORY'"
  fi
  case ${TRIBUTARY_EXPECTED_CLIENTS:-0} in
    *[!0-9]*) fail 2 "size: --clients needs a number, not '$TRIBUTARY_EXPECTED_CLIENTS'" ;;
  esac
  OPTIONS=()
  check_and_share_out "$mode"
  printf '%-16s %8s  %s\n' \
    memory "$MEMORY MB" "of the container, or what is given" \
    heap "$HEAP MB" "-Xmx${HEAP}m" \
    'direct memory' "$DIRECT MB" "-XX:MaxDirectMemorySize=${DIRECT}m" \
    store "$STORE MB" "tributary.storage.write-buffer-size and tributary.storage.cache-size together" \
    other "$OTHER MB" "code, classes, threads, TLS of the expected clients" \
    clients "$CLIENTS" "that are expected" \
    enough "$ENOUGH MB" "of memory for these clients" \
    idle "$IDLE MB" "resident while these clients are connected over TLS and do nothing" \
    'open files' "$FILES" "ulimit -n $FILES, --ulimit nofile=$FILES, LimitNOFILE=$FILES"
}
