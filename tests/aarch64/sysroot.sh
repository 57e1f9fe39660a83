#!/usr/bin/env bash
# Unpacks the libraries the kit needs for 64-bit ARM under the folder $1, from the machine's own Debian mirror, without
# telling dpkg of another architecture. Set-up's pieces say which packages they are. Not the C library: the cross compiler
# brings that.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target=$1 root=$PWD prefix=$1/none log=$1.log apt_dir=
mkdir -p "$(dirname "$target")"
: >"$log"
for piece in say needs apt; do
  # shellcheck source=/dev/null
  . "kit/setup/$piece.sh"
done
trap close_private_lists EXIT

open_private_lists
: >"$apt_dir/status"  # as if nothing were installed: what is installed is for another processor
cat >>"$apt_dir/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State::status "$apt_dir/status";
CONF
quietly "reading package lists for arm64" update_private_lists || { show_log; die "no package lists for arm64"; }
packages=()
for need in catch2 boost json seccomp sodium; do
  mapfile -t found < <(packages_for "$need")
  [ ${#found[@]} -gt 0 ] || die "no arm64 package for $need: this takes Debian 12 or newer"
  packages+=("${found[@]}")
done
quietly "downloading ${packages[*]} for arm64" download_packages "${packages[@]}" || { show_log; die "no arm64 packages"; }
rm -rf "$target.new" && mkdir -p "$target.new"
for deb in "$apt_dir"/debs/*.deb; do dpkg-deb -x "$deb" "$target.new"; done
rm -rf "$target" && mv "$target.new" "$target"
