# test, check, format and fuzz of ./tributary, which reads this file. For bash 3.2, as all of the launcher.
# shellcheck shell=bash disable=SC2154

# Short runs: the first compiler tier is enough, and collections are few.
readonly SOON='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
# Since when Maven has all that it needs without a network.
readonly RESOLVED=$ROOT/target/loop.resolved

test_files() { # pattern of a class, of its package too where it has dots -> files from the root
  local pattern=$1
  case $pattern in
    *.*) (cd "$ROOT" && find ./*/src/test/java -path "*/${pattern//.//}.java" ! -name package-info.java) ;;
    *) (cd "$ROOT" && find ./*/src/test/java -name "$pattern.java") ;;
  esac
}

near_names() { # name -> names of tests that differ from it in three letters at most, nearest first
  (cd "$ROOT" && find ./*/src/test/java -name '*Test.java') | sed 's|.*/||; s|\.java$||' | awk -v wanted="$1" '
    function distance(a, b,   i, j, before, row, one) {
      for (j = 0; j <= length(b); j++) row[j] = j
      for (i = 1; i <= length(a); i++) {
        before = row[0]; row[0] = i
        for (j = 1; j <= length(b); j++) {
          one = row[j]
          row[j] = before + (substr(a, i, 1) != substr(b, j, 1))
          if (row[j - 1] + 1 < row[j]) row[j] = row[j - 1] + 1
          if (one + 1 < row[j]) row[j] = one + 1
          before = one
        }
      }
      return row[length(b)]
    }
    { d = distance(tolower(wanted), tolower($0)); if (d <= 3) print d, $0 }' | sort -n | sed -n 1,3p | cut -d ' ' -f 2
}

# Maven for short runs; without asking for newer snapshots where the same modules have had all that the poms name.
maven_soon() { # arguments of mvn
  local offline= what
  what=$(printf '%s\n' "$@" | { grep -v '^-D' || true; } | paste -sd ' ' -)
  find_maven
  mkdir -p "$ROOT/target"
  if [ -f "$RESOLVED" ] && [ -n "$(cd "$ROOT" && find pom.xml ./*/pom.xml -newer "$RESOLVED" -print | head -n 1)" ]; then
    rm -f "$RESOLVED"
  fi
  if grep -qxF -e "$what" "$RESOLVED" 2>/dev/null; then offline=-o; fi
  MAVEN_OPTS="${MAVEN_OPTS:-} $SOON" maven ${offline:+-o} "$@" || return
  [ -n "$offline" ] || printf '%s\n' "$what" >>"$RESOLVED"
}

# Compiles with javac alone what these tests stand on, where it changed or uses what changed, and runs them.
test_named() { # names and -Dkey=value
  local name files near class more=() modules tests log status
  modules=$(mktemp)
  tests=
  for name in "$@"; do
    case $name in
      -D*) more+=("$name") && continue ;;
      -*) fail 2 "'$name' is an option of Maven; with the name of a test there is -Dkey=value alone" ;;
    esac
    class=${name%%#*}
    files=$(test_files "$class")
    if [ -z "$files" ]; then
      near=$(near_names "$class" | paste -sd ' ' -)
      fail 2 "there is no test '$class' in any module${near:+; near names: $near}"
    fi
    printf '%s\n' "$files" | cut -d / -f 2 >>"$modules"
    case $class in *.*) class=${class//.//} && class="**/${class#\*/}" ;; esac
    tests=$tests${tests:+,}$class
    case $name in *'#'*) tests=$tests#${name#*#} ;; esac
  done
  more+=(-pl "$(sort -u "$modules" | paste -sd , -)")
  rm -f "$modules"
  log=$ROOT/target/loop.log
  mkdir -p "$ROOT/target"
  : >"$log.status"
  { maven_soon test -Dloop -am -Dtest="$tests" "${more[@]}" 2>&1 || echo $? >"$log.status"; } | tee "$log" |
    grep --line-buffered -E '^\[ERROR\]|^\[INFO\] (Compiling|Running|Tests run:)' || true
  status=$(cat "$log.status")
  [ -n "$status" ] || grep -qE 'Tests run: [1-9]' "$log" || fail 1 "no test was run; all that Maven said is in target/loop.log"
  note "All that Maven said: target/loop.log; what tests printed: MODULE/target/loop/surefire-reports"
  return "${status:-0}"
}

command_test() {
  local log started status=0
  find_jdk
  case ${1:-} in
    -long)
      shift
      set -- -Dtest.tag=long -Dtest.without= "$@"
      ;;
    '' | -*) ;;
    *)
      test_named "$@"
      return
      ;;
  esac
  find_maven
  begin_build
  started=$(mktemp)
  log=$(mktemp) # not in target, which "clean" deletes
  maven "$@" verify 2>&1 | tee "$log" || status=$?
  if [ "$status" -eq 0 ] && [ $# -eq 0 ]; then
    end_build
    mark_checked "$started"
  fi
  rm -f "$started"
  echo # Maven may leave off within a line
  # The line that Surefire closes a module with, added up over the modules.
  awk '/^\[[A-Z]+\] +Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+(, Flakes: [0-9]+)? *$/ {
         gsub(/[^0-9]+/, " "); run += $1; failures += $2; errors += $3; skipped += $4; seen = 1
       }
       END {
         if (seen) printf "Tests run: %d, Failures: %d, Errors: %d, Skipped: %d\n", run, failures, errors, skipped
         else print "No test was run."
       }' "$log"
  rm -f "$log"
  return "$status"
}

# What of a source's text a rule of ours is about: fast enough to run before each commit. CI, where they have just run,
# names another.
# shellcheck disable=SC2206
readonly CHECK_TESTS=(${TRIBUTARY_CHECK_TESTS:-ArchitectureTest DecisionsTest GlossaryTest PackagesTest SourceLinesTest})

modules_with_sources() {
  local sources
  for sources in "$ROOT"/*/src/main/java; do basename "${sources%/src/main/java}"; done
}

# Modules with a source that is younger than their last compilation with Error Prone.
unchecked() {
  local module
  for module in $(modules_with_sources); do
    if [ ! -d "$ROOT/$module/target/classes" ] || [ -n "$(find "$ROOT/$module/src" -name '*.java' \
      -newer "$ROOT/$module/target/checked" -print 2>/dev/null | head -n 1)" ] ||
      [ ! -f "$ROOT/$module/target/checked" ]; then
      printf '%s\n' "$module"
    fi
  done
}

# What was compiled with Error Prone since a file was made need not be again.
mark_checked() { # file modules...; without any, all
  local module started=$1
  shift
  [ $# -gt 0 ] || set -- $(modules_with_sources)
  for module in "$@"; do cp -p "$started" "$ROOT/$module/target/checked"; done
}

command_check() {
  local modules
  [ $# -eq 0 ] || fail 2 "check takes no arguments"
  find_jdk
  note "Format (to mend it: ./tributary format) ..."
  maven_soon -q spotless:check || fail 1 "some sources are not formatted"
  modules=$(unchecked | paste -sd , -)
  if [ -n "$modules" ]; then
    note "Warnings, Error Prone and NullAway for $modules ..."
    mkdir -p "$ROOT/target"
    : >"$ROOT/target/check.started"
    maven_soon -q test-compile -Dquick -am -pl "$modules" || fail 1 "the compiler found something"
    mark_checked "$ROOT/target/check.started" ${modules//,/ }
  fi
  test_named "${CHECK_TESTS[@]}"
  cat <<EOT
Checked: format; warnings, Error Prone and NullAway in what changed since the last check: ${modules:-nothing};
  ${CHECK_TESTS[*]}.
Not checked: all other tests; duplicate classes, dependencies, fuzzing, conformance. ./tributary test and CI do.
EOT
}

command_format() {
  find_jdk
  find_maven
  maven -q spotless:apply "$@"
}

# An input that breaks something is written beside the seeds, to be committed with the fix.
command_fuzz() { # seconds, then patterns of fuzz tests; without any, all
  local seconds=${1:-60} pattern found files=() modules tests
  case $seconds in *[!0-9]*) fail 2 "fuzz needs a number of seconds, not '$seconds'" ;; esac
  [ $# -eq 0 ] || shift
  [ $# -gt 0 ] || set -- '*FuzzTest'
  find_jdk
  find_maven
  for pattern in "$@"; do
    found=$(cd "$ROOT" && find ./*/src/test/java -name "$pattern.java" -name '*FuzzTest.java' | sort)
    [ -n "$found" ] || fail 2 "there is no fuzz test '$pattern'; $(cd "$ROOT" && find ./*/src/test/java -name '*FuzzTest.java' |
      sed 's|.*/||; s|\.java$||' | sort | paste -sd ' ' -)"
    files+=("$found")
  done
  modules=$(printf '%s\n' "${files[@]}" | cut -d / -f 2 | sort -u | paste -sd , -)
  tests=$(printf '%s\n' "${files[@]}" | sed 's|.*/||; s|\.java$||' | sort -u | paste -sd , -)
  note "Fuzzing ${tests//,/, } for $seconds s each, two of a module side by side ..."
  # Jazzer runs one fuzz test in a JVM, which has options of its own.
  MAVEN_OPTS="${MAVEN_OPTS:-} $SOON" JAZZER_FUZZ=1 JAZZER_MAX_DURATION=${seconds}s maven test -Dquick -pl "$modules" -am -Dtest="$tests" \
    -DreuseForks=false -Dtest.forks=2
}
