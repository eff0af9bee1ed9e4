# Runs NGINX, and lets it read configuration and certificates again when they change: connections that are there stay.
set -u
state() { cat /etc/balancer/nginx.conf /etc/balancer-tls/*/* 2>/dev/null | sha256sum; }
nginx -c /etc/balancer/nginx.conf -g 'daemon off;' &
main=$!
trap 'kill -QUIT $main' TERM # accepts nothing more, and waits for its connections until the grace period is over
seen=$(state)
while kill -0 $main 2>/dev/null; do
  sleep 5 &
  wait $!
  now=$(state)
  [ "$now" != "$seen" ] || continue
  seen=$now
  if nginx -q -t -c /etc/balancer/nginx.conf; then
    kill -HUP $main
  else
    echo "the new configuration or certificate cannot be used; the old one stays" >&2
  fi
done
wait $main
