#!/usr/bin/env bash
# Builds images from this clone with docker, podman or buildah, whichever is there; BUILDER names one. IMAGES names some of
# student, grader and gpu-grader; left out, the first two. Arguments go to the builder's `build`:
# docker/images.sh --build-arg UID="$(id -u)". The student's is built from a handout, as students have it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

read -ra wanted <<<"${IMAGES:-student grader}"
for image in "${wanted[@]}"; do
  case $image in
    student | grader | gpu-grader) ;;
    *) echo "tilelab: there is no image $image: IMAGES names some of student, grader and gpu-grader" >&2; exit 2 ;;
  esac
done

builder=${BUILDER:-}
for name in docker podman buildah; do
  [ -n "$builder" ] || ! command -v "$name" >/dev/null || builder=$name
done
[ -n "$builder" ] || { echo "tilelab: images are built with docker, podman or buildah: install one of them" >&2; exit 2; }

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
for image in "${wanted[@]}"; do
  if [ "$image" = student ]; then
    .venv/bin/tilelab handouts --out "$context/packed"
    mkdir "$context/labs"
    tar -xzf "$context"/packed/tilelab-*.tar.gz --strip-components 1 -C "$context/labs"
    "$builder" build "$@" --file "$context/labs/.devcontainer/Dockerfile" --target student --tag tilelab-student "$context/labs"
  else
    "$builder" build "$@" --file docker/grader/Dockerfile --target "$image" --tag "tilelab-$image" .
  fi
done
