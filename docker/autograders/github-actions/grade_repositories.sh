#!/usr/bin/env bash
# Grades students' repositories from a private one: the steps of its workflow. Each takes its words from the environment.
#   fetch      clones the repositories of OWNER whose names begin with PREFIX into SUBMISSIONS; needs `gh` and its token
#   grade      grades each into GRADED/<repository>, and writes GRADED/points.csv; SEED: the course's seed
#   give-back  writes each one's points as a commit status, and its page into a release called tilelab; needs `gh` and its token
#   complete   ends with status 3 if a repository got no points, or if something could not be given back
# Trouble with one repository stops none of the others: it is written into GRADED, and `complete` ends the run red.
# Who may push to a repository may write statuses and releases of that name too. So what is given back says that it is advice, and
# GRADED/points.csv is the record.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() { echo "tilelab: $1" >&2; exit 2; }
[[ ${OWNER:-x} =~ ^[A-Za-z0-9-]+$ ]] || fail "OWNER is no name of an organization"
[[ ${PREFIX:-x} =~ ^[A-Za-z0-9._-]+$ ]] || fail "PREFIX has letters that no repository's name has"
SUBMISSIONS=${SUBMISSIONS:-${RUNNER_TEMP:?}/submissions} GRADED=${GRADED:-${RUNNER_TEMP:?}/graded}

fetch() {
  local names name missed=0
  mkdir -p "$SUBMISSIONS" "$GRADED"
  : >"$GRADED/commits.txt"
  names=$(gh repo list "$OWNER" --limit 4000 --json name --jq '.[].name') || fail "the repositories of $OWNER could not be listed"
  while IFS= read -r name; do
    case $name in "$PREFIX"*) ;; *) continue ;; esac
    if clone "$name"; then
      printf '%s %s\n' "$name" "$(git -C "$SUBMISSIONS/$name" rev-parse --verify --quiet HEAD || echo empty)"
    else
      rm -rf "${SUBMISSIONS:?}/$name"
      echo "::error::$name could not be fetched" >&2
      printf '%s missed\n' "$name"
      missed=$((missed + 1))
    fi >>"$GRADED/commits.txt"
  done <<<"$names"
  [ -s "$GRADED/commits.txt" ] || fail "no repository of $OWNER begins with $PREFIX"
  echo "$(wc -l <"$GRADED/commits.txt") repositories, $missed of them could not be fetched"
}

# clone NAME: only what is handed in: no history, no submodules, no files that lie elsewhere, and not more than a lab can need.
clone() (
  ulimit -f 524288 # kilobytes of one file, such as a pack
  GIT_LFS_SKIP_SMUDGE=1 GIT_TERMINAL_PROMPT=0 timeout --kill-after=10 "${CLONE_SECONDS:-180}" \
    git -c credential.helper= -c credential.helper='!gh auth git-credential' clone --quiet --depth 1 --no-tags --no-recurse-submodules \
    "${GITHUB_SERVER_URL:-https://github.com}/$OWNER/$1.git" "$SUBMISSIONS/$1"
)

grade() {
  local name commit labs=() lab
  while IFS= read -r lab; do labs+=(--lab "$lab"); done <"$here/labs.txt"
  [ -n "${SEED:-}" ] || fail "the secret TILELAB_SEED is empty: hidden sizes would be others each time"
  seed=$(mktemp) && chmod 600 "$seed" && printf '%s\n' "$SEED" >"$seed"
  unset SEED
  trap 'rm -f "$seed"' EXIT # when the script ends, and so no variable of this function's own
  echo "repository,points,max" >"$GRADED/points.csv"
  while read -r name commit; do
    rm -rf "${GRADED:?}/$name"
    if [ "$commit" != missed ]; then
      (cd "$here/tilelab" && TILELAB_SEED=$seed .venv/bin/tilelab grade-one github-actions "$SUBMISSIONS/$name" --out "$GRADED/$name" "${labs[@]}" >/dev/null </dev/null) ||
        echo "::error::$name was not graded: run this again" >&2
    fi
    printf '%s,%s,%s\n' "$name" "$(said points)" "$(said max)" >>"$GRADED/points.csv"
  done <"$GRADED/commits.txt"
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
  local name commit me
  me=$(gh api user --jq .login 2>/dev/null) || me=
  : >"$GRADED/kept.txt"
  while read -r name commit; do
    if [[ ! $commit =~ ^[0-9a-f]{40,64}$ ]] || [ -z "$(said points)" ]; then continue; fi # nothing to give, or no commit to give it to
    if ! give "$name" "$commit" </dev/null; then
      echo "::error::$name: points or page could not be given back" >&2
      echo "$name" >>"$GRADED/kept.txt"
    fi
  done <"$GRADED/commits.txt"
}

# give NAME COMMIT: its status, then its release.
give() {
  local others
  others=$(foreign "$1" "$2")
  [ -z "$others" ] || echo "::warning::$1: a status called tilelab was written by $others, and not by $me. points.csv counts" >&2
  printf '%s\n\n%s\n' "$(cat "$GRADED/$1/summary.md")" "$advice" >"$GRADED/$1/notes.md"
  gh api "repos/$OWNER/$1/statuses/$2" -f state=success -f context=tilelab -f description="$(said points) of $(said max) points. $advice" >/dev/null || return
  gh release view tilelab --repo "$OWNER/$1" >/dev/null 2>&1 ||
    gh release create tilelab --repo "$OWNER/$1" --title "Tilelab's report" --notes "The page of the latest grading." >/dev/null || return
  gh release upload tilelab "$GRADED/$1/report.html" --repo "$OWNER/$1" --clobber &&
    gh release edit tilelab --repo "$OWNER/$1" --notes-file "$GRADED/$1/notes.md" >/dev/null
}

complete() {
  local open kept=0
  open=$(grep -c ',,$' "$GRADED/points.csv") || true
  [ ! -e "$GRADED/kept.txt" ] || kept=$(wc -l <"$GRADED/kept.txt")
  echo "$(($(wc -l <"$GRADED/points.csv") - 1)) repositories: $open without points, $kept that got nothing back"
  [ "$open" = 0 ] && [ "$kept" = 0 ] || exit 3
}

case ${1:-} in
  fetch) fetch ;;
  grade) grade ;;
  give-back) give_back ;;
  complete) complete ;;
  *) fail "this knows fetch, grade, give-back and complete" ;;
esac
