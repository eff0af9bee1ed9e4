#!/usr/bin/env bash
# Builds the images from docker/Dockerfile without an engine, by buildah: `./tributary image DIR [--twice|--perf]`, which has built the
# program before. What it is made from is made here, too, so that nothing is pulled: a Debian by mmdebstrap, the JDK of this
# machine. DEBIAN=debian:trixie-slim or JDK=eclipse-temurin:25-jdk in the environment pull that one instead.
# With --twice it builds all but the program and the bases a second time, and says which layers are the same. With --perf it builds
# the load tool's, too.
#
# DIR is empty at the first time. In it are then: tributary.tar (for `docker load`, `ctr image import`), layers (id and size of
# each), with --perf tributary-perf.tar, and buildah's own.
# Needs root, buildah, mmdebstrap, and JAVA_HOME, a JDK 25.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly SUITE=${SUITE:-bookworm} VERSION=$1 COMMIT=$2
mkdir -p "$3"
DIR=$(cd "$3" && pwd)
readonly DIR OPTION=${4:-}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600}

die() { printf 'image: %s\n' "$1" >&2 && exit 1; }
say() { printf 'image: %s\n' "$*" >&2; }

[ "$(id -u)" -eq 0 ] || die "this needs root; with Docker: docker build -f docker/Dockerfile ."
for tool in buildah mmdebstrap; do
  command -v $tool >/dev/null || die "there is no $tool; apt-get install buildah mmdebstrap"
done
[ -e "$DIR/.tributary-image" ] || [ -z "$(ls -A "$DIR")" ] ||
  die "$DIR has files that are not of this command, which deletes some: name an empty folder, or make a file .tributary-image in it"
touch "$DIR/.tributary-image"

b() { buildah --root "$DIR/storage" --runroot "$DIR/run" --storage-driver "${STORAGE_DRIVER:-overlay}" "$@"; }

image_of() { # name, from, then pairs of source and place; and what `config` is given behind --
  local name=$1 from=$2 container
  shift 2
  container=$(b from --pull-never "$from")
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    b add --quiet "$container" "$1" "$2" >/dev/null
    shift 2
  done
  [ $# -eq 0 ] || { shift && b config "$@" "$container"; }
  b commit --quiet --rm "$container" "$name" >/dev/null
}

build() { # name, options
  local name=$1
  shift
  b build --quiet --isolation chroot --format docker --pull-never --no-cache --timestamp "$SOURCE_DATE_EPOCH" \
    -f docker/Dockerfile -t "$name" "$@" --build-arg DEBIAN="$debian" --build-arg JDK="$jdk" --build-arg MAVEN=localhost/program \
    --build-arg PROGRAM=localhost/program --build-arg SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" \
    --build-arg VERSION="$VERSION" --build-arg COMMIT="$COMMIT" . >/dev/null
}

layers() { # name: the id of each layer
  b inspect --type image --format '{{range .OCIv1.RootFS.DiffIDs}}{{println .}}{{end}}' "$1" | grep .
}

debian=localhost/debian
if [ -n "${DEBIAN:-}" ]; then
  debian=$DEBIAN && b pull --quiet "$debian" >/dev/null
else
  if [ ! -s "$DIR/debian.tar" ]; then
    say "a Debian ($SUITE)"
    mmdebstrap --quiet --variant=essential --include=binutils,libstdc++6 "$SUITE" "$DIR/debian.tar"
  fi
  image_of "$debian" scratch "$DIR/debian.tar" /
fi
jdk=localhost/jdk
if [ -n "${JDK:-}" ]; then
  jdk=$JDK && b pull --quiet "$jdk" >/dev/null
else
  # A package of a JDK may have links out of it, to the certificates of the machine.
  rm -rf "$DIR/jdk" && cp -rLp "$JAVA_HOME" "$DIR/jdk"
  image_of "$jdk" "$debian" "$DIR/jdk" /opt/jdk -- --env JAVA_HOME=/opt/jdk
fi
image_of localhost/program scratch dist/target/tributary /source/dist/target/tributary

say "the image"
build localhost/tributary
layers localhost/tributary >"$DIR/layers"
if [ "$OPTION" = --twice ]; then
  say "the image once more"
  build localhost/tributary-again
  layers localhost/tributary-again >"$DIR/layers.again"
  paste "$DIR/layers" "$DIR/layers.again" | awk '{ print ($1 == $2 ? "same   " : "differs"), $1 }' >&2
fi
if [ "$OPTION" = --perf ]; then
  say "the load tool's image"
  build localhost/tributary-perf --target perf
  rm -f "$DIR/tributary-perf.tar"
  b push --quiet localhost/tributary-perf "docker-archive:$DIR/tributary-perf.tar:localhost/tributary-perf:$VERSION" >/dev/null
fi
rm -rf "$DIR/tributary.tar" "$DIR/packed"
b push --quiet localhost/tributary "docker-archive:$DIR/tributary.tar:localhost/tributary:$VERSION" >/dev/null
b push --quiet localhost/tributary "oci:$DIR/packed" >/dev/null
container=$(b from --pull-never localhost/tributary)
folder=$(b mount "$container")
say "unpacked $(du -sm --apparent-size "$folder" | cut -f1) MB, compressed $(du -sm --apparent-size "$DIR/packed" | cut -f1) MB:" \
  "$(cd "$folder" && du -sm --apparent-size opt/java opt/tributary/lib/native opt/tributary/lib/*.aot usr | sed 's/\t/ MB /' | paste -sd ';')"
b rm "$container" >/dev/null
say "$DIR/tributary.tar is localhost/tributary:$VERSION"
[ "$OPTION" != --perf ] || say "$DIR/tributary-perf.tar is localhost/tributary-perf:$VERSION"
