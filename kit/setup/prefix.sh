# The private prefix: packages unpacked under .tilelab/prefix for a user who may not install any. The machine's own paths do not
# contain it, so each program in it that needs a library gets a wrapper that knows where its libraries are. Sourced by setup.sh.

# unpack_packages DEB...: adds these packages to the prefix. The new prefix replaces the old one only when it is complete.
unpack_packages() {
  local deb folder
  rm -rf "$prefix.new" "$prefix.old" && mkdir -p "$prefix.new/usr/lib" "$prefix.new/usr/bin" || return 1
  # As in a merged /usr: files that a package ships in /lib are placed in /usr/lib, and both names reach them.
  for folder in lib bin; do ln -s "usr/$folder" "$prefix.new/$folder" || return 1; done
  if [ -d "$prefix" ]; then cp -a "$prefix/." "$prefix.new/" || return 1; fi
  # Uses tar, because dpkg -x would replace the link by a folder.
  for deb in "$@"; do dpkg --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$prefix.new" || return 1; done
  wrap_program bwrap || return 1
  if [ -d "$prefix" ]; then mv "$prefix" "$prefix.old" || return 1; fi
  mv "$prefix.new" "$prefix" && rm -rf "$prefix.old"
}

# Replaces a program by a script that starts it with the prefix's libraries. The script names them to the loader, not in the
# environment, because the program would pass the environment on.
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

# Prints x86_64-linux-gnu or the like: the folder in which this machine's packages keep libraries.
library_folder() {
  case $(dpkg --print-architecture) in
    amd64) echo x86_64-linux-gnu ;;
    arm64) echo aarch64-linux-gnu ;;
    *) uname -m | sed 's/$/-linux-gnu/' ;;
  esac
}
