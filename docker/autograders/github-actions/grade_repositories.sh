#!/usr/bin/env bash
# Grades students' repositories from a private one: the steps of its workflow. Each takes its words from the environment.
#   fetch      clones the repositories of OWNER whose names begin with PREFIX into SUBMISSIONS; needs `gh` and its token
#   grade      grades each into GRADED/<repository>, and writes GRADED/points.csv; SEED: the course's seed
#   give-back  writes each one's points as a commit status, and its page into a release called tilelab; needs `gh` and its token
# Who may push to a repository may write statuses and releases of that name too. So what is given back says that it is advice, and
# GRADED/points.csv is the record.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() { echo "tilelab: $1" >&2; exit 2; }
[[ ${OWNER:-x} =~ ^[A-Za-z0-9-]+$ ]] || fail "OWNER is no name of an organization"
[[ ${PREFIX:-x} =~ ^[A-Za-z0-9._-]+$ ]] || fail "PREFIX has letters that no repository's name has"

fetch() {
  local name found=0 missed=0
  mkdir -p "$SUBMISSIONS" "$GRADED"
  : >"$GRADED/commits.txt"
  while IFS= read -r name; do
    case $name in "$PREFIX"*) ;; *) continue ;; esac
    if gh repo clone "$OWNER/$name" "$SUBMISSIONS/$name" -- --quiet --depth 1 --no-recurse-submodules; then
      printf '%s %s\n' "$name" "$(git -C "$SUBMISSIONS/$name" rev-parse HEAD 2>/dev/null)" >>"$GRADED/commits.txt"
      found=$((found + 1))
    else
      echo "::error::$name could not be cloned" >&2
      missed=$((missed + 1))
    fi
  done < <(gh repo list "$OWNER" --limit 4000 --json name --jq '.[].name')
  echo "$found repositories"
  [ "$found" -gt 0 ] || fail "no repository of $OWNER begins with $PREFIX"
  [ "$missed" = 0 ] || exit 3
}

grade() {
  local name status=0 labs=() lab seed
  while IFS= read -r lab; do labs+=(--lab "$lab"); done <"$here/labs.txt"
  [ -n "${SEED:-}" ] || fail "the secret TILELAB_SEED is empty: hidden sizes would be others each time"
  seed=$(mktemp) && chmod 600 "$seed" && printf '%s\n' "$SEED" >"$seed"
  unset SEED
  trap 'rm -f "$seed"' EXIT
  echo "repository,points,max" >"$GRADED/points.csv"
  for folder in "$SUBMISSIONS"/*/; do
    name=$(basename "$folder")
    (cd "$here/tilelab" && TILELAB_SEED=$seed .venv/bin/tilelab grade-one github-actions "$folder" --out "$GRADED/$name" "${labs[@]}" >/dev/null) ||
      { echo "::error::$name was not graded: run this again" >&2; status=3; }
    printf '%s,%s,%s\n' "$name" "$(said points)" "$(said max)" >>"$GRADED/points.csv"
  done
  exit "$status"
}

# said KEY: what the result of $name says; nothing if it was not graded.
said() { sed -n "s/^$1=//p" "$GRADED/$name/outputs.txt" 2>/dev/null; }

advice="Advice only: the list of your instructor counts."

# foreign NAME COMMIT: who else has written a status called tilelab there; nothing if nobody has, or if GitHub does not say who we are.
foreign() {
  [ -n "$me" ] || return 0
  gh api "repos/$OWNER/$1/commits/$2/statuses" --paginate --jq '.[] | select(.context == "tilelab") | .creator.login' 2>/dev/null |
    grep -vxF -- "$me" | tr -cd 'A-Za-z0-9[]\n-' | sort -u | paste -sd ' '
}

give_back() {
  local name commit points others me status=0
  me=$(gh api user --jq .login 2>/dev/null) || me=
  while read -r name commit; do
    points=$(said points)
    [ -n "$points" ] && [ -n "$commit" ] || continue
    others=$(foreign "$name" "$commit")
    [ -z "$others" ] || echo "::warning::$name: a status called tilelab was written by $others, and not by $me. points.csv counts" >&2
    gh api "repos/$OWNER/$name/statuses/$commit" -f state=success -f context=tilelab -f description="$points of $(said max) points. $advice" >/dev/null || status=3
    gh release view tilelab --repo "$OWNER/$name" >/dev/null 2>&1 ||
      gh release create tilelab --repo "$OWNER/$name" --title "Tilelab's report" --notes "The page of the latest grading." || status=3
    printf '%s\n\n%s\n' "$(cat "$GRADED/$name/summary.md")" "$advice" >"$GRADED/$name/notes.md"
    gh release upload tilelab "$GRADED/$name/report.html" --repo "$OWNER/$name" --clobber || status=3
    gh release edit tilelab --repo "$OWNER/$name" --notes-file "$GRADED/$name/notes.md" >/dev/null || status=3
  done <"$GRADED/commits.txt"
  exit "$status"
}

case ${1:-} in
  fetch) fetch ;;
  grade) grade ;;
  give-back) give_back ;;
  *) fail "this knows fetch, grade and give-back" ;;
esac
