#!/usr/bin/env bash
# All checks of the project, in the order in which they fail fastest. Needs cargo with the
# components rustfmt and clippy. With BROWSER=must it also tests the report page, which needs node and
# npm, and chromium or the right to install it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

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
# The public documentation: every warning, such as a broken link, is an error.
step env RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps
# Unit, integration and documentation tests.
step cargo test --locked --workspace
# In the profile of the tests, so that nothing is compiled twice.
step cargo build --locked --workspace --examples --profile test

# The report page in a real browser, on demand: it installs chromium where there is none.
if [ "${BROWSER:-}" = must ]; then
    step crates/stickslip-cli/tests/browser/run.sh
    printf '\nall checks passed\n'
else
    printf '\nall checks passed, without those in a browser (BROWSER=must ./check.sh runs them)\n'
fi
