# What set-up prints, all on standard error: one line for each step, and the end of the log if a step fails. Sourced by setup.sh.
# Long steps show their progress on a terminal and are silent elsewhere.

say() { printf 'tilelab: %s\n' "$*" >&2; }

die() { say "$@"; exit 1; }

# quietly WHAT COMMAND...: prints WHAT and runs the command with its output in $log. The shell's -e has no effect inside the
# command, because its status is tested here. So a function given to it must return by itself at its first failure.
quietly() {
  local what=$1 started=$SECONDS ticker='' status=0
  shift
  printf '\n== %s: %s\n' "$what" "$*" >>"$log"
  if [ -t 2 ]; then
    show_progress "$what" &
    ticker=$!
  else
    say "$what"
  fi
  "$@" >>"$log" 2>&1 </dev/null 9>&- || status=$?
  if [ -n "$ticker" ]; then
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    printf '\r\033[Ktilelab: %s (%d s)\n' "$what" $((SECONDS - started)) >&2
  fi
  return "$status"
}

# Shows the step, the seconds so far and the log's last line on one terminal line, until it is killed or its parent ends.
show_progress() {
  local started=$SECONDS width
  trap - EXIT INT
  trap 'exit 0' TERM
  exec 9>&-
  while kill -0 "$$" 2>/dev/null; do
    width=$(tput cols 2>/dev/null || echo 80)
    printf '\r\033[K%.*s' "$((width - 1))" "tilelab: $1 ($((SECONDS - started)) s)  $(tail -n 1 "$log" | tr -cd '[:print:]')" >&2
    sleep 0.5
  done
}

show_log() { printf -- '--- the end of %s\n' "$log" >&2; tail -n "${1:-15}" "$log" >&2; }
