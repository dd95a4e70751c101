#!/bin/sh
# Creates a key file for --replicate.key-file and --from.key-file, unless it exists. Only the image's user can read it.
set -eu
umask 077
test -s "$1" && exit 0
od -An -tx1 -N32 /dev/urandom | tr -d ' \n' > "$1.new"
# The user of the image, see Dockerfile.
chown 65532:65532 "$1.new"
mv "$1.new" "$1"
