# Uses a bundle: everything that set-up would fetch, in .tilelab/bundle, for machines without a network. pack.sh makes one. If
# there is a bundle, packages come from nowhere else. Sourced by setup.sh.
#   bundle.txt   system, architecture, Python and pins that it is for     wheels/   the grader's Python packages, and pip
#   SHA256SUMS   of all other files                                       packages/ the distribution's, as apt-get reads them
#                                                                         toolkit/  NVIDIA's compiler, if requested
# A folder with wheels but without bundle.txt is used as it is, unchecked.

bundle=$root/.tilelab/bundle
bundle_format=1

# bundle_says KEY: prints the value of KEY in its description; nothing if there is none.
bundle_says() { [ ! -f "$bundle/bundle.txt" ] || sed -n "s/^$1=//p" "$bundle/bundle.txt"; }

# Prints debian-12, ubuntu-24.04 and the like: packages fit only machines of the same name.
this_system() { (. /etc/os-release 2>/dev/null && echo "${ID:-linux}-${VERSION_ID:-${VERSION_CODENAME:-rolling}}") | tr -cd 'A-Za-z0-9.\n-'; }

pins_digest() { sha256sum kit/setup/python-pins.txt | cut -d ' ' -f 1; }

# Stops if the bundle cannot be used at all. Called before anything is taken from it. It reads all of its files once.
open_bundle() {
  local key damaged
  [ -d "$bundle" ] || return 0
  if [ ! -f "$bundle/bundle.txt" ]; then
    compgen -G "$bundle/*.whl" >/dev/null ||
      die "there is no bundle in .tilelab/bundle: remove that folder, then unpack the archive here: tar -xf tilelab-bundle-....tar"
    return 0
  fi
  [ "$(bundle_says format)" = "$bundle_format" ] ||
    die "the bundle in .tilelab/bundle was made by another version of Tilelab: run make bundle in a clone of this version"
  [ "$(bundle_says architecture)" = "$(uname -m)" ] ||
    die "the bundle in .tilelab/bundle is for $(bundle_says architecture), and this machine is $(uname -m): run make bundle on a machine like this one"
  key=$(digest "$bundle/SHA256SUMS")
  if [ "$(cat "$bundle/.checked" 2>/dev/null)" = "$key" ]; then return; fi
  if ! quietly "checking the bundle" check_sums; then
    damaged=$(damaged_file)
    die "the bundle in .tilelab/bundle is damaged${damaged:+ ($damaged and perhaps more)}: remove that folder, then unpack the archive again or a new copy of it"
  fi
  # If another user unpacked it, this cannot be written, and the bundle is read again next time.
  printf '%s\n' "$key" 2>/dev/null >"$bundle/.checked" || true
}

# Checks that every listed file is there and unchanged, and that the description is listed.
check_sums() { grep -q ' bundle.txt$' "$bundle/SHA256SUMS" && (cd "$bundle" && sha256sum --check --quiet --strict SHA256SUMS); }

damaged_file() { (cd "$bundle" && { LC_ALL=C sha256sum --check --quiet SHA256SUMS 2>/dev/null || true; }) | sed -n 's/: FAILED.*//p' | head -n 1; }

has_bundled_packages() { [ -f "$bundle/packages/Packages" ]; }

# Packages of another release would not fit the installed ones.
bundle_fits_system() {
  ! has_bundled_packages || [ "$(bundle_says system)" = "$(this_system)" ] || {
    say "the packages in .tilelab/bundle are for $(bundle_says system), and this machine is $(this_system): run make bundle on a machine like this one, or install what is missing"
    return 1
  }
}

# Makes the bundle apt-get's only source. It is not signed as the distribution's index is: whoever unpacked it here trusts it.
bundled_sources() {
  ln -s "$bundle/packages" "$apt_dir/bundle"
  echo "deb [trusted=yes] file:$apt_dir/bundle ./" >"$apt_dir/sources/machine.list"
  : >"$apt_dir/sources/machine.sources"
  echo 'APT::Sandbox::User "root";' >>"$apt_dir/apt.conf"  # apt-get's own user cannot read a clone in root's home folder
}

# Chooses the Python that the bundle is for, if the caller chose none and the machine has it.
prefer_bundled_python() {
  local name
  name=python$(bundle_says python)
  if [ -z "${PYTHON:-}" ] && [ "$name" != python ] && command -v "$name" >/dev/null; then PYTHON=$name; fi
}

# expect_bundle_for PYTHON: stops if the wheels are not those that this clone needs for this Python.
expect_bundle_for() {
  local wanted here
  wanted=$(bundle_says python)
  [ -n "$wanted" ] || return 0
  here=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  [ "$wanted" = "$here" ] ||
    die "the bundle in .tilelab/bundle is for Python $wanted, and this machine has $here ($1): make one with make bundle PYTHON=$here, or name a Python $wanted with PYTHON=/path/to/python$wanted"
  [ "$(bundle_says pins)" = "$(pins_digest)" ] ||
    die "the bundle in .tilelab/bundle is of another version of Tilelab, with other Python packages: run make bundle in a clone of this version"
}

# Prints pip's options to find packages in the bundle and not on the network; nothing if there is no bundle.
bundled_wheels() {
  local folder
  [ -d "$bundle" ] || return 0
  echo --no-index
  for folder in "$bundle" "$bundle/wheels" "$bundle/toolkit"; do
    if compgen -G "$folder/*.whl" >/dev/null; then printf '%s\n' --find-links "$folder"; fi
  done
}

has_bundled_toolkit() { compgen -G "$bundle/nvidia_*.whl" >/dev/null || compgen -G "$bundle/toolkit/nvidia_*.whl" >/dev/null; }
