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

# Whether anything may be a setting: in case of doubt yes, as the broker then lets in nobody by mistake.
is_configured() { # words of run
  [ $# -gt 0 ] || has_variables || [ -n "${JAVA_TOOL_OPTIONS:-}${JDK_JAVA_OPTIONS:-}" ] ||
    has_entries /etc/tributary || has_entries config || [ -n "$(compgen -G 'tributary.*')" ]
}

# Whether a variable may be a setting, in capitals or not; names with dots, too, which are no variables of a shell.
has_variables() ( # for the option, which shall end with it
  while IFS= read -r -d '' line; do
    case $line in TRIBUTARY_JAVA_HOME=* | TRIBUTARY_MEMORY=* | TRIBUTARY_EXPECTED_CLIENTS=*) continue ;; esac
    shopt -s nocasematch
    case $line in tributary* | spring* | server*) exit 0 ;; esac
    shopt -u nocasematch
  done </proc/self/environ
  exit 1
)

# Whether a folder is there, and has something in it or does not say.
has_entries() { # folder
  [ -e "$1" ] || return 1
  [ -r "$1" ] && [ -x "$1" ] || return 0
  [ -n "$(compgen -G "$1/*")" ]
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
