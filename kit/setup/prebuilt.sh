# A kit that came built, for each kind of processor an archive in kit/prebuilt: handouts have one, so that a student's first test waits for no
# compiler. It is used as long as the folder's sources are those that it was built from and its programs run here; else the kit is
# built from its sources, after one sentence that says why. Sourced by setup.sh.

prebuilt=kit/prebuilt/$(uname -m).tar.xz
prebuilt_needs=(compiler python pip bubblewrap)  # a compiler for submissions; no libraries for the kit

prebuilt_key() { digest "$root" "$prebuilt"; }

# Whether it may be used, as far as that is known before a compiler and a Python are there.
comes_built() {
  [ -f "$prebuilt" ] && { [ ! -e .tilelab/not-prebuilt ] || [ "$(cat .tilelab/not-prebuilt)" != "$(prebuilt_key) $(this_machine)" ]; }
}

# Makes build/ of the kit that came built, unless it is that already.
take_prebuilt() {
  local key sources reason=''
  key=$(prebuilt_key)
  if [ "$(cat build/.prebuilt 2>/dev/null)" = "$key" ] && ! sources_were_touched; then return; fi
  sources=$(sources_digest)
  if [ "$(cat build/.prebuilt 2>/dev/null)" != "$key" ] || [ "$(cat build/.sources 2>/dev/null)" != "$sources" ]; then
    rm -rf build.new
    quietly "unpacking the kit, which came built" "$(find_python)" kit/setup/prebuilt.py unpack "$prebuilt" build.new "$root" "$(find_compiler)" || reason="its archive cannot be read"
    [ -n "$reason" ] || reason=$(why_not_prebuilt "$sources")
    if [ -n "$reason" ]; then
      rm -rf build.new
      record not-prebuilt "$key $(this_machine)"
      say "this folder came with a built kit, and $reason: the kit is built from its sources (once)"
      return 1
    fi
    rm -rf build
    mv build.new build
    this_machine >build/.machine
    printf '%s\n' "$key" >build/.prebuilt
  fi
  sources_times >build/.times
}

# why_not_prebuilt SOURCES: prints why what was unpacked into build.new cannot be used; nothing if it can.
why_not_prebuilt() {
  local version status=0
  version=$("$(find_compiler)" -dumpversion)
  build.new/bin/launch >/dev/null 2>&1 </dev/null || status=$?
  if [ "$(cat build.new/.sources)" != "$1" ]; then echo "some of its files have changed since"
  elif [ "${version%%.*}" -lt "$(cat build.new/.compiler)" ]; then echo "that was built with GCC $(cat build.new/.compiler), which is newer than this machine's"
  elif [ "$status" != 2 ]; then echo "its programs do not run on this machine ($(this_system))"  # 2: launch says how it is used
  fi
}

# make_prebuilt BUILD: packs what was built in another folder with the same sources, which has to be up to date, for this one.
make_prebuilt() {
  local test programs=(broker confine gpu-runner launch launch-problem)
  [ "$(cat "$1/.sources")" = "$(cd "$1/.." && sources_digest)" ] || die "what is built in $1 is older than its sources: run make setup there"
  for test in assignments/*/public_tests.cpp; do
    test=${test%/*}
    programs+=("judge-${test##*/}-public")
  done
  "$(find_python)" kit/setup/prebuilt.py pack "$1" "$prebuilt" "$(sources_digest)" "${programs[@]}"
}
