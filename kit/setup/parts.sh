# Parts of the kit that a handout's first build leaves out: the grader asks for them when a command first needs one. A file in
# build/parts for each of them says that it is complete. Elsewhere than in a handout, every build has all parts. Sourced by setup.sh.

# What this run has to build besides `all` and the parts that are there: targets of CMakeLists.txt.
wanted_parts=()

# part_name TARGET: what it is, for somebody who waits for it.
part_name() {
  local lab=${1#judge-}
  case $1 in
    judge-*) echo "the tests of ${lab%-public}" ;;
    launch-problem) echo "what times kernels on a GPU" ;;
    broker) echo "what runs host code" ;;
    tilelab_host) echo "CUDA's functions for host code" ;;
    gpu-runner) echo "what runs kernels on a GPU" ;;
    *) echo "$1" ;;
  esac
}

names_of_parts() {
  local part names=
  for part in "$@"; do names+=${names:+, }$(part_name "$part"); done
  echo "$names"
}

# missing_parts TARGET...: prints those that are to be built, one a line. What kit.json does not list is in every build.
missing_parts() {
  local part
  for part in "$@"; do
    if [ ! -e "build/parts/$part" ] && is_on_demand "$part"; then printf '%s\n' "$part"; fi
  done
}

# The list is the last but what follows it in the alphabet: a path in there is no name of a part.
is_on_demand() { sed -n '/"on_demand"/,$p' build/kit.json 2>/dev/null | grep -qF "\"$1\""; }

# Prints the parts that were built, one a line: every later build keeps them up to date. A lab's tests may be gone after an upgrade.
built_parts() {
  local path part lab
  for path in build/parts/*; do
    part=${path##*/} lab=${path##*/judge-}
    if [ ! -e "$path" ] || { [[ $part = judge-* && $part != judge-described ]] && [ ! -e "assignments/${lab%-public}/public_tests.cpp" ]; }; then continue; fi
    printf '%s\n' "$part"
  done
}

note_parts() {
  local part
  [ $# -eq 0 ] || mkdir -p build/parts
  for part in "$@"; do : >"build/parts/$part"; done
}

# provide_parts TARGET...: for a command of the grader, in a folder that is set up.
provide_parts() {
  mapfile -t wanted_parts < <(missing_parts "$@")
  [ ${#wanted_parts[@]} -gt 0 ] || return 0
  : >"$log"
  build_kit ""
}
