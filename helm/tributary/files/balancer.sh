# Runs HAProxy or NGINX, and lets it read configuration and certificates again when they change: connections that are there stay.
set -u
state() { cat /etc/balancer/*.cfg /etc/balancer/*.conf /etc/balancer/*.js /etc/balancer-tls/*/* /etc/balancer-authorities/*/* 2>/dev/null | sha256sum; }
# When told to end, both accept nothing more, and wait for their connections until the grace period is over.
case $1 in
  haproxy)
    end=USR1 reload=USR2
    accepts() { haproxy -c -q -f /etc/balancer/haproxy.cfg; }
    haproxy -W -db -f /etc/balancer/haproxy.cfg &
    ;;
  nginx)
    end=QUIT reload=HUP
    directives='daemon off;'
    stream=/usr/lib/nginx/modules/ngx_stream_module.so # a file of its own in images made from Debian's packages
    [ ! -e $stream ] || directives="load_module $stream; $directives"
    accepts() { nginx -q -t -c /etc/balancer/nginx.conf -g "$directives"; }
    nginx -c /etc/balancer/nginx.conf -g "$directives" &
    ;;
esac
main=$!
trap 'kill -$end $main' TERM
seen=$(state)
while kill -0 $main 2>/dev/null; do
  sleep 5 &
  wait $!
  now=$(state)
  [ "$now" != "$seen" ] || continue
  seen=$now
  if accepts; then
    kill -$reload $main
  else
    echo "the new configuration or certificate cannot be used; the old one stays" >&2
  fi
done
wait $main
