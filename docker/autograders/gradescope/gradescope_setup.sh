#!/usr/bin/env bash
# Gradescope runs this once, as root, while it builds the image: it is the zip's setup.sh. It installs what the course needs from the
# distribution's packages and PyPI, or from a bundle in the zip, builds the course, and tries whether this machine can grade. A system that
# is too old is refused at once.
set -euo pipefail
exec 2>&1  # one log, in its order
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TILELAB_BACKEND=cpu DEBIAN_FRONTEND=noninteractive
# shellcheck source=/dev/null
system=$(. "${OS_RELEASE:-/etc/os-release}" && echo "${ID:-} ${VERSION_ID:-}") || system=  # OS_RELEASE: for trials
case $system in
  "ubuntu 1"* | "ubuntu 20"* | "ubuntu 22"* | "ubuntu 23"* | "debian 9" | "debian 1"[01])
    echo "tilelab: $system is too old: GCC 12, Python 3.11 and Catch2 3.4 are needed. Under Configure Autograder, choose Ubuntu 24.04 as base"
    echo "tilelab: image, and press Update Autograder again. For an image of your own: --build-arg BASE=gradescope/autograder-base:ubuntu-24.04"
    exit 1 ;;
esac
stop() { echo "tilelab: $1, see above. The image is not built, so that no submission is graded in it" && exit 1; }
chmod -R go= "$here"  # hidden tests, solutions and the seed lie here: nobody but root reads them
cd "$here/tilelab"
bash kit/setup/setup.sh || stop "set-up failed. It was tried on Ubuntu 24.04"
.venv/bin/tilelab doctor || stop "this machine cannot grade"
# Grading the solutions once makes what is kept for later gradings.
first=$(mktemp -d)
cp solutions/*/*.cu "$first"
.venv/bin/tilelab grade-one prairielearn "$first" --out "$first/results" || stop "the model solutions could not be graded"
rm -r "$first"
chmod -R go= "$here"
echo "tilelab: the image is ready"
