# Runs HAProxy or NGINX, and lets it read configuration and certificates again when they change: connections that are there stay.
set -u
state() { cat /etc/balancer/*.cfg /etc/balancer/*.conf /etc/balancer/*.js /etc/balancer-tls/*/* /etc/balancer-authorities/*/* 2>/dev/null | sha256sum; }
seen=$(state) refused=
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
    # Files of their own in most images, the one or the other part of the program in some.
    modules=$(nginx -V 2>&1 | sed -n 's/.*--modules-path=\([^ ]*\).*/\1/p')
    for module in stream_js stream; do
      file=$modules/ngx_${module}_module.so
      [ ! -e "$file" ] || directives="load_module $file; $directives"
    done
    accepts() { nginx -q -t -c /etc/balancer/nginx.conf -g "$directives"; }
    nginx -c /etc/balancer/nginx.conf -g "$directives" &
    ;;
esac
main=$!
trap 'kill -$end $main' TERM
while kill -0 $main 2>/dev/null; do
  sleep 5 &
  wait $!
  now=$(state)
  [ "$now" != "$seen" ] || continue
  if accepts; then
    seen=$now
    kill -$reload $main
  elif [ "$now" != "$refused" ]; then
    refused=$now # tried again: the check itself may have failed, for want of memory
    echo "the new configuration or certificate cannot be used; the old one stays" >&2
  fi
done
wait $main
