# A kit that came built, for each kind of processor an archive in kit/prebuilt: handouts have one, so that a student's first test waits for no
# compiler. It is used as long as the sources that it was built from are unchanged and its programs run here; else the kit is
# built from its sources, after one sentence that says why. Sourced by setup.sh.

prebuilt=kit/prebuilt/$(uname -m).tar.xz
prebuilt_needs=(compiler python pip bubblewrap)  # a compiler for submissions; no libraries for the kit

prebuilt_key() { digest "$root" "$prebuilt"; }

# What refuses it once refuses it again, until one of these is another.
refusal_key() { echo "$(prebuilt_key) $(this_machine) $(find_python)"; }

# Whether it may be used, as far as that is known before a compiler and a Python are there.
comes_built() { [ -f "$prebuilt" ] && { [ ! -e .tilelab/not-prebuilt ] || [ "$(cat .tilelab/not-prebuilt)" != "$(refusal_key)" ]; }; }

# Makes build/ of the kit that came built, unless it is that already. Its callers ask for its status, so -e has no effect in here.
take_prebuilt() {
  local key times reason=''
  key=$(prebuilt_key)
  times=$(sources_times)  # first: what changes meanwhile is noticed next time
  if is_unpacked "$key" && [ "$(cat build/.times 2>/dev/null)" = "$times" ]; then return; fi
  if ! is_unpacked "$key" || ! has_its_sources build; then
    rm -rf build.new
    quietly "unpacking the kit, which came built" "$(find_python)" kit/setup/prebuilt.py unpack "$prebuilt" build.new "$root" "$(find_compiler)" ||
      reason="its archive cannot be read by $(find_python)"
    if [ -n "$reason" ] && disk_is_full; then exit 1; fi
    [ -n "$reason" ] || reason=$(why_not_prebuilt)
    if [ -n "$reason" ]; then
      rm -rf build.new
      record not-prebuilt "$(refusal_key)"
      say "this folder came with a built kit, and $reason: the kit is built from its sources (once)"
      return 1
    fi
    { rm -rf build && mv -T build.new build && printf '%s\n' "$key" >build/.prebuilt; } ||
      die "the folder build cannot be replaced: end the programs that use it, then run the same command again"
  fi
  find build/bin -type f -exec touch {} +  # the grader takes no judge that is older than its sources
  printf '%s\n' "$times" >build/.times
}

# is_unpacked KEY: whether build/ is that kit, and whole.
is_unpacked() {
  local program
  [ "$(cat build/.prebuilt 2>/dev/null)" = "$1" ] && [ -e build/kit.json ] || return 1
  while read -r program; do [ -x "build/bin/$program" ] || return 1; done <build/.programs
}

# has_its_sources BUILD: whether what it was built from is unchanged in this folder. What else lies here does not count.
has_its_sources() { sha256sum --check --status "$1/.sums" 2>/dev/null; }

# Prints why what was unpacked into build.new cannot be used; nothing if it can.
why_not_prebuilt() {
  local version status=0 program libraries=''
  version=$("$(find_compiler)" -dumpversion)
  build.new/bin/launch >/dev/null 2>&1 </dev/null || status=$?
  # Of each program the loader says which libraries and versions it lacks. A program that needs no loader says how it is used.
  for program in build.new/bin/*; do libraries+=$(LD_TRACE_LOADED_OBJECTS=1 "$program" 2>&1 </dev/null || true); done
  if ! has_its_sources build.new; then echo "some of its files have changed since"
  elif [ "${version%%.*}" -lt "$(cat build.new/.compiler)" ]; then echo "that was built with GCC $(cat build.new/.compiler), which is newer than this machine's"
  elif [ "$status" != 2 ] || [[ $libraries = *'not found'* ]]; then  # 2: launch says how it is used
    echo "its programs do not run on this machine ($(this_system))"
  fi
}

# make_prebuilt BUILD: packs what was built in another folder with the same sources, which has to be up to date, for this one.
make_prebuilt() {
  local test programs=(broker confine gpu-runner launch launch-problem judge-described)
  [ "$(cat "$1/.sources")" = "$(cd "$1/.." && sources_digest)" ] || die "what is built in $1 is older than its sources: run make setup there"
  for test in assignments/*/public_tests.cpp; do
    test=${test%/*}
    programs+=("judge-${test##*/}-public")
  done
  source_sums | "$(find_python)" kit/setup/prebuilt.py pack "$1" "$prebuilt" "${programs[@]}"
}
