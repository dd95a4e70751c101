#!/bin/sh
# Writes random passwords for the users of nats.conf, and for the routes between servers, to .env for compose.yaml.
set -eu
umask 077
file="$(dirname "$0")/.env"
if test -e "$file"; then
  echo "$file exists already" >&2
  exit 1
fi
for user in WRITER REPLICA FEED READER OPERATOR ROUTE; do
  # NATS takes a variable that begins with a digit for a number.
  echo "NATS_${user}_PASSWORD=p$(od -An -tx1 -N16 /dev/urandom | tr -d ' \n')"
done > "$file"
