#!/usr/bin/env bash
# The Python package from nothing: a fresh environment, `pip install .`, the tests. Ends with 77 where there is no Python.
# PROFILE=release makes what users get; otherwise it is compiled as the tests are (cargo itself would take the name of
# that profile for tests), so that what they have compiled is used again.
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
export CARGO_PROFILE_DEV_OPT_LEVEL=${CARGO_PROFILE_DEV_OPT_LEVEL:-2}
export CARGO_PROFILE_DEV_DEBUG=${CARGO_PROFILE_DEV_DEBUG:-line-tables-only}
export CARGO_PROFILE_DEV_CODEGEN_UNITS=${CARGO_PROFILE_DEV_CODEGEN_UNITS:-64}
export MATURIN_PEP517_ARGS="--profile ${PROFILE:-dev}"
if [ -z "${PROFILE:-}" ]; then
    MATURIN_PEP517_ARGS+=' --features as-in-tests'
fi
"$place/bin/pip" install --quiet '.[test]'
# From another folder, so that what was installed is tested and not the source beside it.
cp -r python/tests "$place/"
export SOURCES=$PWD
cd "$place/tests"
"$place/bin/python" -m pytest -q -p no:cacheprovider . "$@"
