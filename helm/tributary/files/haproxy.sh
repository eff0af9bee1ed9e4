# Runs HAProxy, and lets it read configuration and certificates again when they change: connections that are there stay.
set -u
state() { cat /etc/balancer/haproxy.cfg /etc/balancer-tls/*/* /etc/balancer-authorities/*/* 2>/dev/null | sha256sum; }
haproxy -W -db -f /etc/balancer/haproxy.cfg &
main=$!
trap 'kill -USR1 $main' TERM # accepts nothing more, and waits for its connections until the grace period is over
seen=$(state)
while kill -0 $main 2>/dev/null; do
  sleep 5 &
  wait $!
  now=$(state)
  [ "$now" != "$seen" ] || continue
  seen=$now
  if haproxy -c -q -f /etc/balancer/haproxy.cfg; then
    kill -USR2 $main
  else
    echo "the new configuration or certificate cannot be used; the old one stays" >&2
  fi
done
wait $main
