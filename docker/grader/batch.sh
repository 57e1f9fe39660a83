#!/usr/bin/env bash
# What the grader's container does when it is told nothing else: looks whether everything is mounted, then grades
# /submissions into /out. LAB and whatever else `make grade` knows come through the environment.
set -euo pipefail

missing() {
  printf 'tilelab: %s\n  docker run --rm -v "folder":/submissions:ro -v "folder for reports":/out -v tilelab-course:/course tilelab-grader\n' "$1" >&2
  exit 2
}

[ -n "$(ls -A /submissions)" ] || missing "nothing to grade: mount the folder of submissions at /submissions"
mountpoint --quiet /out || missing "the reports would be lost when this container ends: mount a folder at /out"
mountpoint --quiet /course || missing "the course's secret seed would be lost when this container ends: mount a volume at /course"
for folder in /out /course; do
  [ -w "$folder" ] && continue
  printf 'tilelab: the user that grades has no permission to write to %s (user %s)\n' "$folder" "$(id -u)" >&2
  echo "  make the folder yourself before you mount it, or build the image with --build-arg UID=<what id -u prints>" >&2
  exit 2
done
exec make grade SUBMISSIONS=/submissions OUT=/out
