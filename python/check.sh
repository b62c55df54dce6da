#!/usr/bin/env bash
# The Python package from nothing: a fresh environment, `pip install .`, the tests. Compiled in the profile of the tests,
# whose artefacts are used again; PROFILE=release makes what users get.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    printf 'skipped: the tests of the Python package need Python 3.10 or newer with venv\n' >&2
    exit 77
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$python" -m venv "$place"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
export MATURIN_PEP517_ARGS="--profile ${PROFILE:-test}"
"$place/bin/pip" install --quiet '.[test]'
# From another folder, so that what was installed is tested and not the source beside it.
cp -r python/tests problems "$place/"
export NOTEBOOKS=$PWD/docs/notebooks
cd "$place/tests"
"$place/bin/python" -m pytest -q -p no:cacheprovider . "$@"
