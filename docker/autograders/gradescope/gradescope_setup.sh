#!/usr/bin/env bash
# Gradescope runs this once, as root, while it builds the image: it is the zip's setup.sh. It installs what the course needs from the
# distribution's packages and PyPI, or from a bundle in the zip, builds the course, and tries whether this machine can grade.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TILELAB_BACKEND=cpu DEBIAN_FRONTEND=noninteractive
chmod -R go= "$here"  # hidden tests, solutions and the seed lie here: nobody but root reads them
cd "$here/tilelab"
# shellcheck source=/dev/null
. "$here/catch2_source.sh"
if needs_catch2_source; then
  echo "tilelab: building Catch2, which is too old in Ubuntu 22.04"
  build_catch2 || echo "tilelab: Catch2 could not be built: choose a newer Ubuntu as base image" >&2
fi
if ! bash kit/setup/setup.sh; then
  echo "tilelab: the image was not built, see above. Ubuntu 24.04 and 22.04 were tried as base images" >&2
  exit 1
fi
.venv/bin/tilelab doctor || {
  echo "tilelab: this machine cannot grade, see above. Submissions would not be graded here, so the image is not built" >&2
  exit 1
}
# Grading the solutions once makes what is kept for later gradings.
first=$(mktemp -d)
cp solutions/*/*.cu "$first"
.venv/bin/tilelab grade-one prairielearn "$first" --out "$first/results"
rm -r "$first"
chmod -R go= "$here"
