#!/usr/bin/env bash
# Builds a platform's autograder as a container and grades in it: a right file, a wrong one, none, hostile ones, and once with the grader
# broken. Not part of the tests: it takes minutes, root and buildah.
#   tests/autograders/container_trial.sh gradescope|prairielearn|autolab BASE [BUNDLE]
# BASE: an image, or a folder with a root file system that debootstrap made. BUNDLE: an archive of `make bundle` for it; then the
# container is built without a network. For Autolab, BASE has the users `autolab` and `autograde`, `make`, and Tango's `autodriver`, as its
# grading image has. KEEP=1 keeps the image, and BUILT=1 uses one that was kept. FROM_HERE="path …": files that the base gets from this machine, such as
# /etc/pip.conf. What each submission got is printed, and the exit status is 1 if it is not what it must be.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
platform=$1 base=$2 bundle=${3:-}
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs} BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot}
work=$(mktemp -d)
image=tilelab-trial-$platform
trap 'rm -rf "$work"; [ -z "${container:-}" ] || buildah rm "$container" >/dev/null' EXIT

.venv/bin/tilelab autograder "$platform" --lab 00-first-program --lab 02-tiled --out "$work" ${bundle:+--bundle "$bundle"} >/dev/null
if [ -d "$base" ]; then
  made=$(buildah from scratch)
  buildah copy --quiet "$made" "$base" / >/dev/null
  for file in ${FROM_HERE:-}; do buildah copy --quiet "$made" "$file" "$file" >/dev/null; done
  buildah config --cmd /bin/bash --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$made"
  buildah commit --quiet --rm "$made" "$image-base" >/dev/null
  base=localhost/$image-base
fi
home=/home  # where Tango's container keeps a job
case $platform in
  gradescope)
    mkdir "$work/context" && (cd "$work/context" && python3 -m zipfile -e "$work/gradescope/autograder.zip" .)
    context=$work/context root=/autograder submission=/autograder/submission entry=/autograder/run_autograder results=/autograder/results ;;
  prairielearn)
    context=$work/prairielearn/image root=/grade submission=/grade/student entry=/opt/autograder/grade_job.sh results=/grade/results ;;
  autolab)
    context=$work/autolab/image root=$home/mount submission=$home/mount results=$home/mount ;;
  *) echo "gradescope, prairielearn or autolab" >&2; exit 2 ;;
esac
began=$(date +%s)
[ -n "${BUILT:-}" ] || buildah build --quiet ${bundle:+--network none} --build-arg BASE="$base" --tag "$image" "$context" >/dev/null
echo "built in $(($(date +%s) - began)) s"

# What Tango does in its container: its driver runs `make` as the user autograde, with these limits. TANGO_FILE_BYTES: Tango's own limit on
# files is 104857600, in which no program with host code is judged; 0: none.
tango="TANGO_FILE_BYTES=${TANGO_FILE_BYTES:-0}; "'cd /home && cp -r mount/* autolab/ && su autolab -c "autodriver -u 100 -f ${TANGO_FILE_BYTES:-0} -t 600 -o 1024000 autolab >output/feedback 2>&1"
  status=$?; cp output/feedback mount/feedback; exit $status'

# put_job FOLDER: the files of one job of Autolab, in $container: what was handed in is one archive.
put_job() {
  rm -rf "$work/job" && mkdir "$work/job"
  cp "$work/autolab/autograde-Makefile" "$work/job/Makefile"
  cp "$work/autolab/autograde.tar" "$work/job/"
  (cd "$1" && python3 -m zipfile -c "$work/job/handin.zip" ./*)
  buildah copy --quiet "$container" "$work/job" "$home/mount" >/dev/null
}

# grade NAME FOLDER COMMAND EXPECTED [OPTIONS]: grades FOLDER in a fresh container, after COMMAND was run in it, and prints what the platform
# would read. OPTIONS: for `buildah run`.
grade() {
  local mounted
  container=$(buildah from --pull-never "localhost/$image")
  buildah run "$container" -- mkdir -p "$submission" "$root"
  [ "$platform" = autolab ] || [ ! -d "$2" ] || buildah copy --quiet "$container" "$2" "$submission" >/dev/null
  [ "$platform" != gradescope ] || buildah copy --quiet "$container" tests/autograders/submission_metadata.json /autograder/submission_metadata.json >/dev/null
  [ "$platform" != autolab ] || put_job "$2"
  [ -z "${3:-}" ] || buildah run "$container" -- sh -c "$3"
  began=$(date +%s)
  if [ "$platform" = autolab ]; then
    buildah run "$container" -- sh -c "$tango" >"$work/said" 2>&1 || echo "  exit status $?"
  else
    # shellcheck disable=SC2086  # several options
    buildah run ${5:-} "$container" -- "$entry" >"$work/said" 2>&1 || echo "  exit status $?"
  fi
  mounted=$(buildah mount "$container")
  printf '%s (%s s): ' "$1" "$(($(date +%s) - began))"
  if [ "$platform" = autolab ]; then
    python3 tests/autograders/autolab_feedback.py "$mounted$home/mount/feedback" >"$work/$1.json"
  else
    cp "$mounted$results/results.json" "$work/$1.json"
  fi
  python3 tests/autograders/shown_result.py "$work/$1.json" "$4" "$(cat .tilelab/seed)"
  sed 's/^/  | /' "$work/said"
  buildah rm "$container" >/dev/null
  container=
}

status=0
mkdir -p "$work/s/"{right,wrong,missing,misnamed,zipped/inner,link}
cp solutions/02-tiled/matmul_tiled.cu solutions/00-first-program/vector_add.cu "$work/s/right/"
cp solutions/02-tiled/rejects/no_first_barrier.cu "$work/s/wrong/matmul_tiled.cu"
cp solutions/00-first-program/rejects/host_computes_the_sums.cu "$work/s/wrong/vector_add.cu"
echo "nothing" >"$work/s/missing/notes.txt"
cp solutions/02-tiled/matmul_tiled.cu "$work/s/misnamed/my_kernel.cu"
(cd "$work/s/right" && python3 -m zipfile -c ../zipped/inner/handin.zip ./*)
course=$([ "$platform" = gradescope ] && echo /autograder/source/tilelab || echo /opt/autograder/tilelab)
ln -s "$course/solutions/02-tiled/matmul_tiled.cu" "$work/s/link/matmul_tiled.cu"
grade right "$work/s/right" "" some || status=1
grade wrong "$work/s/wrong" "" zero || status=1
grade missing "$work/s/missing" "" zero || status=1
grade misnamed "$work/s/misnamed" "" zero || status=1
grade zipped "$work/s/zipped" "" some || status=1
if [ "$platform" != autolab ]; then  # its jobs are one archive, and their folder is no mount here
  grade link "$work/s/link" "" zero || status=1
  grade full-disk "$work/s/wrong" "" open "--mount type=tmpfs,dst=/tmp,tmpfs-size=200k" || status=1
fi
for hostile in tests/autograders/samples/*/; do grade "$(basename "$hostile")" "$hostile" "" zero || status=1; done
grade broken-judge "$work/s/wrong" "rm $course/build/bin/judge-02-tiled" open || status=1
grade broken-compiler "$work/s/wrong" 'printf "#!/bin/sh\nexit 1\n" >/usr/local/bin/as && chmod +x /usr/local/bin/as' open || status=1
grade no-python "$work/s/right" "rm $course/.venv/bin/python" open || status=1
grade no-sandbox "$work/s/right" "mv $course/build/bin/confine $course/build/bin/gone; rm -f /usr/bin/bwrap" open || status=1
[ -n "${KEEP:-}" ] || buildah rmi "localhost/$image" >/dev/null
exit "$status"
