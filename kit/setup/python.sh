# The grader's own Python in .venv, which contains none of the machine's packages. Sourced by setup.sh.

python_key() { digest "$root" pyproject.toml kit/setup/python-pins.txt; }

# has_python EXTRA: whether provide_python has made it already.
has_python() { [ "$(cat .venv/.key 2>/dev/null)" = "$(python_key)" ] && [ -e ".venv/.has-$1" ] && .venv/bin/python -c '' 2>/dev/null; }

# provide_python EXTRA: makes .venv with the grader and the packages of that extra of pyproject.toml ("" for none).
provide_python() {
  local extra=$1 python key
  if has_python "$extra"; then return; fi
  key=$(python_key)
  open_bundle
  prefer_bundled_python
  python=$(find_python)
  expect_bundle_for "$python"
  # A request for fewer packages removes none.
  if [ -z "$extra" ] && [ -e .venv/.has-test ]; then extra="test"; fi
  if [ "$extra" != dev ] && [ -e .venv/.has-dev ]; then extra=dev; fi
  # .venv is incomplete, belongs to another clone, or its Python is gone.
  if [ -e .venv/.incomplete ] || [ "$(cat .venv/.root 2>/dev/null)" != "$root" ] || ! .venv/bin/python -c '' 2>/dev/null; then
    quietly "making .venv with $("$python" --version)" make_venv "$python" ||
      { show_log; die "could not make .venv with $python"; }
  fi
  touch .venv/.incomplete
  rm -f .venv/.has-*
  quietly "installing the grader's Python packages${extra:+ and those for $extra}" install_grader "$extra" ||
    { show_log; die "pip could not install the grader's packages. It needs the network once, or a bundle (from make bundle on a machine with a network). Check the connection (behind a proxy: export https_proxy=http://host:port), then run the same command again"; }
  touch ".venv/.has-" ".venv/.has-$extra"
  [ "$extra" != dev ] || touch .venv/.has-test
  printf '%s\n' "$key" >.venv/.key
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
  run_pip install --constraint kit/setup/python-pins.txt "${from[@]}" "$@"
}

run_pip() {
  env -u PYTHONPATH -u PYTHONHOME PIP_USER=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 .venv/bin/python -m pip "$@"
}

install_grader() { pip_install --editable ".${1:+[$1]}"; }

# Uses the machine's CMake if it is new enough; else it installs CMake into .venv. The same holds for Ninja; without it, make is
# used. This is decided once for each .venv. Whoever only checks the sources builds nothing and gets neither.
provide_build_tools() {
  [ ! -e .venv/.has-build-tools ] || return 0
  open_bundle
  if [ -z "$(find_tool cmake 3.22)" ]; then
    quietly "installing CMake into .venv" pip_install cmake || { show_log; die "pip could not install cmake; install CMake 3.22 or newer"; }
  fi
  if [ -z "$(find_tool ninja 1.8)" ]; then quietly "installing Ninja into .venv" pip_install ninja || true; fi
  touch .venv/.has-build-tools
}
