#!/usr/bin/env bash
# Makes what the images have of ours, from the program as a folder: a Java runtime of the modules that are used, the jars of a
# broker without native libraries, and those libraries beside them. The Dockerfile runs it; so does .ci/image.sh, without an engine.
#
#   docker/assemble.sh PROGRAM JDK TARGET
#
# PROGRAM is dist/target/tributary. TARGET gets opt/java, opt/tributary and, where PROGRAM has the load tool, opt/perf with what
# that needs besides; it has no opt before.
#
# Times of files are SOURCE_DATE_EPOCH (1767225600 without one), so that the same sources give the same layers.
set -euo pipefail

readonly PROGRAM=$1 JDK=$2 TARGET=${3:?names no folder}
readonly EPOCH=${SOURCE_DATE_EPOCH:-1767225600}
HERE=$(cd "${0%/*}" && pwd)
readonly HERE MACHINE=$HOSTTYPE

# What the jars use, as jdeps finds below; and what is looked up by name only.
readonly MODULES=(
  java.compiler java.desktop java.instrument java.management java.naming java.net.http java.prefs java.rmi java.scripting
  java.security.jgss java.security.sasl java.sql java.xml
  jdk.management jdk.net jdk.unsupported
  jdk.crypto.ec      # TLS with elliptic curves where a program asks for the module by its name; empty since JDK 22
  jdk.naming.dns     # directories that are found by DNS
  jdk.security.auth  # Kafka's clients: users of the system, Kerberos
  jdk.jfr jdk.jcmd   # to look inside: jcmd 1 GC.heap_info, JFR.start
  jdk.management.agent
)
say() { printf 'assemble: %s\n' "$*" >&2; }

[ -x "$PROGRAM/bin/tributary" ] || { say "there is no program in $PROGRAM; ./tributary build makes it" && exit 1; }
[ -x "$JDK/bin/jlink" ] || { say "$JDK is not a JDK with jlink" && exit 1; }

[ ! -e "$TARGET/opt" ] || { say "there is $TARGET/opt already; name another folder, or delete that" && exit 1; }
mkdir -p "$TARGET/opt/tributary"/{bin,lib/native,etc,ext,web/root,web/work/Tomcat/localhost/ROOT}

app=$TARGET/opt/tributary
cp "$PROGRAM/bin/tributary" "$app/bin/"
cp "$PROGRAM"/lib/*.sh "$PROGRAM/lib/run.classpath" "$PROGRAM/lib/accepted-advisories.txt" "$PROGRAM/lib/tributary-server.cdx.json" "$app/lib/"
cp "$PROGRAM/LICENSE" "$app/"
IFS=: read -r -a jars <"$PROGRAM/lib/run.classpath" || true
for jar in "${jars[@]}"; do cp "$PROGRAM/lib/${jar#./}" "$app/lib/"; done
cp "$PROGRAM"/lib/tributary-server-*.jar "$app/lib/"
perf=$TARGET/opt/perf
mkdir -p "$perf/lib"
if [ -r "$PROGRAM/lib/perf.classpath" ]; then
  cp "$PROGRAM/lib/perf.classpath" "$PROGRAM"/lib/tributary-perf-tests-*.jar "$perf/lib/"
  IFS=: read -r -a jars <"$PROGRAM/lib/perf.classpath" || true
  for jar in "${jars[@]}"; do [ -e "$app/lib/${jar#./}" ] || cp "$PROGRAM/lib/${jar#./}" "$perf/lib/"; done
fi

say "jars, and libraries of $MACHINE"
"$JDK/bin/java" -XX:TieredStopAtLevel=1 "$HERE/Jars.java" "$app/lib" "$app/lib/native" "$MACHINE"
# Two megabytes of names that nobody looks up; the JVM's own stay, for its reports of crashes.
if command -v strip >/dev/null; then strip --strip-unneeded "$app"/lib/native/*.so; fi
printf '%s\n' "$MACHINE" >"$app/lib/image"
{
  cat "$PROGRAM/etc/jvm.options"
  cat "$HERE/image/etc/jvm.options"
} >"$app/etc/jvm.options"
cp "$HERE"/image/etc/*.yaml "$app/etc/"

# A jar that begins to use another module shall fail here, not in production.
say "modules of Java that the jars use"
used=$("$JDK/bin/jdeps" --multi-release 25 --ignore-missing-deps --print-module-deps \
  --class-path "$app/lib/*:$perf/lib/*" $(find "$app/lib" "$perf/lib" -name '*.jar') | tail -n 1)
for module in ${used//,/ }; do
  case " java.base ${MODULES[*]} " in
    *" $module "*) ;;
    *) say "the jars use the module $module, and the image's Java has not got it: MODULES in docker/assemble.sh" && exit 1 ;;
  esac
done

# Of java.desktop, java.beans is used, whose interfaces name classes of java.awt. A module must keep one file of each of its packages.
readonly UNUSED=$TARGET/unused
"$JDK/bin/jimage" list --include 'regex:/java[.]desktop/.*' "$JDK/lib/modules" | awk '
  !/^    / || /module-info/ { next }
  { package = $1; sub(/\/[^\/]*$/, "", package) }
  package ~ /^(java\/beans|com\/sun\/beans|java\/awt$|sun\/awt\/www)/ { next }
  kept[package]++ { print "/java.desktop/" $1 }' >"$UNUSED"
[ "$(wc -l <"$UNUSED")" -gt 1000 ] || { say "jimage does not list the classes of java.desktop as it used to" && exit 1; }

say "a Java of ${#MODULES[@]} modules"
"$JDK/bin/jlink" --add-modules "$(IFS=, && echo "${MODULES[*]}")" --output "$TARGET/opt/java" \
  --strip-java-debug-attributes --no-header-files --no-man-pages --vm server --compress zip-6 --exclude-resources="@$UNUSED" >&2
rm "$UNUSED"
grep '^OS_ARCH=' "$JDK/release" >>"$TARGET/opt/java/release" # which the launcher compares
(cd "$TARGET/opt/java/lib" && rm -f lib{awt,awt_headless,awt_xawt,fontmanager,freetype,javajpeg,jawt,jsound,lcms,mlib_image,splashscreen}.so psfont*)

find "$TARGET/opt" -exec chmod go-w,a+rX {} +
find "$TARGET/opt" -exec touch -h -d "@$EPOCH" {} +
du -sm "$TARGET/opt/java" "$app" | sed 's/^/assemble: MB /' >&2
