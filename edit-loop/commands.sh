# test, check, format and fuzz of ./tributary, which reads this file. For bash 3.2, as all of the launcher.
# shellcheck shell=bash disable=SC2154

readonly LOOP_DIR=$ROOT/edit-loop
readonly LOOP_CLASSES=$LOOP_DIR/target/launcher-classes
readonly LOOP_PROCESSORS=$LOOP_DIR/target/processors.txt
readonly LOOP_LISTED=$LOOP_DIR/target/listed

pom_property() { # name
  sed -n "s|^ *<$1>\(.*\)</$1>.*|\1|p" "$ROOT/pom.xml" | head -n 1
}

# Class paths of all modules, and what the compiler loads: target/dependencies.txt of each module, and LOOP_PROCESSORS.
# Only Maven knows them. It is asked again when a pom changed, and compiles nothing.
list_dependencies() {
  local list log=$ROOT/target/loop.log property versions=()
  if [ -f "$LOOP_LISTED" ] && [ -z "$(cd "$ROOT" && find pom.xml .mvn ./*/pom.xml edit-loop/processors/pom.xml \
    -newer "$LOOP_LISTED" -print 2>/dev/null | head -n 1)" ]; then
    return
  fi
  find_maven
  mkdir -p "$ROOT/target" "$LOOP_DIR/target"
  note "Asking Maven for class paths (log: target/loop.log) ..."
  : >"$LOOP_DIR/target/listing" # what is edited meanwhile is newer than it
  list=org.apache.maven.plugins:maven-dependency-plugin:list
  for property in errorprone nullaway jmh spring-boot; do
    versions+=("-D$property.version=$(pom_property "$property.version")")
  done
  if ! maven -q test-compile $list -Dquick -Dmaven.main.skip=true -Dmaven.test.skip=true -Dmaven.resources.skip=true \
    -Dconsole-consumer.skip=false -DoutputFile=target/dependencies.txt -DoutputAbsoluteArtifactFilename=true >"$log" 2>&1 ||
    ! maven -q -f edit-loop/processors/pom.xml "${list%:list}:3.10.0:list" "${versions[@]}" \
      -DoutputFile="$LOOP_PROCESSORS" -DoutputAbsoluteArtifactFilename=true >>"$log" 2>&1; then
    tail -n 40 "$log" >&2
    fail 1 "Maven could not list the class paths; all of its output is in target/loop.log"
  fi
  mv "$LOOP_DIR/target/listing" "$LOOP_LISTED"
}

compile_loop() {
  local source=$LOOP_DIR/src/main/java
  if [ -d "$LOOP_CLASSES" ] && [ -z "$(find "$source" -newer "$LOOP_CLASSES" -print | head -n 1)" ]; then
    return
  fi
  rm -rf "$LOOP_CLASSES"
  # Its packages' annotations are the only thing that is not in the JDK.
  find "$source" -name '*.java' ! -name package-info.java -print0 |
    xargs -0 "$JAVA_HOME/bin/javac" -nowarn -d "$LOOP_CLASSES.new" ||
    fail 1 "edit-loop does not compile"
  mv "$LOOP_CLASSES.new" "$LOOP_CLASSES"
}

edit_loop() { # arguments of EditLoop
  local terminal=false
  if [ -t 1 ]; then terminal=true; fi
  find_jdk
  list_dependencies
  compile_loop
  # The first options let Error Prone into the compiler, here as in Maven.
  (cd "$ROOT" && "$JAVA_HOME/bin/java" @.mvn/jvm.config -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto \
    -Deditloop.terminal=$terminal -cp "$LOOP_CLASSES" io.tributary.editloop.EditLoop "$@")
}

command_test() {
  local log status=0
  case ${1:-} in
    '' | -*) ;;
    *)
      edit_loop test "$@"
      return
      ;;
  esac
  find_jdk
  find_maven
  begin_build
  log=$(mktemp) # not in target, which "clean" deletes
  maven "$@" verify 2>&1 | tee "$log" || status=$?
  if [ "$status" -eq 0 ] && [ $# -eq 0 ]; then end_build; fi
  echo # Maven may leave off within a line
  # The line that Surefire closes a module with, added up over the modules.
  awk '/^\[[A-Z]+\] +Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+ *$/ {
         gsub(/[^0-9]+/, " "); run += $1; failures += $2; errors += $3; skipped += $4; seen = 1
       }
       END {
         if (seen) printf "Tests run: %d, Failures: %d, Errors: %d, Skipped: %d\n", run, failures, errors, skipped
         else print "No test was run."
       }' "$log"
  rm -f "$log"
  return "$status"
}

# What of a source's text a rule of ours is about: fast enough to run before each commit.
readonly CHECK_TESTS=(ArchitectureTest DecisionsTest GlossaryTest PackagesTest SourceLinesTest)

command_check() {
  [ $# -eq 0 ] || fail 2 "check takes no arguments"
  find_jdk
  find_maven
  note "Checking the format (to mend it: ./tributary format) ..."
  # Without what Maven says of how to go on.
  maven -q spotless:check 2>&1 | sed '/Run .mvn spotless:apply/,$d' >&2 || fail 1 "some sources are not formatted"
  edit_loop check "${CHECK_TESTS[@]}"
  cat <<EOT
Checked: format; compiler warnings, Error Prone and NullAway, for all that changed since Maven's build or the last check;
  ${CHECK_TESTS[*]}.
Not checked: all other tests; duplicate classes, dependencies, coverage, fuzzing, conformance. ./tributary test and CI do.
EOT
}

command_format() {
  find_jdk
  find_maven
  maven -q spotless:apply "$@"
}

# An input that breaks something is written beside the seeds, to be committed with the fix.
command_fuzz() {
  local seconds=${1:-60}
  case $seconds in *[!0-9]*) fail 2 "fuzz needs a number of seconds, not '$seconds'" ;; esac
  find_jdk
  find_maven
  JAZZER_FUZZ=1 JAZZER_MAX_DURATION=${seconds}s maven test -Dquick -pl common -Dtest=MqttDecoderFuzzTest
}
