#!/usr/bin/env bash
# One job of Autolab: grades the file that was handed in. Students see all that is printed here, so it tells of no failure's cause. The
# last line holds a score for each lab; `null` where the grader failed. AUTOGRADER: another folder than /opt/autograder, for trials.
set -uo pipefail
course=${AUTOGRADER:-/opt/autograder}/tilelab
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
chmod go= "$here/seed"
export TILELAB_BACKEND=cpu TILELAB_SEED=$here/seed
mkdir "$here/submission" || exit 1
for file in "$here"/../*; do
  case ${file##*/} in autograde | Makefile | output.log | feedback) ;; *) mv -- "$file" "$here/submission/" ;; esac
done
labs=() scores=
while IFS= read -r lab; do
  labs+=(--lab "$lab")
  scores+="${scores:+, }\"$lab\": null"
done <"$here/labs.txt"
answer=$(cd "$course" && .venv/bin/tilelab grade-one autolab "$here/submission" --out "$here/results" "${labs[@]}" 2>/dev/null)
if [ -n "$answer" ]; then
  printf '%s\n' "$answer"
else
  echo "Not graded: the autograder failed, and not your files. You lose no points by it. Submit the same files again in some minutes. If it happens again, tell your instructor."
  printf '{"scores": {%s}}\n' "$scores"
fi
