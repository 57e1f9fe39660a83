# The private prefix: packages unpacked under .tilelab/prefix for somebody who may not install any. Nothing in it is
# on the machine's own paths, so each program in it that needs one gets a wrapper that knows where its libraries are.
# Sourced by setup.sh.

# unpack_packages DEB...: the prefix as it was plus these packages, in place only when complete.
unpack_packages() {
  local deb folder
  rm -rf "$prefix.new" "$prefix.old" && mkdir -p "$prefix.new/usr/lib" "$prefix.new/usr/bin" || return 1
  # As in a merged /usr: what a package ships in /lib lies in /usr/lib, whichever of the two names it has it under.
  for folder in lib bin; do ln -s "usr/$folder" "$prefix.new/$folder" || return 1; done
  if [ -d "$prefix" ]; then cp -a "$prefix/." "$prefix.new/" || return 1; fi
  # Through tar, as dpkg -x would put a folder in a link's place.
  for deb in "$@"; do dpkg --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$prefix.new" || return 1; done
  wrap_program bwrap || return 1
  if [ -d "$prefix" ]; then mv "$prefix" "$prefix.old" || return 1; fi
  mv "$prefix.new" "$prefix" && rm -rf "$prefix.old"
}

# Puts a script in a program's place that starts it with the prefix's libraries. They are named to the loader and not
# through the environment, which the program would hand on.
wrap_program() {
  local program="$prefix.new/usr/bin/$1" loader
  { [ -x "$program" ] && [ ! -e "$program.real" ]; } || return 0
  if "$program" --version >/dev/null 2>&1; then return 0; fi
  for loader in /lib64/ld-linux-*.so.* /lib/ld-linux-*.so.*; do [ -x "$loader" ] && break; done
  mv "$program" "$program.real" || return 1
  cat >"$program" <<SCRIPT
#!/bin/sh
# Made by set-up: starts $1 with the libraries that were unpacked beside it.
here=\$(dirname -- "\$(readlink -f -- "\$0")")
libraries=\$here/../lib/$(library_folder):\$here/../lib
exec $loader --library-path "\$libraries" "\$here/$1.real" "\$@"
SCRIPT
  chmod 755 "$program"
}

# x86_64-linux-gnu and the like: the folder that this machine's packages keep libraries in.
library_folder() {
  case $(dpkg --print-architecture) in
    amd64) echo x86_64-linux-gnu ;;
    arm64) echo aarch64-linux-gnu ;;
    *) uname -m | sed 's/$/-linux-gnu/' ;;
  esac
}
