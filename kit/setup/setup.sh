#!/usr/bin/env bash
# Makes this clone ready: what it needs from the machine, Python in .venv, the kit in build/. Asks nothing, edits no
# package source, and does nothing the second time. Usage: kit/setup/setup.sh [test|dev|packages]
# "test" and "dev" add those extra Python packages; "packages" brings the machine's own alone, as an image's first layers do.
# TILELAB_SETUP=private unpacks packages under .tilelab/prefix even where they could be installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD prefix=$PWD/.tilelab/prefix log=$PWD/.tilelab/setup.log apt_dir=
here=kit/setup
for piece in say needs apt prefix packages python build toolkit; do
  # shellcheck source=/dev/null
  . "$here/$piece.sh"
done

# A hash of words and of the files among them.
digest() { for word in "$@"; do printf '%s\n' "$word"; [ ! -f "$word" ] || cat "$word"; done | sha256sum | cut -d ' ' -f 1; }

trap close_private_lists EXIT
trap 'exit 130' INT TERM

[ "$(uname -s)" = Linux ] || die "Tilelab grades on Linux; on $(uname -s), use a container or a virtual machine"
mkdir -p .tilelab
exec 9>.tilelab/lock
flock -n 9 || { say "waiting for another set-up of this clone"; flock 9; }

# .tilelab/packages is written last, so an interrupted set-up starts over, and what it had finished is found present.
packages_key=$(digest "$root" "${TILELAB_SETUP:-}" "$here"/{needs,apt,prefix,packages}.sh)
if [ "$(cat .tilelab/packages 2>/dev/null)" != "$packages_key" ]; then
  : >"$log"
  provide_needs
  printf '%s\n' "$packages_key" >.tilelab/packages.new
  mv .tilelab/packages.new .tilelab/packages
fi
[ "${1:-}" != packages ] || exit 0
provide_python "${1:-}"
build_kit "${1:-}"
provide_toolkit
