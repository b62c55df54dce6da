#!/usr/bin/env bash
# Makes the pictures of the documentation again: runs every scene and photographs its report page in Chromium.
# Needs node, npm, chromium, and for the moving picture Python with pillow. Takes some minutes.
#
#   docs/pictures.sh [NAME...]   only these scenes (and the pictures of the tutorial if one is called "tutorial")
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=${STICKSLIP:-$root/target/release/stickslip}
work=${WORK:-$root/target/pictures}
[ -x "$program" ] || (cd "$root" && cargo build --release)
mkdir -p "$work"
cp "$root"/crates/stickslip-cli/tests/browser/{package.json,package-lock.json,harness.mjs} "$root"/docs/pictures.mjs "$work"
(cd "$work" && npm ci --no-audit --no-fund --silent)

wanted=("$@")
asked() { [ ${#wanted[@]} = 0 ] || printf '%s\n' "${wanted[@]}" | grep -qxF "$1"; }

# Long runs are cut short: a picture needs a moment of them. The seconds are simulated ones.
seconds() {
    case $1 in
    rolling-disk-coulomb | rolling-disk-coulomb-contour) echo 20 ;;
    rolling-disk-contensou) echo 10 ;;
    sphere-pile) echo 0.6 ;;
    belt-oscillator) echo 10 ;;
    brake-squeal) echo 0.2 ;;
    rattleback | spinning-coin) echo 2 ;;
    chain-over-edge) echo 0.6 ;;
    *) echo '' ;;
    esac
}
scenes=()
for file in "$root"/scenes/*.toml; do
    name=$(basename "$file" .toml)
    asked "$name" || continue
    scenes+=("$name")
    [ -e "$work/$name/report.html" ] && continue
    duration=$(seconds "$name")
    "$program" run "$name" --quiet --force --out "$work/$name" ${duration:+--set simulation.duration="$duration"}
done
cd "$work"
if [ ${#scenes[@]} -gt 0 ]; then node pictures.mjs gallery "$work" "$root/docs/images/gallery" "${scenes[@]}"; fi
if asked tutorial; then
    STICKSLIP=$program WORK=$work "$root/docs/pictures-tutorial.sh"
fi
if asked film; then
    [ -e "$work/tippe-top/report.html" ] || "$program" run tippe-top --quiet --force --out "$work/tippe-top"
    rm -rf "$work/film" && mkdir "$work/film"
    node pictures.mjs film "$work" "$work/film" tippe-top
    python3 "$root/docs/film.py" "$work/film" "$root/docs/images/tippe-top.gif"
fi
