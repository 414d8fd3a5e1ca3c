#!/usr/bin/env bash
# Build Citus from a source checkout into PostgreSQL 15 of Debian, and run a coordinator and two workers on loopback.
#
#   GIT=/path/to/citus/.git scripts/citus/cluster.sh build    compile and install (as root; some minutes)
#   scripts/citus/cluster.sh up                               make what is not there, and start it
#   scripts/citus/cluster.sh down                             stop the three servers
#   scripts/citus/cluster.sh wipe                             stop them and delete their data
#
# Everything is under $WHERE; the servers run as `postgres`, let in everybody on this machine, and wait for no disk: they
# are for tests. Citus is AGPL; nothing of it comes into Tieout.
set -euo pipefail
TAG=${TAG:-v13.2.2} # the newest release for PostgreSQL 15
WHERE=${WHERE:-${TMPDIR:-/var/tmp}/tieout-citus}
BIN=${BIN:-/usr/lib/postgresql/15/bin}
BASE=${BASE:-9700} # the coordinator's port; the workers have the next two
NODES=(coordinator worker1 worker2)
PACKAGES=(postgresql-15 postgresql-server-dev-15 libcurl4-openssl-dev liblz4-dev libzstd-dev libssl-dev libkrb5-dev
  libselinux1-dev libxslt1-dev libpam0g-dev flex bison autoconf build-essential)

as_postgres() { runuser -u postgres -- "$@"; }

build() {
  local git=${GIT:?the .git of a checkout of citusdata/citus}
  apt-get install -y -qq "${PACKAGES[@]}"
  mkdir -p "$WHERE/src"
  git --git-dir="$git" archive "$TAG" | tar -x -C "$WHERE/src"
  cd "$WHERE/src"
  # PostgreSQL 15.18 of Debian exports a function that Citus 13.2.2 defines itself for every 15.
  # (grep reads to the end: nm would fail where nobody listens any more, and the pipe with it.)
  if nm -D "$BIN/postgres" | grep ' T have_createdb_privilege$' >/dev/null; then
    python3 - <<'PATCH'
from pathlib import Path

path = Path("src/include/pg_version_compat.h")
text = path.read_text()
if "PG_VERSION_NUM < 150018" not in text:
    begin = text.index("static inline bool\nhave_createdb_privilege(void)")
    end = text.index("typedef bool TU_UpdateIndexes;")
    own = f'#include "commands/dbcommands.h"\n#if PG_VERSION_NUM < 150018\n{text[begin:end].rstrip()}\n#endif\n\n\n'
    path.write_text(text[:begin] + own + text[end:])
PATCH
  fi
  ./configure PG_CONFIG="$BIN/pg_config" >configure.out
  nice -n 15 make -j2 with_llvm=no >make.out 2>&1 # without bitcode: half the time
  make install with_llvm=no >install.out 2>&1
}

server() { # name port
  local data=$WHERE/data/$1
  [ -d "$data" ] || as_postgres "$BIN/initdb" -D "$data" -U postgres -A trust --no-sync -E UTF8 --locale=C.UTF-8 >/dev/null
  cat >"$data/postgresql.auto.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $2
unix_socket_directories = '$WHERE/run'
shared_preload_libraries = 'citus'
max_connections = 300
max_prepared_transactions = 400
max_locks_per_transaction = 256
wal_level = logical
fsync = off
full_page_writes = off
citus.enable_unsafe_triggers = on
citus.node_conninfo = 'sslmode=disable'
CONF
  chown postgres: "$data/postgresql.auto.conf"
  as_postgres "$BIN/pg_ctl" -D "$data" status >/dev/null || as_postgres "$BIN/pg_ctl" -D "$data" -l "$WHERE/log/$1.log" -w start >/dev/null
}

up() {
  mkdir -p "$WHERE"/{data,run,log}
  chown -R postgres: "$WHERE"/{data,run,log}
  local place
  for place in "${!NODES[@]}"; do
    server "${NODES[place]}" $((BASE + place))
  done
}

down() {
  local each
  for each in "${NODES[@]}"; do
    [ ! -d "$WHERE/data/$each" ] || as_postgres "$BIN/pg_ctl" -D "$WHERE/data/$each" -m fast -w stop || true
  done
}

case ${1:-} in
  build) build ;;
  up) up ;;
  down) down ;;
  wipe) down && rm -rf "$WHERE/data" "$WHERE/run" "$WHERE/log" ;;
  *) sed -n '2,11s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
