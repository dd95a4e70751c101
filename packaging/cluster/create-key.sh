#!/bin/sh
# Creates a key file for --replicate.key-file and --from.key-file, which only the user of the image can read; keeps one that is there.
set -eu
umask 077
test -s "$1" && exit 0
od -An -tx1 -N32 /dev/urandom | tr -d ' \n' > "$1.new"
# The user of the image, see Dockerfile.
chown 65532:65532 "$1.new"
mv "$1.new" "$1"
