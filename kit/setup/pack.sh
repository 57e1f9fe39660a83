# Makes a bundle: one archive with everything that set-up would fetch on a machine like this one, for machines without a network.
# bundle.sh describes its contents and uses it. Sourced by setup.sh when there is a Python with pip.

bundled_pip=pip==26.3

# make_bundle [--cuda]: for PYTHON=3.12, or for this clone's Python; with NVIDIA's compiler if requested.
make_bundle() {
  local version name folder=.tilelab/bundle.new made
  case ${1:-} in '' | --cuda) ;; *) die "make bundle accepts only OPTIONS=--cuda, not $1" ;; esac
  version=$(bundled_version)
  name=tilelab-bundle-$(this_system)-$(uname -m)-py$version${1:+-cuda13}
  made=$name.tar
  bundle=/nonexistent  # packages come from the network, even if this clone was set up from a bundle
  rm -rf "$folder" && mkdir -p "$folder/.tilelab/bundle/wheels"
  quietly "fetching Python packages for Python $version" fetch_wheels "$folder/.tilelab/bundle/wheels" "$version" ||
    { show_log; die "pip could not fetch the Python packages for Python $version"; }
  pack_packages "$folder/.tilelab/bundle/packages"
  if [ "${1:-}" = --cuda ]; then
    quietly "fetching NVIDIA's compiler (100 MB)" download_wheels "$folder/.tilelab/bundle/toolkit" "$version" "${toolkit_wheels[@]}" ||
      { show_log; die "pip could not fetch NVIDIA's compiler for $(uname -m)"; }
  fi
  describe_bundle "$folder/.tilelab/bundle" "$version"
  quietly "packing" tar -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner -cf "$made.new" .tilelab ||
    { show_log; die "the archive could not be written to $root"; }
  mv "$made.new" "$made" && rm -rf "$folder"
  say "made $made ($(du -m "$made" | cut -f 1) MB). On a machine without a network, in its clone of Tilelab:"
  printf '  tar -xf %s.tar && make setup\n' "$name" >&2
}

bundled_version() {
  case ${PYTHON:-} in
    [0-9]*)
      [[ $PYTHON =~ ^3\.(1[1-9]|[2-9][0-9])$ ]] || die "PYTHON=$PYTHON: give Python 3.11 or newer as two numbers, such as PYTHON=3.12"
      echo "$PYTHON" ;;
    *) .venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])' ;;
  esac
}

# Fetches every pinned package, including those for the tests, and pip for a Python that has none.
fetch_wheels() { download_wheels "$1" "$2" --requirement kit/setup/python-pins.txt "$bundled_pip"; }

download_wheels() {
  local to=$1 version=$2
  shift 2
  run_pip download --dest "$to" --no-deps --only-binary :all: --implementation cp --python-version "$version" "$@"
}

# Packs each package that meets a need, with all its dependencies: the other machine's packages are not known here.
pack_packages() {
  local to=$1 need found packages=()
  if ! have_apt; then
    say "this machine has no apt-get, so the bundle has no compiler and no libraries: the other machine must have them"
    return
  fi
  open_private_lists
  : >"$apt_dir/status"
  echo "Dir::State::status \"$apt_dir/status\";" >>"$apt_dir/apt.conf"
  quietly "reading package lists" update_private_lists || { show_log 5; die "the distribution's package lists cannot be fetched"; }
  for need in "${all_needs[@]}"; do
    mapfile -t found < <(packages_for "$need")
    packages+=("${found[@]}")
    [ ${#found[@]} -gt 0 ] || say "the bundle does not have this, because $(this_system) has no such package: ${why[$need]}"
  done
  quietly "downloading packages" download_packages "${packages[@]}" || { show_log; die "the distribution's packages cannot be fetched"; }
  mkdir -p "$to" && index_packages "$to"
  close_private_lists
}

# Moves the downloads and writes the index that apt-get reads. The colon of an epoch is %3a in file names; apt-get would quote it
# again, so it becomes a dash.
index_packages() {
  local deb name
  for deb in "$apt_dir"/debs/*.deb; do
    name=$(basename "$deb")
    cp "$deb" "$1/${name//%3a/-}"
  done
  for deb in "$1"/*.deb; do
    dpkg-deb --field "$deb"
    printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "$(basename "$deb")" "$(stat -c %s "$deb")" "$(sha256sum "$deb" | cut -d ' ' -f 1)"
  done >"$1/Packages"
}

describe_bundle() {
  cat >"$1/bundle.txt" <<DESCRIPTION
format=$bundle_format
system=$(this_system)
architecture=$(uname -m)
python=$2
pins=$(pins_digest)
DESCRIPTION
  (cd "$1" && find . -type f ! -name SHA256SUMS -printf '%P\0' | sort -z | xargs -0 sha256sum >SHA256SUMS)
  chmod -R a+rX "$1"
}
