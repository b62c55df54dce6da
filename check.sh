#!/usr/bin/env bash
# All checks of the project, in the order in which they fail fastest; with --fast only format, lints, the
# rules of the source and unit tests (below three minutes after a build). Needs cargo with the
# components rustfmt and clippy; the tests of the report page also node, npm and chromium, those of the
# Python package Python 3.10 with venv. Without these they are left out, and the last line says so; with
# BROWSER=must or PYTHON_TESTS=must that is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

case "${1:-}" in
'') fast=no ;;
--fast) fast=yes ;;
*)
    printf 'usage: %s [--fast]\n' "$0" >&2
    exit 2
    ;;
esac

step() {
    printf '\n== %s\n' "$*"
    "$@" || {
        printf '\ncheck failed: %s\n' "$*" >&2
        exit 1
    }
}

need() {
    "$@" --version >/dev/null 2>&1 || {
        printf 'missing: %s (with rustup: rustup component add rustfmt clippy)\n' "$*" >&2
        exit 1
    }
}

need cargo
need cargo fmt
need cargo clippy

step cargo fmt --all -- --check
step cargo clippy --locked --workspace --all-targets -- -D warnings
if [ "$fast" = yes ]; then
    step cargo test --locked --workspace --lib --bins
    step cargo test --locked --workspace --test rules
    printf '\nthe fast checks passed; ./check.sh runs all\n'
    exit 0
fi
# The public documentation: every warning, such as a broken link, is an error.
step env RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps
# Unit, integration and documentation tests, with what is optional; clippy has seen it without.
step cargo test --locked --workspace --all-features
# In the profile of the tests, so that nothing is compiled twice.
step cargo build --locked --workspace --all-features --examples --profile test

left_out=''

# The Python package in an environment of its own.
step_python() {
    local code=0
    printf '\n== python/check.sh\n'
    python/check.sh || code=$?
    if [ "$code" = 77 ] && [ "${PYTHON_TESTS:-}" != must ]; then
        left_out="$left_out, without those of the Python package (they need Python 3.10 with venv)"
    elif [ "$code" != 0 ]; then
        printf '\ncheck failed: python/check.sh\n' >&2
        exit 1
    fi
}
step_python

# The report page in a real browser. The script installs chromium itself where it may.
if command -v node >/dev/null && command -v npm >/dev/null &&
    { command -v chromium >/dev/null || [ "${BROWSER:-}" = must ]; }; then
    step crates/stickslip-cli/tests/browser/run.sh
elif [ "${BROWSER:-}" = must ]; then
    printf '\ncheck failed: the tests of the report page need node and npm\n' >&2
    exit 1
else
    left_out="$left_out, without those in a browser (they need node, npm and chromium)"
fi
printf '\nall checks passed%s\n' "$left_out"
