# For the launcher in an image, which has the file lib/image: what a container needs besides. Keeps to bash 3.2.

# Another kind of processor runs an image through an emulator at most; libraries of a third kind would fail late, in words of
# their own.
check_platform() {
  local built line java=
  IFS= read -r built <"$LIB/image" || true
  while IFS= read -r line; do
    case $line in OS_ARCH=*) java=${line#OS_ARCH=} && java=${java//\"/} ;; esac
  done <"$JAVA_HOME/release"
  [ "$built" = "$HOSTTYPE" ] && [ "$built" = "$java" ] ||
    fail 1 "this image has libraries for $built, a Java for ${java:-an unknown processor}, and runs as $HOSTTYPE; all must be the same:" \
      "  docker build --platform=linux/amd64 or linux/arm64, with a base and a JDK for it"
}

# Whether somebody has said where to listen or who may connect.
is_configured() { # words of run
  local name file
  [ $# -eq 0 ] || return 0
  for name in ${!TRIBUTARY_@} ${!SPRING_@}; do
    case $name in
      TRIBUTARY_MODE | TRIBUTARY_LISTENERS_* | TRIBUTARY_SECURITY_* | TRIBUTARY_CLUSTER_* | SPRING_*) return 0 ;;
    esac
  done
  for file in /etc/tributary/tributary.{yaml,yml,properties} {,config/}tributary.{yaml,yml,properties}; do
    [ ! -e "$file" ] || return 0
  done
  return 1
}

# Sets MODE as far as it is known before the settings are read: a file may say something else.
find_mode() { # words of run
  local word
  MODE=${TRIBUTARY_MODE:-standalone}
  for word in "$@"; do
    case $word in --tributary.mode=*) MODE=${word#*=} ;; esac
  done
}

check_files_for_clients() {
  local limit
  limit=$(ulimit -Hn)
  case $limit in
    *[!0-9]* | '') return ;; # unlimited
  esac
  [ "$CLIENTS" -eq 0 ] || [ "$limit" -ge "$FILES" ] ||
    note "tributary: the limit of open files is $limit, and $CLIENTS clients (TRIBUTARY_EXPECTED_CLIENTS) need $FILES:" \
      "docker run --ulimit nofile=$FILES, ulimits.nofile in a compose file"
}

container() { # words of run; adds to OPTIONS, and to PLACES, where settings are read
  check_platform
  find_mode "$@"
  check_and_share_out "$MODE"
  check_files_for_clients
  PLACES=optional:file:/etc/tributary/
  if ! is_configured "$@"; then
    note "tributary: nothing says who may connect; everybody who reaches this container may (docs/docker.md)"
    PLACES=file:$ETC/quick-start.yaml
  fi
}
