# Tries the compiler that will build submissions with the kit's canaries, once for each compiler and each build of the kit. Sourced
# by setup.sh. It stops set-up only where a canary shows that the detectors could not rely on this compiler.

try_compiler() {
  local compiler key said status=0 started=$SECONDS
  compiler=${TILELAB_COMPILER:-$(sed -n 's/^ *"compiler" *: *"\(.*\)",*$/\1/p' build/kit.json)}
  key=$(digest "$compiler" "$(command -v "$compiler")" "$("$compiler" --version 2>&1)" "$(cat build/.sources 2>&1)" kit/canaries/*.cu)
  [ "$(cat build/.canaries 2>/dev/null)" != "$key" ] || return 0
  said=$(.venv/bin/tilelab canaries --if-new 2>&1 </dev/null 9>&-) || status=$?
  note_step "trying the compiler" $((SECONDS - started))
  # A batch tries the compiler too. So what is not about the compiler, as a machine without a sandbox, is left to be said there.
  case $status in
    0) printf '%s\n' "$key" >build/.canaries ;;
    3) die "${said#tilelab: }" ;;
  esac
}
