# Configures and builds what CMakeLists.txt describes, into build/. Sourced by setup.sh. With TILELAB_WERROR=1, as in continuous
# integration, compiler warnings are errors. Without it, warnings stop nothing.

# build_kit EXTRA: builds the kit, and its own tests if EXTRA is not empty.
build_kit() {
  local extra=$1 key
  key=$(digest "$root" kit/setup/build.sh .tilelab/packages "${TILELAB_WERROR:-}")
  if [ "$(cat build/.configured 2>/dev/null)" != "$key" ]; then
    # The build folder of another clone, compiler or generator cannot be used.
    rm -rf build
    mkdir build
    quietly "configuring the build" configure || { show_log 30; die "CMake could not configure the build"; }
    printf '%s\n' "$key" >build/.configured
  fi
  if [ ! -e build/.complete ]; then
    quietly "building the kit (once)" run_build || { show_log 40; die "the kit does not build"; }
    touch build/.complete
  else
    # If there is nothing to do, this is fast and prints nothing.
    run_build >.tilelab/build.log 2>&1 </dev/null 9>&- || { tail -n 40 .tilelab/build.log >&2; die "the kit does not build"; }
  fi
}

configure() {
  local cmake ninja generator="Unix Makefiles"
  cmake=$(find_tool cmake 3.22)
  ninja=$(find_tool ninja 1.8)
  [ -z "$ninja" ] || generator=Ninja
  printf '%s\n' "$cmake" >build/.cmake
  "$cmake" -S . -B build -G "$generator" ${ninja:+-DCMAKE_MAKE_PROGRAM="$ninja"} -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$(find_compiler)" -DCMAKE_PREFIX_PATH="$prefix/usr" \
    -DTILELAB_WERROR="$([ "${TILELAB_WERROR:-}" = 1 ] && echo ON || echo OFF)"
}

run_build() { "$(cat build/.cmake)" --build build --parallel "$(nproc)" --target all ${extra:+kit-tests}; }
