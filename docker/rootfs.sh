#!/usr/bin/env bash
# Takes of a Debian what a broker needs of it, into a folder that becomes the root of the image: the C library, bash for the
# launcher, and a few small tools. No package manager, no shell scripts of packages. Run by the Dockerfile within that Debian:
#
#   rootfs.sh TARGET
set -euo pipefail

readonly TARGET=$1
readonly EPOCH=${SOURCE_DATE_EPOCH:-1767225600}
# Whole packages; scanners find them in var/lib/dpkg/status.d.
readonly PACKAGES=(base-files bash libc6 libgcc-s1 libstdc++6 libtinfo6 zlib1g)
# Single files, with the libraries that they need: `train` at build time, and whoever looks into a container.
readonly TOOLS=(cat chmod cp date df env grep head id ls mkdir mktemp mv rm sed sleep stat tail touch uname wc)

copy() { # paths from standard input, without what nobody reads in a container, and encodings that only iconv knows
  grep -Ev '^/usr/lib/[^/]*/gconv|^/usr/share/(doc/.*/(changelog|NEWS|README|TODO|FAQ|examples|AUTHORS|INTRO|COMPAT|CHANGES|POSIX|RBASH)|man|info|locale|lintian|bash-completion|menu|gcc|gdb)' |
    while IFS= read -r path; do
      if [ -d "$path" ] && [ ! -L "$path" ]; then continue; fi
      if [ -e "$path" ] || [ -L "$path" ]; then printf '%s\0' "${path#/}"; fi
    done | tar -C / --null --no-recursion -cf - -T - | tar -C "$TARGET" -xpf -
}

libraries() { # files: the libraries that they need, each with what its name points to
  local path
  ldd "$@" 2>/dev/null | sed -n 's/.* \(\/[^ ]*\) (0x.*/\1/p' | sort -u | while IFS= read -r path; do
    printf '%s\n' "$path"
    readlink -f "$path"
  done
}

mkdir -p "$TARGET"
for folder in bin sbin lib lib64; do # where they are links into usr
  if [ -L "/$folder" ]; then
    mkdir -p "$TARGET/usr/$folder"
    ln -s "usr/$folder" "$TARGET/$folder"
  fi
done
for package in "${PACKAGES[@]}"; do
  # Some have their architecture in their name, and since 2024 some another suffix.
  name=$({ dpkg-query -W -f '${db:Status-Abbrev} ${binary:Package}\n' "$package" "${package}t64" 2>/dev/null || true; } | sed -n 's/^ii *//p' | head -n 1)
  [ -n "$name" ] || { printf 'rootfs: this Debian has no %s\n' "$package" >&2 && exit 1; }
  dpkg -L "$name" | copy
  mkdir -p "$TARGET/var/lib/dpkg/status.d"
  dpkg-query -s "$name" | sed '/^Conffiles:/,/^[^ ]/{/^Conffiles:/d;/^ /d}' >"$TARGET/var/lib/dpkg/status.d/${package}"
done
tools=()
for tool in "${TOOLS[@]}"; do tools+=("$(command -v "$tool")"); done
{
  printf '%s\n' "${tools[@]}"
  libraries "${tools[@]}"
} | copy

mkdir -p "$TARGET"/{dev,proc,sys,run,tmp,home,root,etc/tributary,var/tmp,var/lib/tributary/data}
chmod 1777 "$TARGET/tmp" "$TARGET/var/tmp"
cat >"$TARGET/etc/passwd" <<'EOT'
root:x:0:0:root:/root:/bin/bash
tributary:x:10001:0:Tributary:/var/lib/tributary:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/bin/false
EOT
printf 'root:x:0:\ntributary:x:10001:\nnogroup:x:65534:\n' >"$TARGET/etc/group"
printf 'hosts: files dns\npasswd: files\ngroup: files\n' >"$TARGET/etc/nsswitch.conf"
# For the user of the image, and for any other one of group 0, which a platform may choose.
chown -R 10001:0 "$TARGET/var/lib/tributary"
chmod 770 "$TARGET/var/lib/tributary/data"
chmod 775 "$TARGET/var/lib/tributary"
find "$TARGET" -exec touch -h -d "@$EPOCH" {} +
