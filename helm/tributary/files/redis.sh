# Runs a server of the Redis Cluster for trials. The first one makes the cluster, once; each tells the others where it is now,
# since pods get other addresses.
set -u
cd /data
address() { getent hosts "$SERVICE-$1.$SERVICE" | cut -d ' ' -f 1; }
ask() { timeout 5 redis-cli -h "$@" 2>/dev/null; }

join() {
  local i others all=
  until [ "$(ask 127.0.0.1 ping)" = PONG ]; do sleep 0.5; done
  for ((i = 0; i < SERVERS; i++)); do
    until others=$(address "$i") && [ "$(ask "$others" ping)" = PONG ]; do sleep 0.5; done
    all="$all $others:6379"
    [ "$(ask 127.0.0.1 cluster info | grep -c 'cluster_known_nodes:1[^0-9]*$')" = 1 ] || ask 127.0.0.1 cluster meet "$others" 6379 >/dev/null
  done
  [ "${HOSTNAME##*-}" = 0 ] || return
  # One that was made before is whole a moment after its servers have come up.
  for ((i = 0; i < 60; i++)); do
    case $(ask 127.0.0.1 cluster info) in
      *cluster_state:ok*) return ;;
      *cluster_known_nodes:1[!0-9]*) break ;;
    esac
    sleep 0.5
  done
  create "$all" && return
  # Servers that know of each other, or have slots, make no cluster: so interrupted, it is made anew while they keep nothing.
  for others in $all; do [ "$(ask "${others%:*}" dbsize)" = 0 ] || return; done
  for others in $all; do ask "${others%:*}" cluster reset hard >/dev/null; done
  create "$all"
}

create() {
  # shellcheck disable=SC2086
  redis-cli --cluster create $1 --cluster-replicas $((SERVERS >= 6 ? 1 : 0)) --cluster-yes
}

join &
exec redis-server --cluster-enabled yes --appendonly yes --maxmemory-policy noeviction --cluster-node-timeout 5000 \
  --cluster-announce-ip "$POD_IP" --protected-mode no --save '' --dir /data
