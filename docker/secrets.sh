#!/usr/bin/env bash
# Makes the secrets that docker/compose.yaml and docker/standalone.yaml need, once: in docker/secrets, which git ignores.
#
#   docker/secrets.sh [FOLDER]
#
# Files can be read by their owner and their group, as the broker wants it. Compose mounts files as they are, whatever owner a
# service has: so .env beside FOLDER, which is beside the compose file, names the group in SECRETS_GROUP, and the services are
# members of it (group_add).
# What is there stays; delete a file, and the next run makes a new one, and what hangs on it: certificates on the authority, seed.yaml on the
# first user's password. A broker that knows the user keeps the password of before: change that over the API. Needs openssl 3.
set -euo pipefail
umask 027

here=$(cd "${0%/*}" && pwd)
folder=${1:-$here/secrets}
readonly here folder
readonly HOSTS=DNS:localhost,IP:127.0.0.1,DNS:haproxy,DNS:broker,DNS:n1,DNS:n2,DNS:n3 DAYS=825

mkdir -p "$folder"/{authority,broker,client,grafana}

make() { # file command...: the output of the command, unless the file is there
  local file=$folder/$1
  shift
  [ ! -s "$file" ] || return 0
  "$@" >"$file.new"
  mv "$file.new" "$file"
}

authority() {
  [ ! -s "$folder/authority/ca.crt" ] || [ ! -s "$folder/authority/ca.key" ] || return 0
  rm -f "$folder"/broker/*.crt
  openssl req -x509 -newkey ec \
    -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=Tributary compose" -addext keyUsage=critical,keyCertSign,cRLSign \
    -keyout "$folder/authority/ca.key" -out "$folder/authority/ca.crt" 2>/dev/null
}

certificate() { # name: its key is NAME.key, its certificate NAME.crt
  local name=$folder/broker/$1
  [ ! -s "$name.crt" ] || [ ! -s "$name.key" ] || return 0
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$name.key" 2>/dev/null |
    openssl x509 -req -CA "$folder/authority/ca.crt" -CAkey "$folder/authority/ca.key" -days $DAYS \
      -extfile <(printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$HOSTS") -out "$name.crt" 2>/dev/null
}

# As mosquitto_passwd does it: PBKDF2 with SHA-512. `openssl enc` gives 48 bytes of it, as a key, and takes the password from
# a file: arguments of a process are for all users to see. The broker replaces the hash by Argon2id when the user logs in.
password_hash() { # file of the password
  local salt derived
  salt=$(openssl rand -hex 8)
  derived=$(openssl enc -aes-256-cbc -P -pbkdf2 -md sha512 -iter 10000 -S "$salt" -pass "file:$1" </dev/null |
    sed -n 's/^key=//p; s/^iv *=//p')
  printf '$7$10000$%s$%s' "$(bytes "$salt" | openssl base64 -A)" "$(bytes "$derived" | openssl base64 -A)"
}

bytes() { # hexadecimal digits
  local digits=${1//[^0-9A-Fa-f]/}
  while [ -n "$digits" ]; do
    printf "\\x${digits:0:2}"
    digits=${digits:2}
  done
}

seed() { # the first user, with all rights; more over the API
  printf 'users:\n  "users:first": {passwordHash: "%s", groups: [operators]}\n' "$(password_hash "$folder/client/password")"
  printf 'rules:\n  operators: {for: {groups: [operators]}, rules: [{allow: all, topic: "#"}]}\n'
}

openssl kdf -help >/dev/null 2>&1 || { printf 'secrets: this needs openssl 3\n' >&2 && exit 1; }
authority
certificate server
certificate node
cp "$folder/authority/ca.crt" "$folder/broker/ca.crt"
cp "$folder/authority/ca.crt" "$folder/client/ca.crt"
make broker/link.secret openssl rand -base64 32
[ -s "$folder/client/password" ] || rm -f "$folder/broker/seed.yaml"
make client/password openssl rand -hex 16
make broker/admin.token printf 'admin:%s\n' "$(openssl rand -hex 32)"
make broker/seed.yaml seed
make grafana/password openssl rand -hex 16
chmod -R u=rwX,g=rX,o= "$folder"/{authority,broker,client,grafana}
others=$(grep -v '^SECRETS_GROUP=' "$folder/../.env" 2>/dev/null || true)
printf '%s\n' ${others:+"$others"} "SECRETS_GROUP=$(id -g)" >"$folder/../.env"
cat <<EOT
The first user is "first", its password in $folder/client/password; the authority that clients trust is client/ca.crt beside it.
The first administrator's token for the API, NAME:TOKEN, is in $folder/broker/admin.token.
EOT
