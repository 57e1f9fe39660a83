# Configures and builds what CMakeLists.txt describes, into build/. Sourced by setup.sh. With TILELAB_WERROR=1, as in continuous
# integration, compiler warnings are errors. Without it, warnings stop nothing. Several sources are compiled at once; with
# TILELAB_UNITY=0 each is alone, for whoever works on the kit.

# What the kit is built from. A path that is not there is left out.
built_from=(CMakeLists.txt kit grader/model/verdicts.py assignments solutions tests/kit tests/benchmarks tests/exploits/telling tests/other_courses)

# build_kit EXTRA: builds the kit, and its own tests if EXTRA is not empty.
build_kit() {
  local extra=$1 key before
  key=$(digest kit/setup/build.sh .tilelab/packages "${TILELAB_WERROR:-}")
  before=$(cat build/.root 2>/dev/null) || before=$root
  if [ -e build/.complete ] && [ "$before" != "$root" ]; then
    if adopt_build; then return; fi
    say "this folder was moved or copied from $before, and $reason: the kit is built anew (once)"
    rm -rf build
  fi
  if [ "$(cat build/.configured 2>/dev/null)" != "$key" ] || [ "$before" != "$root" ]; then
    # The build folder of another folder, compiler or generator cannot be used.
    rm -rf build
    mkdir build
    quietly "configuring the build" configure || { show_log 30; die "CMake could not configure the build"; }
    printf '%s\n' "$root" >build/.root
    printf '%s\n' "$key" >build/.configured
  fi
  if [ ! -e build/.complete ]; then
    quietly "building the kit (once)" run_build || build_one_by_one || { show_log 40; die "the kit does not build"; }
    touch build/.complete
  elif [ ${#wanted_parts[@]} -gt 0 ]; then
    quietly "building $(names_of_parts "${wanted_parts[@]}") (once; nothing in this folder needed it before)" run_build || build_one_by_one || { show_log 40; die "this part of the kit does not build"; }
  else
    # If there is nothing to do, this is fast and prints nothing.
    run_build >.tilelab/build.log 2>&1 </dev/null 9>&- || { tail -n 40 .tilelab/build.log >&2; die "the kit does not build"; }
  fi
  note_build
  note_parts "${wanted_parts[@]}"
}

# Sources are compiled several at once (compile_together in CMakeLists.txt). Where that fails, each is compiled alone.
build_one_by_one() {
  grep -q '^TILELAB_UNITY:BOOL=ON' build/CMakeCache.txt 2>/dev/null && ! disk_is_full || return 1
  quietly "building the kit again, one source at a time" run_one_by_one
}

run_one_by_one() { "$(cat build/.cmake)" -DTILELAB_UNITY=OFF build && run_build; }

# CMake's folder knows where it lies, and cannot build elsewhere. But what it built runs anywhere on the same machine. So as long as
# nothing that it was built from changes, only kit.json has to say the new place. Fails with a `reason` where that will not do.
adopt_build() {
  local at
  at=$(cat build/.at 2>/dev/null) || at=$before
  if [ -n "$extra" ] && [ ! -x build/bin/kit-tests ]; then reason="its tests were not built there"; return 1; fi
  if [ -n "$(missing_parts "${wanted_parts[@]}")" ]; then reason="$(names_of_parts "${wanted_parts[@]}") was not built there"; return 1; fi
  if [ "$(cat build/.configured)" != "$key" ]; then reason="what it is built with has changed"; return 1; fi
  if [ "$at" != "$root" ] && [ "$(cat build/.machine 2>/dev/null)" != "$(this_machine)" ]; then reason="this machine or its compiler is another"; return 1; fi
  if [ ! -e build/.sources ] || { sources_were_touched && [ "$(cat build/.sources)" != "$(sources_digest)" ]; }; then
    reason="some of its files have changed since"; return 1
  fi
  if [ "$at" != "$root" ]; then
    "$(find_python)" kit/setup/moved.py "$at" "$root" build/kit.json >>"$log" 2>&1 || { reason="what was built cannot be used again"; return 1; }
    find build/bin -type f -exec touch {} +  # a copy's sources may be newer than its programs
    say "this folder was moved or copied from $at: what was built there is used again"
    printf '%s\n' "$root" >build/.at
  fi
  sources_times >build/.times
}

# Notes what was built, and on which machine, if anything has changed since that was noted.
note_build() {
  if [ -e build/.sources ] && ! sources_were_touched; then return; fi
  this_machine >build/.machine
  sources_times >build/.times  # first: what changes while the sources are read is noticed next time
  sources_digest >build/.sources
}

# Whether a file or folder has another size or time than when that was noted. Times are compared with what they were, and never with
# one another: some file systems give two writes the same time, and clocks are set back.
sources_were_touched() { [ "$(cat build/.times 2>/dev/null)" != "$(sources_times)" ]; }

sources_times() { { find "${built_from[@]}" -printf '%p %s %T@\n' 2>/dev/null || true; } | LC_ALL=C sort | sha256sum | cut -d ' ' -f 1; }

# Prints the digest and the path of each source, as sha256sum checks them.
source_sums() {
  { find "${built_from[@]}" -type f \( -name '*.[ch]pp' -o -name '*.h' -o -name '*.inc' -o -name '*.cmake' -o -name verdicts.py -o -name CMakeLists.txt \) \
    ! \( \( -path 'assignments/*.cpp' -o -path 'solutions/*.cpp' \) ! -name public_tests.cpp ! -name hidden_tests.cpp \) -print0 2>/dev/null || true; } |
    LC_ALL=C sort -z | xargs -0 sha256sum
}

sources_digest() { source_sums | sha256sum | cut -d ' ' -f 1; }

# Programs that were built here may not run on another system, or with another compiler's library.
this_machine() { echo "$(uname -m) $(this_system) $("$(find_compiler)" --version | head -n 1)"; }

configure() {
  local cmake ninja generator="Unix Makefiles"
  cmake=$(find_tool cmake 3.22)
  ninja=$(find_tool ninja 1.8)
  [ -z "$ninja" ] || generator=Ninja
  printf '%s\n' "$cmake" >build/.cmake
  "$cmake" -S . -B build -G "$generator" ${ninja:+-DCMAKE_MAKE_PROGRAM="$ninja"} -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$(find_compiler)" -DCMAKE_PREFIX_PATH="$prefix/usr" \
    -DTILELAB_WERROR="$([ "${TILELAB_WERROR:-}" = 1 ] && echo ON || echo OFF)" \
    ${TILELAB_UNITY:+-DTILELAB_UNITY="$([ "$TILELAB_UNITY" = 1 ] && echo ON || echo OFF)"}
}

run_build() {
  local parts
  mapfile -t parts < <(built_parts)
  "$(cat build/.cmake)" --build build --parallel "$(nproc)" --target all ${extra:+kit-tests} "${wanted_parts[@]}" "${parts[@]}"
}

# Tries the compiler that will build submissions with the kit's canaries, once for each compiler and each build of the kit. It stops set-up
# only where a canary shows that the detectors could not rely on this compiler.
try_compiler() {
  local compiler key said status=0 started=$SECONDS
  compiler=${TILELAB_COMPILER:-$(sed -n 's/^ *"compiler" *: *"\(.*\)",*$/\1/p' build/kit.json)}
  key=$(digest "$compiler" "$(command -v "$compiler")" "$("$compiler" --version 2>&1)" "$(cat build/.sources 2>&1)" kit/canaries/*.cu)
  [ "$(cat build/.canaries 2>/dev/null)" != "$key" ] || return 0
  # Where the kit came built, they were tried with its compiler.
  if [ "$(cat build/.tried 2>/dev/null)" = "$(what_is_tried "$compiler")" ]; then printf '%s\n' "$key" >build/.canaries; return; fi
  rm -f build/.canaries build/.tried
  said=$(.venv/bin/tilelab canaries --if-new 2>&1 </dev/null 9>&-) || status=$?
  note_step "trying the compiler" $((SECONDS - started))
  # A batch tries the compiler too. So what is not about the compiler, as a machine without a sandbox, is left to be said there.
  case $status in
    0)
      printf '%s\n' "$key" >build/.canaries
      what_is_tried "$compiler" >build/.tried ;;
    3) die "${said#tilelab: }" ;;
  esac
}

# Prints a line for the kit, one for the canaries, and those of the compiler.
what_is_tried() { cat build/.sources 2>/dev/null || echo; cat kit/canaries/*.cu | sha256sum; LC_ALL=C "$1" --version 2>&1; }
