# The grader's own Python in .venv, which contains none of the machine's packages. Sourced by setup.sh.

python_key() { digest pyproject.toml kit/setup/python-pins.txt kit/setup/tilelab-program.txt; }

# has_python EXTRA: whether provide_python has made it already.
has_python() { [ "$(cat .venv/.key 2>/dev/null)" = "$(python_key)" ] && [ -e ".venv/.has-$1" ] && .venv/bin/python -c '' 2>/dev/null; }

# A .venv that was moved or copied together with its folder is used again: only its programs say where it was.
adopt_venv() {
  local before
  before=$(cat .venv/.root 2>/dev/null) || return 0
  [ -n "$before" ] && [ "$before" != "$root" ] && [ ! -e .venv/.incomplete ] && .venv/bin/python -c '' 2>/dev/null || return 0
  .venv/bin/python kit/setup/moved.py "$before" "$root" .venv/bin >>"$log" 2>&1 && printf '%s\n' "$root" >.venv/.root
}

# provide_venv: makes an empty .venv if there is none that can be used: it is incomplete, belongs to another folder, or its Python is gone.
venv_is_provided=
provide_venv() {
  local python
  [ -z "$venv_is_provided" ] || return 0
  venv_is_provided=yes
  adopt_venv || true
  open_bundle
  prefer_bundled_python
  python=$(find_python)
  expect_bundle_for "$python"
  if [ -e .venv/.incomplete ] || [ "$(cat .venv/.root 2>/dev/null)" != "$root" ] || ! .venv/bin/python -c '' 2>/dev/null || is_another_python "$python"; then
    [ ! -e .venv/.root ] || [ -e .venv/.incomplete ] || say "the .venv in this folder cannot be used here: it was made for another folder or another Python"
    quietly "making .venv with $("$python" --version)" make_venv "$python" ||
      { show_log; die "could not make .venv with $python"; }
  fi
}

# Whether the caller named a Python, and .venv was made with another.
is_another_python() {
  local version='import sys; print(sys.version)'
  command -v "${PYTHON:-}" >/dev/null && [ "$("$1" -c "$version")" != "$(.venv/bin/python -c "$version")" ]
}

# provide_python EXTRA: makes .venv with the grader and the packages of that extra of pyproject.toml ("" for none).
provide_python() {
  local extra=$1 one
  if has_python "$extra"; then return; fi
  provide_venv
  # Each extra has those before it, and a request for fewer packages removes none.
  for one in site test dev; do
    if [ -e ".venv/.has-$one" ] && [[ "site test dev" != *"$one "*"${extra:-none}"* ]]; then extra=$one; fi
  done
  touch .venv/.incomplete
  rm -f .venv/.has-{,site,test,dev}
  quietly "installing the grader's Python packages${extra:+ and those for $extra}" install_grader "$extra" ||
    { show_log; die "pip could not install the grader's packages. It needs the network once, or a bundle (from make bundle on a machine with a network). Check the connection (behind a proxy: export https_proxy=http://host:port), then run the same command again"; }
  for one in '' site test dev; do touch ".venv/.has-$one"; [ "$one" != "$extra" ] || break; done
  python_key >.venv/.key
  rm .venv/.incomplete
}

make_venv() {
  local python=$1 how
  how=$(find_pip)
  "$python" -m venv --clear --without-pip .venv && touch .venv/.incomplete && printf '%s\n' "$root" >.venv/.root || return 1
  case $how in
    ensurepip) .venv/bin/python -m ensurepip --default-pip ;;
    pip) "$python" -m pip --python .venv/bin/python install pip ;;
    *.whl) .venv/bin/python "$how/pip" install --no-index --find-links "$(dirname "$how")" pip ;;
    *) return 1 ;;
  esac
}

# From the package index, or from the wheels of a bundle if there is one.
pip_install() {
  local from
  mapfile -t from < <(bundled_wheels)
  run_pip install --no-compile --constraint kit/setup/python-pins.txt "${from[@]}" "$@"
}

run_pip() {
  env -u PYTHONPATH -u PYTHONHOME PIP_USER=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 .venv/bin/python -m pip "$@"
}

# The packages that pyproject.toml names, and a way to the grader itself: it is used where it lies, and nothing of it is built.
install_grader() {
  local packages
  mapfile -t packages < <(.venv/bin/python kit/setup/requirements.py pyproject.toml "$1") || return 1
  [ ${#packages[@]} -gt 0 ] || return 1
  ! .venv/bin/python -c 'import importlib.metadata as all; all.version("grader")' 2>/dev/null || run_pip uninstall --yes grader || return 1
  pip_install "${packages[@]}" && link_grader
}

# Both are the same wherever the folder lies: they lead from .venv to the folder around it.
link_grader() {
  .venv/bin/python -c 'import sysconfig; open(sysconfig.get_path("purelib") + "/tilelab.pth", "w").write("../../../..\n")' || return 1
  cp kit/setup/tilelab-program.txt .venv/bin/tilelab && chmod 755 .venv/bin/tilelab
}

# Uses the machine's CMake if it is new enough; else it installs CMake into .venv. The same holds for Ninja; without it, make is
# used. This is decided once for each .venv. Whoever only checks the sources builds nothing and gets neither.
provide_build_tools() {
  local tools=()
  [ ! -e .venv/.has-build-tools ] || return 0
  open_bundle
  [ -n "$(find_tool cmake 3.22)" ] || tools+=(cmake)
  [ -n "$(find_tool ninja 1.8)" ] || tools+=(ninja)
  if [ ${#tools[@]} -gt 0 ] && ! quietly "installing ${tools[*]} into .venv" pip_install "${tools[@]}"; then
    [ "${tools[0]}" = ninja ] || quietly "installing cmake into .venv" pip_install cmake || { show_log; die "pip could not install cmake; install CMake 3.22 or newer"; }
  fi
  touch .venv/.has-build-tools
}
