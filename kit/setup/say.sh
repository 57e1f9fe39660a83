# What set-up prints, all on standard error: one line for each step, how long each took, and the end of the log if a step fails.
# Sourced by setup.sh. Long steps show their progress on a terminal and are silent elsewhere.

steps=() meanwhile_pid='' beside_pid=''

say() { printf 'tilelab: %s\n' "$*" >&2; }

die() { say "$@"; exit 1; }

# quietly WHAT COMMAND...: prints WHAT and runs the command with its output in $log. The shell's -e has no effect inside the
# command, because its status is tested here. So a function given to it must return by itself at its first failure. It runs in a
# subshell that holds the lock, as this shell does: if this shell alone is killed, the next set-up waits for what is still at work.
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
  if [ -n "$meanwhile_pid" ]; then
    beside "$@" || status=$?
  else
    (exclusively "$@") >>"$log" 2>&1 </dev/null || status=$?
  fi
  note_step "$what" $((SECONDS - started))
  if [ -n "$ticker" ]; then
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    printf '\r\033[Ktilelab: %s (%d s)\n' "$what" $((SECONDS - started)) >&2
  fi
  if [ "$status" != 0 ] && meanwhile_failed; then joined || exit 1; fi
  return "$status"
}

# A program in the background that outlives its work, as some compilers' caches do, must not keep the lock: only this shell does.
exclusively() { ("$@" 9>&-) || return $?; }

# Runs the command like `quietly`, and ends it where what `meanwhile` began fails first: nobody waits for a build to be told that there
# is no network. `quietly` says then what failed, and exits.
beside() {
  local status=0
  set -m
  (exclusively "$@") >>"$log" 2>&1 </dev/null &
  beside_pid=$!
  set +m
  while kill -0 "$beside_pid" 2>/dev/null; do
    if meanwhile_failed; then end_beside; fi
    sleep 0.2
  done
  wait "$beside_pid" || status=$?
  beside_pid=
  return "$status"
}

# note_step WHAT SECONDS: remembers a step for say_times.
note_step() { [ "$2" -lt 1 ] || steps+=("$1 $2 s"); }

# At the end of a set-up that did something: the whole time, and each step's.
say_times() {
  [ ${#steps[@]} -eq 0 ] || say "ready after $SECONDS s: $(printf '%s, ' "${steps[@]}" | sed 's/, $//')"
}

# meanwhile WHAT COMMAND...: begins the command in the background, in a process group of its own. `joined` waits for it.
meanwhile() {
  local started=$SECONDS
  meanwhile_what=$1
  shift
  rm -f "$log.ended"
  set -m
  { status=0; exclusively "$@" || status=$?; echo "$((SECONDS - started)) $status" >"$log.ended"; exit "$status"; } >"$log.meanwhile" 2>&1 </dev/null &
  meanwhile_pid=$!
  set +m
}

# Waits for what `meanwhile` began, if anything. Where that failed, it shows the end of what was said, and fails.
joined() {
  local status=0
  [ -n "$meanwhile_pid" ] || return 0
  wait "$meanwhile_pid" || status=$?
  meanwhile_pid=
  cat "$log.meanwhile" >>"$log"
  note_step "$meanwhile_what" "$(cut -d ' ' -f 1 "$log.ended" 2>/dev/null || echo 0)"
  [ "$status" = 0 ] || tail -n 17 "$log.meanwhile" >&2
  return "$status"
}

meanwhile_failed() { [ -n "$meanwhile_pid" ] && [ -e "$log.ended" ] && [ "$(cut -d ' ' -f 2 "$log.ended")" != 0 ]; }

# For an exit in between.
end_meanwhile() { [ -z "$meanwhile_pid" ] || kill -- "-$meanwhile_pid" 2>/dev/null || true; }
end_beside() { [ -z "$beside_pid" ] || kill -- "-$beside_pid" 2>/dev/null || true; }

# time_left LINE SECONDS: prints what the count of steps at the beginning of Ninja's or Make's line says of the time left, after SECONDS.
# Nothing before a third is built: the first steps are the longest, and promised 9 minutes where 2 remained.
time_left() {
  local built total left
  [[ $1 =~ ^\[\ *([0-9]+)(/([0-9]+)|%)\] ]] || return 0
  built=${BASH_REMATCH[1]} total=${BASH_REMATCH[3]:-100}
  if [ "$2" -lt "${least_seconds:-4}" ] || [ $((built * 3)) -lt "$total" ] || [ "$built" -ge "$total" ]; then return; fi
  left=$(((total - built) * $2 / built))
  if [ "$left" -lt 60 ]; then echo ", less than a minute left"; else echo ", about $(((left + 30) / 60)) min left"; fi
}

# Shows the step, the seconds so far and left, and the log's last line on one terminal line, until it is killed or its parent ends.
show_progress() {
  local started=$SECONDS width line counted
  trap - EXIT INT
  trap 'exit 0' TERM
  exec 9>&-
  while kill -0 "$$" 2>/dev/null; do
    width=$(tput cols 2>/dev/null || echo 80) line=$(tail -n 1 "$log" | tr -cd '[:print:]')
    counted=$(tail -n 400 "$log" | grep -a '^\[\|^== ' | tail -n 1 || true)
    printf '\r\033[K%.*s' "$((width - 1))" "tilelab: $1 ($((SECONDS - started)) s$(time_left "$counted" $((SECONDS - started))))  $line" >&2
    sleep 0.5
  done
}

disk_is_full() { [ -n "$(full_place)" ]; }

# Prints what is full, if anything is: this folder's disk, or the one for temporary files, or what a user may have.
full_place() {
  if has_no_room .; then echo "this disk"
  elif has_no_room "${TMPDIR:-/tmp}"; then echo "the disk of ${TMPDIR:-/tmp}"
  elif { tail -n 40 "$log"; tail -n 40 "$log.meanwhile" || true; } 2>/dev/null | grep 'Disk quota exceeded' >/dev/null; then echo "your disk quota"
  fi
}

has_no_room() {
  local free
  free=$(df --output=avail -k "$1" 2>/dev/null | tail -n 1 | tr -d ' ')
  [ "${free:-999999}" -lt 10240 ] 2>/dev/null
}

# On a full disk the log says the same in many words.
show_log() { disk_is_full || show_end_of_log "$@"; }

show_end_of_log() { printf -- '--- the end of %s\n' "$log" >&2; tail -n "${1:-15}" "$log" >&2; }
