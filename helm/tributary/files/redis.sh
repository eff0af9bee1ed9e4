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
  if [ "${HOSTNAME##*-}" = 0 ] && [ ! -e /data/made ]; then
    # shellcheck disable=SC2086
    redis-cli --cluster create $all --cluster-replicas $((SERVERS >= 6 ? 1 : 0)) --cluster-yes && : >/data/made
  fi
}

join &
exec redis-server --cluster-enabled yes --appendonly yes --maxmemory-policy noeviction --cluster-node-timeout 5000 \
  --cluster-announce-ip "$POD_IP" --protected-mode no --save '' --dir /data
