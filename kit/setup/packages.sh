# Meets every need of the machine: with what is installed, else with packages, else by saying what is missing and what to do.
# Sourced by setup.sh.

unfetched=''  # not empty: there is apt-get, and it could not fetch anything

# provide_needs NEED...: stops if one cannot be met.
provide_needs() {
  local missing
  mapfile -t missing < <(find_missing "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  packages_came=yes
  fetch_needs "${missing[@]}"
  mapfile -t missing < <(find_missing "$@")
  [ ${#missing[@]} -eq 0 ] || report_missing "${missing[@]}"
}

# What some of the project's own tests need is installed where that is allowed, and tried once. One line says what is left out.
provide_test_needs() {
  local need missing key packages=()
  mapfile -t missing < <(find_missing "${test_needs[@]}")
  [ ${#missing[@]} -gt 0 ] || return 0
  key=$(digest "$packages_key" "${missing[@]}" "$(id -u)")
  if [ "$(cat .tilelab/test-packages 2>/dev/null)" != "$key" ]; then
    fetch_needs "${missing[@]}"
    [ -n "$unfetched" ] || record test-packages "$key"
    mapfile -t missing < <(find_missing "${test_needs[@]}")
    [ ${#missing[@]} -gt 0 ] || return 0
  fi
  for need in "${missing[@]}"; do packages+=("${packages_of[$need]}"); done
  say "left out, so tests that need it are skipped: ${missing[*]}. On Debian an administrator gets it with: apt-get install ${packages[*]}"
}

fetch_needs() {
  open_bundle
  if have_apt && can_be_had "$@" && bundle_fits_system; then
    open_private_lists
    if quietly "reading package lists" update_private_lists; then
      has_private_lists || unfetched=yes
      get_packages "$@"
    else
      show_log 5
      unfetched=yes
    fi
    close_private_lists
  fi
}

# An ordinary user can unpack libraries. A compiler, a Python, a browser or a Slurm in another folder would not find its own parts.
can_be_had() { may_install || ! [[ " $* " =~ \ (compiler|python|chromium|clang|slurm)\  ]]; }

get_packages() {
  local need found packages=() reasons=()
  for need in "$@"; do
    mapfile -t found < <(packages_for "$need")
    packages+=("${found[@]}")
    [ ${#found[@]} -eq 0 ] || reasons+=("${found[*]}  (${why[$need]})")
  done
  [ ${#packages[@]} -gt 0 ] || return 0
  if may_install; then
    say "installing with apt-get:"
    printf '  %s\n' "${reasons[@]}" >&2
    quietly "installing packages" install_packages "${packages[@]}" && return
    show_log
    [[ " ${test_needs[*]} " != *" $1 "* ]] || return 0
    say "apt-get could not install them; unpacking them under .tilelab/prefix instead"
  else
    say "unpacking under .tilelab/prefix, for this clone only:"
    printf '  %s\n' "${reasons[@]}" >&2
  fi
  if ! { quietly "downloading packages" download_packages "${packages[@]}" &&
         quietly "unpacking packages" unpack_packages "$apt_dir"/debs/*.deb; }; then show_log; fi
}

report_missing() {
  local need needed=()
  if have_apt && ! can_be_had "$@"; then
    # The other packages can be unpacked after these two. And without a compiler, nobody can tell which libraries are missing.
    for need in compiler python; do is_present "$need" || needed+=("$need"); done
    set --
  fi
  for need in "$@"; do
    if is_optional "$need"; then
      say "continuing without $need: the kit's own launcher confines submissions instead"
    else
      needed+=("$need")
    fi
  done
  [ ${#needed[@]} -gt 0 ] || return 0
  say "missing on this machine:"
  for need in "${needed[@]}"; do printf '  %s%s\n    %s\n' "${why[$need]}" "$(found_instead "$need")" "$(remedy "$need")" >&2; done
  if have_apt && has_bundled_packages && bundle_fits_system; then
    say "the bundle does not have these packages, or they do not fit what is installed here: run make bundle on a machine that is as up to date as this one"
  fi
  [ -z "$unfetched" ] || die "no package could be fetched. Check the network (behind a proxy: export https_proxy=http://host:port http_proxy=http://host:port), then run the same command again: it gets all of this by itself. A machine without a network needs a bundle, from make bundle on one with a network and the same release"
  die "install these, then run the same command again"
}

# Names a program that is there but not good enough: an old compiler would otherwise be reported as missing.
found_instead() {
  local tool version
  case $1 in compiler) tool=${CXX:-g++} ;; python) tool=${PYTHON:-python3} ;; *) return 0 ;; esac
  command -v "$tool" >/dev/null || return 0
  version=$("$tool" --version 2>/dev/null | head -n 1) || version=
  echo " (found: ${version:-$tool, which does not work})"
}

remedy() {
  if have_apt; then echo "ask an administrator for: apt-get install ${packages_of[$1]}"; else echo "${elsewhere[$1]}"; fi
}
