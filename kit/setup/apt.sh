# Gets Debian and Ubuntu packages without touching the machine's package sources. Every apt-get here reads a private list of
# sources, made from the machine's own (or from a bundle), with private indexes, in a temporary folder. Sourced by setup.sh.
# install_packages installs them on the machine (as root, or with a sudo that asks nothing); download_packages only fetches them.

have_apt() { command -v apt-get >/dev/null && command -v dpkg >/dev/null && [ -r /etc/os-release ]; }

may_install() {
  [ "${TILELAB_SETUP:-}" = private ] && return 1
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

# The folder's path has no space, whatever this clone is called. It is readable, because root's apt-get downloads as another user.
open_private_lists() {
  apt_dir=$(mktemp -d "/tmp/tilelab-apt.XXXXXX")
  chmod 755 "$apt_dir"
  mkdir -p "$apt_dir"/{sources,lists/partial,cache/archives/partial,debs}
  cat >"$apt_dir/apt.conf" <<CONF
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$apt_dir/sources";
Dir::State::Lists "$apt_dir/lists";
Dir::Cache "$apt_dir/cache";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Install-Recommends "false";
DPkg::Lock::Timeout "300";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
CONF
  if has_bundled_packages; then bundled_sources; else copy_sources; fi
}

close_private_lists() {
  [ -n "${apt_dir:-}" ] || return 0
  rm -rf "$apt_dir" 2>/dev/null || as_root rm -rf "$apt_dir" 2>/dev/null || true
  apt_dir=
}

private_apt() { "${1}" -c "$apt_dir/apt.conf" "${@:2}"; }

# Copies the distribution's own sources unchanged. It leaves out third parties' sources, which have nothing that is needed.
copy_sources() {
  local file suites
  suites=$(. /etc/os-release && echo "${VERSION_CODENAME:-} ${UBUNTU_CODENAME:-} ${DEBIAN_CODENAME:-} stable testing unstable sid")
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -r "$file" ] || one_line_sources "$suites" <"$file"
  done >"$apt_dir/sources/machine.list"
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -r "$file" ] || { stanza_sources "$suites" <"$file"; echo; }
  done >"$apt_dir/sources/machine.sources"
}

# Prints lines "deb [options] uri suite components" whose suite is one of $1 or its updates.
one_line_sources() {
  awk -v names="$1" '
    BEGIN { n = split(names, name) }
    /^deb[ \t]/ && !/cdrom:/ {
      line = $0; sub(/\[[^]]*\]/, "", line); split(line, field)
      for (i = 1; i <= n; ++i) if (field[3] == name[i] || index(field[3], name[i] "-") == 1) { print; next }
    }'
}

# Does the same for stanzas of deb822 fields.
stanza_sources() {
  awk -v names="$1" '
    BEGIN { n = split(names, name); RS = ""; ORS = "\n\n"; FS = "\n" }
    {
      for (f = 1; f <= NF; ++f) if ($f ~ /^Suites:/) {
        m = split($f, suite, /[ \t]+/)
        for (s = 2; s <= m; ++s) for (i = 1; i <= n; ++i)
          if (suite[s] == name[i] || index(suite[s], name[i] "-") == 1) { print; next }
      }
    }'
}

# Adds this Debian's backports, from the same mirror and with the same key.
add_backports() {
  local codename
  codename=$(. /etc/os-release && [ "$ID" = debian ] && echo "${VERSION_CODENAME:-}") || return 1
  [ -n "$codename" ] && write_backports "$codename" || return 1
  update_private_lists
}

# Writes them from the line or stanza of the release itself.
write_backports() {
  local from=$apt_dir/sources/machine to=$apt_dir/sources/backports
  sed -nE "s/^(deb[ \t]+(\[[^]]*\][ \t]+)?[^ \t]+[ \t]+$1)[ \t].*/\1-backports main/p" "$from.list" | head -n 1 >"$to.list"
  awk -v suite="$1" 'BEGIN { RS = ""; ORS = "\n\n" }
    $0 ~ "Suites:([^\n]*[ \t])?" suite "([ \t\n]|$)" {
      sub(/Suites:[^\n]*/, "Suites: " suite "-backports"); sub(/Components:[^\n]*/, "Components: main"); print; exit
    }' "$from.sources" >"$to.sources"
  [ -s "$to.list" ] || [ -s "$to.sources" ]
}

update_private_lists() { private_apt apt-get -q update; }

# Without a network, apt-get says so and succeeds.
has_private_lists() { [ -n "$(find "$apt_dir/lists" -maxdepth 1 -type f -name '*Packages*' -print -quit)" ]; }

# Prints the version that would be installed; nothing if there is none. Where no package has the name, apt-cache takes it as a regular
# expression: "g++-14" then finds clang-14.
candidate() {
  private_apt apt-cache policy "$1" 2>/dev/null |
    awk -v name="$1:" '/^[^ ]/ { ours = ($1 == name) } ours && $1 == "Candidate:" && $2 != "(none)" {print $2}'
}

is_at_least() { [ -n "$1" ] && dpkg --compare-versions "$1" ge "$2"; }

# Prints the first of the packages named after MINIMUM whose candidate version is at least MINIMUM.
first_package() {
  local minimum=$1 package
  shift
  for package in "$@"; do
    if is_at_least "$(candidate "$package")" "$minimum"; then echo "$package"; return; fi
  done
}

# Prints the packages that meet a need on this release, one on each line; nothing if none of them is new enough.
packages_for() {
  local package
  case $1 in
    compiler)
      package=$(first_package 4:12 g++)  # 4 is the epoch of Debian's package that selects the default compiler
      [ -n "$package" ] || package=$(first_package 12 g++-14 g++-13 g++-12)
      [ -z "$package" ] || echo "$package" ;;
    python)
      package=$(first_package 3.11.2 python3 python3.13 python3.12 python3.11)
      [ -z "$package" ] || printf '%s\n' "$package" "$package-venv" ;;
    pip) first_package 22 python3-pip-whl ;;
    catch2)
      package=$(first_package 3.4 libcatch2-dev catch2)
      if [ -z "$package" ] && add_backports >>"$log" 2>&1; then package=$(first_package 3.4 libcatch2-dev catch2); fi
      [ -z "$package" ] || echo "$package" ;;
    boost) first_package 1.71 libboost-context-dev ;;
    json) first_package 3.9 nlohmann-json3-dev ;;
    seccomp) first_package 2.5 libseccomp-dev ;;
    sodium) first_package 1.0.18 libsodium-dev ;;
    bubblewrap) first_package 0.4 bubblewrap ;;
    chromium) first_package 100 chromium-headless-shell chromium ;;  # Ubuntu has none that is a package
    clang) first_package 1:14 clang ;;
    slurm) [ -z "$(first_package 21 slurmctld)" ] || printf '%s\n' slurmctld slurmd slurm-client munge ;;
  esac
}

install_packages() {
  # If an earlier run was interrupted inside dpkg, apt-get refuses to work until this is repaired.
  if [ -n "$(ls -A /var/lib/dpkg/updates 2>/dev/null)" ]; then
    as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a || return 1
  fi
  as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
    apt-get -c "$apt_dir/apt.conf" -q -y --no-remove -o Dpkg::Options::=--force-confold install "$@"
}

# Fetches the packages, and their dependencies that the machine does not have, into $apt_dir/debs.
download_packages() {
  local wanted
  wanted=$(private_apt apt-get -q -s --no-remove install "$@" | awk '$1 == "Inst" {gsub(/[()]/, ""); version = $3; if ($3 ~ /^\[/) version = $4; print $2 "=" version}')
  [ -n "$wanted" ] || return 1
  # shellcheck disable=SC2086  # one argument for each package
  (cd "$apt_dir/debs" && private_apt apt-get -q download $wanted)
}
