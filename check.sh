#!/usr/bin/env bash
# All checks of the project: format, lints and unit tests, which fail fastest; then all is built, and the other
# tests run on one hand, documentation, Python package and report page on the other. With --fast only format,
# lints, the rules of the source and unit tests (below three minutes after a build). Needs cargo with the
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
# Licences and sources of the dependencies (deny.toml), and the oldest compiler that is promised, where they are
# installed.
if cargo deny --version >/dev/null 2>&1; then
    step cargo deny --offline --locked check bans licenses sources
fi
oldest=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
if RUSTUP_AUTO_INSTALL=0 cargo "+$oldest" --version >/dev/null 2>&1; then
    step cargo "+$oldest" check --locked --workspace --target-dir target/oldest
fi
# The few unit tests beside the source. Hardly optimised: for them everything is compiled once more.
plain=(--config profile.test.package.stickslip-papers.opt-level=1)
for package in stickslip stickslip-cli stickslip-site; do
    plain+=(--config "profile.test.package.$package.opt-level=0")
done
step cargo test --locked --workspace --all-features --lib "${plain[@]}"
if [ "$fast" = yes ]; then
    step cargo test --locked --workspace --all-features --test rules "${plain[@]}"
    printf '\nthe fast checks passed; ./check.sh runs all\n'
    exit 0
fi
# All that runs below, with what is optional; clippy has seen it without. In one profile, so that nothing is
# compiled twice.
step cargo test --locked --workspace --all-features --test '*' --no-run
step cargo build --locked --workspace --all-features --examples --profile test

# The Python package in an environment of its own.
check_python() {
    local code=0
    printf '\n== python/check.sh\n'
    python/check.sh || code=$?
    if [ "$code" = 77 ] && [ "${PYTHON_TESTS:-}" != must ]; then
        printf ', without those of the Python package (they need Python 3.10 with venv)' >>"$notes/left_out"
    elif [ "$code" != 0 ]; then
        printf '\ncheck failed: python/check.sh\n' >&2
        exit 1
    fi
}

# The report page in a real browser. The script installs chromium itself where it may.
check_browser() {
    if command -v node >/dev/null && command -v npm >/dev/null &&
        { command -v chromium >/dev/null || [ "${BROWSER:-}" = must ]; }; then
        step crates/stickslip-cli/tests/browser/run.sh
    elif [ "${BROWSER:-}" = must ]; then
        printf '\ncheck failed: the tests of the report page need node and npm\n' >&2
        exit 1
    else
        printf ', without those in a browser (they need node, npm and chromium)' >>"$notes/left_out"
    fi
}

# Much of this waits or uses one core, so it runs beside the tests; what it prints comes after them.
notes=$(mktemp -d)
trap 'rm -rf "$notes"' EXIT
touch "$notes/left_out"
(
    # The public documentation: every warning, such as a broken link, is an error.
    step env RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps
    check_python
    check_browser
) >"$notes/output" 2>&1 &
beside=$!

tests() {
    step cargo test --locked --workspace --all-features --test '*'
    step cargo test --locked --workspace --all-features --doc
    # Problems of other simulators, where they are.
    if [ -d "${STICKSLIP_CONTACT_PROBLEMS:-../shared/benchmarks/contact}" ]; then
        step cargo test --locked --workspace --all-features --test solvers contact_benchmarks -- --ignored
    fi
}
passed=yes
(tests) || passed=no
wait "$beside" || passed=no
cat "$notes/output"
if [ "$passed" = no ]; then
    printf '\nsome checks failed, see above\n' >&2
    exit 1
fi
printf '\nall checks passed%s\n' "$(cat "$notes/left_out")"
