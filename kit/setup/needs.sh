# What Tilelab needs from the machine, why, and how to find out whether it is there. Installs nothing. Sourced by setup.sh.
# $prefix is the folder where packages were unpacked for this clone only, if there are any.

all_needs=(compiler python pip catch2 boost json seccomp sodium bubblewrap)
test_needs=(chromium clang slurm)  # only of the project's own tests, which are skipped without
slurm_programs=(munged slurmctld slurmd sbatch squeue scancel scontrol sinfo)

# need NAME WHY PACKAGES ELSEWHERE: what it is for, the packages of Debian that have it, and where it is had without apt-get.
declare -A why packages_of elsewhere
need() { why[$1]=$2 packages_of[$1]=$3 elsewhere[$1]=${4:-}; }
need compiler "GCC 12 or newer: compiles the kit and every submission" g++ \
  "Fedora: dnf install gcc-c++ libstdc++-static; Arch: pacman -S gcc; elsewhere, name a compiler with CXX=/path/to/g++"
need python "Python 3.11.2 or newer: the grader" "python3 python3-venv" \
  "Fedora: dnf install python3 python3-pip; Arch: pacman -S python python-pip; or name a Python with PYTHON=/path/to/python3"
need pip "pip: fetches the grader's Python packages" python3-venv "${elsewhere[python]}"
need catch2 "Catch2 3.4 or newer: the labs' tests" "libcatch2-dev (Debian 12: from bookworm-backports)" \
  "Fedora: dnf install catch-devel; Arch: pacman -S catch2; a build of your own is found through CMAKE_PREFIX_PATH"
need boost "Boost.Context: CUDA threads as fibers" libboost-context-dev \
  "Fedora: dnf install boost-static boost-devel; a build of your own is found through CMAKE_PREFIX_PATH (it takes libboost_context.a)"
need json "nlohmann-json: judge and runner talk in it" nlohmann-json3-dev "Fedora: dnf install json-devel; Arch: pacman -S nlohmann-json"
need seccomp "libseccomp: confines a submission" libseccomp-dev "Fedora: dnf install libseccomp-devel; Arch: pacman -S libseccomp"
need sodium "libsodium: secret sizes and inputs of hidden tests" libsodium-dev \
  "Fedora: dnf install libsodium-static; elsewhere a build of your own is found through CMAKE_PREFIX_PATH (it takes libsodium.a)"
need bubblewrap "bubblewrap: confines a submission" bubblewrap
need chromium "Chromium, for tests of pages: 150 MB to fetch, 540 MB of disk" chromium-headless-shell
need clang "Clang 14 or newer, for tests of the second compiler: 60 MB to fetch, 290 MB of disk" clang
need slurm "Slurm, for tests of a cluster: 4 MB to fetch, 15 MB of disk" "slurmctld slurmd slurm-client munge"

# Set-up can do without bubblewrap only, because the kit's own launcher confines programs too.
is_optional() { [ "$1" = bubblewrap ]; }

is_present() {
  case $1 in
    compiler) [ -n "$(find_compiler)" ] ;;
    python) [ -n "$(find_python)" ] ;;
    pip) [ -x .venv/bin/pip ] || [ -n "$(find_pip)" ] ;;
    catch2) defines '<catch2/catch_version_macros.hpp>' 'CATCH_VERSION_MAJOR * 100 + CATCH_VERSION_MINOR >= 304' && has_library libCatch2.a ;;
    boost) defines '<boost/context/fiber.hpp>' 1 && has_library libboost_context.a ;;
    json) defines '<nlohmann/json.hpp>' 1 ;;
    seccomp) defines '<seccomp.h>' 1 && { has_library libseccomp.a || has_library libseccomp.so; } ;;
    sodium) defines '<sodium.h>' 1 && has_library libsodium.a ;;
    chromium) command -v chromium || command -v chromium-headless-shell || command -v chromium-browser || command -v google-chrome ;;
    clang) command -v clang++ ;;
    slurm) (PATH=$PATH:/usr/sbin:/sbin; for program in "${slurm_programs[@]}"; do command -v "$program" || exit 1; done) ;;
    bubblewrap) command -v bwrap >/dev/null || "$prefix/usr/bin/bwrap" --version >/dev/null 2>&1 ;;
  esac
}

# find_missing NEED...: prints those of them that are missing, one on each line.
find_missing() {
  local need
  for need in "$@"; do is_present "$need" >/dev/null || echo "$need"; done
}

# CXX if it is a new enough GCC; else the first usual compiler name that is.
find_compiler() {
  local name path
  for name in "${CXX:-g++}" g++ g++-15 g++-14 g++-13 g++-12 "$prefix/toolchain/g++"; do
    path=$(command -v "$name") || continue
    if printf '#if !defined __GNUC__ || defined __clang__ || __GNUC__ < 12\n#error\n#endif\n#include <concepts>\n' |
      "$path" -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then
      printf '%s\n' "$path"
      return
    fi
  done
}

# PYTHON if it is new enough; else the distribution's own, with which Tilelab is tested, before another on the path. One that has no
# pip, and would first need a package, comes last.
find_python() {
  local name path usable='' own=''
  [[ :$PATH: != *:/usr/bin:* ]] || own=/usr/bin/python3
  for name in "${PYTHON:-$own}" $own python3 python3.14 python3.13 python3.12 python3.11; do
    path=$(command -v "$name") || continue
    "$path" -c 'import sys, ssl, venv, zlib; sys.exit(sys.version_info < (3, 11, 2))' 2>/dev/null || continue
    usable=${usable:-$path}
    if [ "$name" = "${PYTHON:-}" ] || [ -n "$(pip_for "$path")" ]; then usable=$path; break; fi
  done
  [ -z "$usable" ] || printf '%s\n' "$usable"
}

# Prints how the Python that find_python chooses can get pip.
find_pip() {
  local python
  python=$(find_python)
  [ -z "$python" ] || pip_for "$python"
}

# Prints "ensurepip", "pip" or the path of pip's wheel. Debian ships Python without any of them.
pip_for() {
  local python=$1 wheel
  if "$python" -c 'import ensurepip' 2>/dev/null; then echo ensurepip; return; fi
  for wheel in /usr/share/python-wheels/pip-*.whl "$prefix"/usr/share/python-wheels/pip-*.whl "$root"/.tilelab/bundle/wheels/pip-*.whl; do
    if [ -f "$wheel" ]; then printf '%s\n' "$wheel"; return; fi
  done
  if "$python" -c 'import pip, sys; sys.exit(tuple(map(int, pip.__version__.split(".")[:2])) < (22, 3))' 2>/dev/null; then echo pip; fi
}

# Folders besides /usr that may hold headers and libraries: the private prefix, and those that the caller's CMake would search.
search_roots() {
  local IFS=:
  printf '%s\n' "$prefix/usr"
  # shellcheck disable=SC2086  # split at the colons
  printf '%s\n' ${CMAKE_PREFIX_PATH:-}
}

# defines HEADER CONDITION: whether the compiler finds the header, and the condition holds in the preprocessor after it.
defines() {
  local compiler root flags=()
  compiler=$(find_compiler)
  [ -n "$compiler" ] || return 1
  while IFS= read -r root; do [ -z "$root" ] || flags+=(-idirafter "$root/include"); done < <(search_roots)
  # Only the version header is read. For the large headers it is enough that they exist.
  if [ "$2" = 1 ]; then
    printf '#if !__has_include(%s)\n#error\n#endif\n' "$1"
  else
    printf '#include %s\n#if !(%s)\n#error\n#endif\n' "$1" "$2"
  fi | "$compiler" -x c++ -std=c++20 "${flags[@]}" -E -o /dev/null - 2>/dev/null
}

has_library() {
  local compiler root
  compiler=$(find_compiler)
  [ -n "$compiler" ] || return 1
  case $("$compiler" -print-file-name="$1") in /*) return 0 ;; esac
  while IFS= read -r root; do
    [ -z "$root" ] || [ -z "$(find "$root/lib" -maxdepth 2 -name "$1" -print -quit 2>/dev/null)" ] || return 0
  done < <(search_roots)
  return 1
}

# Prints the path of the first argument that runs and is at least the version in the second.
find_tool() {
  local path version
  for path in "$(command -v "$1")" "$root/.venv/bin/$1"; do
    [ -n "$path" ] || continue
    version=$("$path" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1) || continue
    if [ -n "$version" ] && [ "$(printf '%s\n' "$2" "$version" | sort -V | head -n 1)" = "$2" ]; then
      printf '%s\n' "$path"
      return
    fi
  done
}
