#!/usr/bin/env bash
# Makes this clone ready: what it needs from the machine, Python in .venv, the kit in build/. It asks nothing, edits no package
# source, and does nothing the second time. Usage: kit/setup/setup.sh [test|dev|site|packages|toolkit|bundle [--cuda]|part TARGET...|kit|prebuilt BUILD]
#
# "test" adds what the project's own tests need, with a browser, Clang and Slurm where packages may be installed. "dev" makes only .venv, with all that checks and formats sources, and builds
# nothing. "site" does the same with what makes the documents a web site. "part" builds parts of the kit that a handout's first build left out. "kit" makes only the kit ready, without .venv where it came built: for the wheel, which has a Python. "prebuilt" packs what was built in BUILD for this folder. "packages" provides only the machine's packages, as the first layers of an image do. "toolkit" fetches NVIDIA's
# compiler for this clone, also without a GPU. "bundle" packs all of that for machines without a network. TILELAB_SETUP=private
# unpacks packages under .tilelab/prefix even if they could be installed.
! LC_ALL=C grep -q $'\r' "${BASH_SOURCE[0]}" || { echo "tilelab: the files of this folder have got the line ends of Windows, with which nothing runs: unpack the handout again inside of Linux (tar -xf), and copy your .cu and answers.md files into it" >&2; exit 1; } # so that this line ends well
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD prefix=$PWD/.tilelab/prefix log=$PWD/.tilelab/setup.log apt_dir=
here=kit/setup
for piece in say bundle needs apt prefix packages python parts build prebuilt toolkit pack; do
  # shellcheck source=/dev/null
  . "$here/$piece.sh"
done

# A hash of words; for a word that names a file, also of the file.
digest() { for word in "$@"; do printf '%s\n' "$word"; [ ! -f "$word" ] || cat "$word"; done | sha256sum | cut -d ' ' -f 1; }

# record NAME WORDS: writes a file in .tilelab. It replaces the old one only when it is complete.
record() { printf '%s\n' "$2" >".tilelab/$1.new" && mv ".tilelab/$1.new" ".tilelab/$1"; }

# At every end; a full disk stops other programs with words of their own.
finish() {
  local status=$?
  end_meanwhile
  end_beside
  close_private_lists
  if [ "$status" -ne 0 ] && [ "$status" -ne 130 ] && disk_is_full; then
    full=$(full_place)
    say "${full:-this disk} is full: make room, then run the same command again"
  fi
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

[ "$(uname -s)" = Linux ] || die "Tilelab grades on Linux; on $(uname -s), use a container or a virtual machine"
case ${1:-} in '' | test | dev | site | packages | toolkit | bundle | part | kit | prebuilt) ;; *) die "set-up knows test, dev, site, packages, toolkit, bundle, part, kit and prebuilt, not $1" ;; esac
case $root in
  *[][\;:\"\\\<\>\|]* | *$'\n'*)
    die "the path of this folder has a sign with which it cannot be built (one of ; : \" \\ < > | [ ] or a new line): move it, or rename the folder: ${root//$'\n'/?}" ;;
esac
mkdir -p .tilelab 2>/dev/null && : 2>/dev/null >>.tilelab/lock || {
  if disk_is_full; then exit 1; fi
  die "this folder cannot be written: $root. Copy it to a folder of your own, and work there"
}
exec 9>.tilelab/lock
locked=0
flock -n -E 75 9 2>/dev/null || locked=$?
if [ "$locked" = 75 ]; then say "waiting for another set-up of this clone"; flock 9; fi  # where a drive knows no locks, nobody is waited for
if [ ! -x .tilelab/runs ] && [ "${1:-}" != prebuilt ]; then  # which runs nothing from here
  if ! { printf '#!/bin/sh\n' >.tilelab/runs.new && chmod +x .tilelab/runs.new && .tilelab/runs.new && mv .tilelab/runs.new .tilelab/runs; } 2>/dev/null; then
    if disk_is_full; then exit 1; fi
    die "no program can be run from this folder's drive (it is mounted with noexec): copy the folder to your home, and work there"
  fi
fi

# .tilelab/provided is written last. So an interrupted set-up starts again, and finds what it had finished. .tilelab/packages
# changes only when packages were added; then the build is configured again.
packages_key=$(digest "$root" "${TILELAB_SETUP:-}" "$here"/{needs,apt,prefix,packages}.sh)
packages_came=
# provide_machine NAME NEED...: provides these needs, unless they or all needs are there. NAME stands for fewer than all.
provide_machine() {
  local provided
  provided=$(cat .tilelab/provided 2>/dev/null) || provided=
  if [ "$provided" = "$packages_key" ] || [ "$provided" = "$packages_key${1:+ $1}" ]; then return; fi
  : >"$log"
  provide_needs "${@:2}"
  if [ -n "$packages_came" ] || [ ! -e .tilelab/packages ]; then record packages "$packages_key"; fi
  record provided "$packages_key${1:+ $1}"
}
came_built=
if [[ ${1:-} = '' || $1 = kit ]] && comes_built; then came_built=yes; fi
case ${1:-} in
  dev | site | part | prebuilt) ;;
  *) if [ -n "$came_built" ]; then provide_machine prebuilt "${prebuilt_needs[@]}"; else provide_machine "" "${all_needs[@]}"; fi ;;
esac
if [ "${1:-}" = test ]; then provide_test_needs; fi
case ${1:-} in
  packages) ;;
  dev | site)
    # Needs no compiler and no library: only what makes .venv.
    has_python "$1" || provide_needs python pip
    provide_python "$1" ;;
  bundle)
    provide_python ""
    make_bundle "${@:2}" ;;
  part)
    provide_parts "${@:2}"
    exit ;;
  kit)
    if [ -z "$came_built" ] || ! take_prebuilt; then exec bash "$here/setup.sh"; fi ;;
  prebuilt)
    make_prebuilt "$2"
    exit ;;
  toolkit)
    provide_python ""
    take_toolkit ;;
  '' | test)
    provide_venv
    [ -n "$came_built" ] || provide_build_tools
    # The grader's packages come from the network while the kit is built, which needs all processors.
    has_python "${1:-}" || meanwhile "Python packages" provide_python "${1:-}"
    if [ -n "$came_built" ] && ! take_prebuilt; then
      joined || exit 1
      came_built=
      provide_machine "" "${all_needs[@]}"
      provide_build_tools
    fi
    if [ -z "$came_built" ]; then
      if has_gpu && [ ! -e build/parts/gpu-runner ]; then wanted_parts=(gpu-runner); fi  # whether its driver answers is asked below
      build_kit "${1:-}"
    fi
    joined || exit 1
    provide_toolkit
    try_compiler ;;
esac
say_times
