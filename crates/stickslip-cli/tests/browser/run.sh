#!/usr/bin/env bash
# Tests of the report page and the site of the documentation in headless Chromium, from file://, and of the lab, which serves
# itself. Needs node and npm; installs Debian's
# chromium if there is none and apt-get may. Ends with an error if any test fails.
#
#   run.sh [FOLDER]     FOLDER keeps pages and screenshots [default: target/browser-tests]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../../.." && pwd)
work=${1:-$root/target/browser-tests}

for program in node npm cargo; do
    command -v "$program" >/dev/null || {
        printf 'missing: %s\n' "$program" >&2
        exit 1
    }
done
if ! command -v chromium >/dev/null; then
    printf 'installing chromium\n'
    { apt-get update -q && apt-get install -qy --no-install-recommends chromium fonts-dejavu-core; } >/dev/null || {
        printf 'chromium is missing and apt-get cannot install it\n' >&2
        exit 1
    }
fi

# In the profile of the tests, so that nothing is compiled twice.
(cd "$root" && cargo build --locked --quiet --profile test --workspace --all-features --bins)
program=${CARGO_TARGET_DIR:-$root/target}/debug/stickslip

mkdir -p "$work"
work=$(cd "$work" && pwd)
cp "$here"/package.json "$here"/package-lock.json "$here"/*.mjs "$work"
(cd "$work" && npm ci --no-audit --no-fund --silent)

run() {
    "$program" run "$@" --quiet --force
}
run tippe-top --set simulation.duration=2 --out "$work/tippe-top"
run rolling-disk --set simulation.duration=2 --out "$work/rolling-disk"
for scene in slider-crank newtons-cradle slider-crank-world overrunning-clutch woodpecker-toy vibrating-table drill-string; do
    run "$scene" --out "$work/$scene"
done
# Whose energy book closes badly.
run dzhanibekov --set simulation.integrator=moreau --out "$work/doubtful" 2>/dev/null
run block-on-incline --set default_contact.friction=0.4 --out "$work/unnamed"
for radius in 1e-3 4e-3; do
    run tippe-top --set simulation.duration=0.2 --set parameters.contact_radius="$radius" --out "$work/radius-$radius"
done
"$program" compare "$work/radius-1e-3" "$work/radius-4e-3" --out "$work/compared" --quiet
cat >"$work/evil.toml" <<'SCENE'
model = "tippe-top"
name = "</script><script>window.evil = 1</script><img src=x onerror='window.evil = 2'>"
caption = "<img src=x onerror='window.evil = 3'>"
[simulation]
duration = 0.05
SCENE
run "$work/evil.toml" --out "$work/evil"
# A run that fails at its first step has a page too.
cat >"$work/contradiction.toml" <<'SCENE'
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
[[joint]]
kind = "fixed"
bodies = ["ground", "a"]
[[joint]]
kind = "prismatic"
bodies = ["ground", "a"]
at = [0, 0, 0]
motor = { speed = "0.5*(1 + sign(t - 1.2e-3))" }
SCENE
if run "$work/contradiction.toml" --out "$work/failed" 2>/dev/null; then
    printf 'the run that must fail did not\n' >&2
    exit 1
fi

"$(dirname "$program")/stickslip-site" --out "$work/site" >/dev/null

cd "$work"
exec node report.mjs "$work" "$program"
