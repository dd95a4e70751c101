#!/bin/sh
# Prints build arguments that pin the base images of the Dockerfile to what their tags name now, or fails: see docs/install.md.
set -eu

cd "$(dirname "$0")/.."
images=$(sed -n 's/^FROM \([^ $]*\)${\([A-Z_]*\)}.*/\1 \2/p' Dockerfile)
if [ "$(echo "$images" | wc -l)" -ne "$(grep -c '^FROM ' Dockerfile)" ]; then
  echo "an image in the Dockerfile has no argument for its digest" >&2
  exit 1
fi

echo "$images" | while read -r image argument; do
  digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}' < /dev/null)
  hex=${digest#sha256:}
  case $hex in
    "$digest" | *[!0-9a-f]*) hex= ;;
  esac
  if [ ${#hex} -ne 64 ]; then
    echo "the registry gives no digest of $image: $digest" >&2
    exit 1
  fi
  echo "$argument=@sha256:$hex"
done
