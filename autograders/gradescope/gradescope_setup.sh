#!/usr/bin/env bash
# Gradescope runs this once, as root, while it builds the image: it is the zip's setup.sh. It installs what the course needs from the
# distribution's packages and PyPI, or from a bundle in the zip, builds the course, and tries whether this machine can grade.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TILELAB_BACKEND=cpu DEBIAN_FRONTEND=noninteractive
chmod -R go= "$here"  # hidden tests, solutions and the seed lie here: nobody but root reads them
cd "$here/tilelab"
if ! bash kit/setup/setup.sh; then
  echo "tilelab: the image was not built. If a package is too old or missing, choose Ubuntu 24.04 as base image, or give an image of your own" >&2
  exit 1
fi
.venv/bin/tilelab doctor || {
  echo "tilelab: this machine cannot grade, see above. Submissions would not be graded here, so the image is not built" >&2
  exit 1
}
chmod -R go= "$here"
