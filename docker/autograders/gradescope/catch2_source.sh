# Builds Catch2 where Ubuntu's own package of it is too old, as in 22.04: from the source package of Ubuntu 24.04, which apt-get fetches and
# checks, into the course's private prefix. Sourced by setup.sh in the folder of the course; does nothing anywhere else.

needs_catch2_source() { (. /etc/os-release && [ "$ID-$VERSION_ID" = ubuntu-22.04 ]) && [ ! -e .tilelab/prefix/usr/lib/libCatch2.a ]; }

build_catch2() {
  local work mirror prefix=$PWD/.tilelab/prefix/usr
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    sed -nE 's#^deb +(\[[^]]*\] +)?(https?://[^ ]+) +jammy .*#\2#p' | head -n 1)
  [ -n "$mirror" ] || { echo "no source of packages for jammy is set up in /etc/apt: Catch2 cannot be fetched for Ubuntu 22.04" >&2; return 1; }
  work=$(mktemp -d /tmp/catch2.XXXXXX) && chmod 755 "$work"
  mkdir -p "$work/lists/partial" "$work/source"
  echo "deb-src $mirror noble universe" >"$work/sources.list"
  local private=(-o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists" -o APT::Sandbox::User=root)
  apt-get -qq update && apt-get -qq -y --no-install-recommends install cmake g++-12 make || return 1
  apt-get -qq "${private[@]}" update || return 1
  (cd "$work" && apt-get -qq "${private[@]}" source --download-only catch2) || return 1
  tar -xf "$work"/catch2_*.orig.tar.* -C "$work/source" --strip-components 1 || return 1
  cmake -S "$work/source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=g++-12 -DBUILD_TESTING=OFF \
    -DCATCH_INSTALL_DOCS=OFF -DCATCH_INSTALL_EXTRAS=ON -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib >/dev/null &&
    cmake --build "$work/build" --parallel "$(nproc)" >/dev/null && cmake --install "$work/build" >/dev/null && rm -rf "$work"
}
