#!/usr/bin/env bash
# Builds both images from this clone with docker, podman or buildah, whichever is there; BUILDER names one. Arguments go
# to its `build`: docker/images.sh --build-arg UID="$(id -u)". The student's is built from a handout, as students have it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

builder=${BUILDER:-}
for name in docker podman buildah; do
  [ -n "$builder" ] || ! command -v "$name" >/dev/null || builder=$name
done
[ -n "$builder" ] || { echo "tilelab: images are built with docker, podman or buildah: install one of them" >&2; exit 2; }

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
.venv/bin/tilelab handouts --out "$context/packed"
mkdir "$context/labs"
tar -xzf "$context"/packed/tilelab-*.tar.gz --strip-components 1 -C "$context/labs"

"$builder" build "$@" --file "$context/labs/.devcontainer/Dockerfile" --target student --tag tilelab-student "$context/labs"
"$builder" build "$@" --file docker/grader/Dockerfile --tag tilelab-grader .
