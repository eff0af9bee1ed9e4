# For the launchers, bin/tributary and the one of the source tree: messages, and where a JDK is.
# Keeps to bash 3.2, which is what macOS has.

readonly JAVA_WANTED=25

fail() { # exit-code message...
  local code=$1
  shift
  printf 'tributary: %s\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '%s\n' "$@" >&2
  exit "$code"
}

note() { printf '%s\n' "$*" >&2; }

# Sets JDK_VERSION: the major version of the JDK in this home; nothing where there is none. Without a process of its own,
# for every start comes by here. JAVA_PROGRAM is what must be in it: java to run, javac to build.
jdk_version() { # home
  local line
  JDK_VERSION=
  [ -x "$1/bin/${JAVA_PROGRAM:-java}" ] && [ -r "$1/release" ] || return 0
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      JAVA_VERSION=*)
        line=${line#JAVA_VERSION=}
        line=${line//\"/}
        JDK_VERSION=${line%%[.+-]*}
        ;;
    esac
  done <"$1/release"
}

is_jdk() { # home
  jdk_version "$1"
  [ -n "$JDK_VERSION" ] && [ "$JDK_VERSION" -ge "$JAVA_WANTED" ] 2>/dev/null
}

java_on_path() { # the home of the java that is on the PATH
  local java
  java=$(command -v java) || return 0
  java=$(readlink -f "$java" 2>/dev/null || true)
  java=${java%/bin/java}
  # Not where java is a script that chooses one.
  if [ -n "$java" ] && [ -r "$java/release" ]; then
    printf '%s' "$java"
  else
    java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p'
  fi
}

find_jdk() { # sets JAVA_HOME and JDK_VERSION
  local home newer=
  if [ -n "${TRIBUTARY_JAVA_HOME:-}" ]; then
    is_jdk "$TRIBUTARY_JAVA_HOME" ||
      fail 1 "TRIBUTARY_JAVA_HOME=$TRIBUTARY_JAVA_HOME is not a JDK $JAVA_WANTED or newer"
    JAVA_HOME=$TRIBUTARY_JAVA_HOME
    return
  fi
  if [ -n "${JAVA_HOME:-}" ] && is_jdk "$JAVA_HOME"; then
    return
  fi
  home=$(java_on_path)
  if [ -n "$home" ] && is_jdk "$home"; then
    JAVA_HOME=$home
    return
  fi
  for home in /usr/lib/jvm/* /usr/java/* /opt/* /opt/*/* "${HOME:-/root}"/.sdkman/candidates/java/* "${HOME:-/root}"/.jdks/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home "${HOME:-/root}"/Library/Java/JavaVirtualMachines/*/Contents/Home; do
    is_jdk "$home" || continue
    if [ "$JDK_VERSION" -eq "$JAVA_WANTED" ]; then
      JAVA_HOME=$home
      return
    fi
    newer=$home
  done
  if [ -z "$newer" ]; then
    fail 1 "JDK $JAVA_WANTED is needed, and none was found. To install it, one of:" \
      "  Debian, Ubuntu   apt-get install temurin-$JAVA_WANTED-jdk   (from Adoptium), or openjdk-$JAVA_WANTED-jdk" \
      "  SDKMAN           sdk install java $JAVA_WANTED-tem" \
      "  macOS            brew install --cask temurin@$JAVA_WANTED" \
      "If there is one in an unusual place: TRIBUTARY_JAVA_HOME=/path/to/jdk ${COMMAND:-$0} ..."
  fi
  JAVA_HOME=$newer
  jdk_version "$newer"
}
