#!/usr/bin/env bash
# CPU time of one step of shipped scenes, best of several runs, as a table and as JSON; what a run of two steps
# takes, to start and to write its files, is taken off. With --against
# another build of the program runs beside it, run by run, and the ratio of both is what counts: machines
# are noisy, times alone say little. Needs cargo (unless --program names a build) and awk. With --peers
# contact problems, the Tippe-Top and a pile of spheres are measured beside Siconos, MuJoCo and Rapier
# instead (benches/peers); needs Python 3, and what is not installed is left out visibly.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
    cat <<'END'
usage: ./bench.sh [--quick] [--against PROGRAM] [--program PROGRAM] [--integrator NAME]
                  [--scenes DIR] [--out FILE]
       ./bench.sh --peers [--quick] [--problems DIR] [--seed N] [--only contact|top|pile]
                  [--out FILE]

  --quick            fewer and shorter runs
  --against PROGRAM  another build of stickslip to compare with, e.g. that of an earlier commit
  --program PROGRAM  the build to measure (default: cargo build --release)
  --integrator NAME  moreau (default), rattle, moreau-rk4, ...
  --scenes DIR       folder of scene files (default: scenes); an older program needs its own
  --out FILE         JSON of all times (default: out/bench.json, with --peers out/peers.json)
  --peers            beside Siconos, MuJoCo and Rapier
  --problems DIR     contact problems (default: ../shared/benchmarks/contact)
  --seed N           of the first of two permutations of the contacts (default 1)
  --only PART        one part of the comparison
END
}

# The options of the comparison are those of its script.
if [[ " $* " == *' --peers '* ]]; then
    arguments=()
    for argument in "$@"; do
        [ "$argument" = --peers ] || arguments+=("$argument")
    done
    command -v python3 >/dev/null || { printf 'missing: python3\n' >&2; exit 2; }
    cargo build --locked --release --manifest-path benches/peers/Cargo.toml --target-dir target
    exec python3 benches/peers/compare.py "${arguments[@]}"
fi

program='' against='' integrator=moreau scenes=scenes out=out/bench.json repetitions=5 part=1
while [ $# -gt 0 ]; do
    case "$1" in
    --quick) repetitions=2 part=0.25 ;;
    --against | --program | --integrator | --scenes | --out)
        [ $# -ge 2 ] || { usage >&2; exit 2; }
        declare "${1#--}=$2"
        shift
        ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
    shift
done
if [ -z "$program" ]; then
    cargo build --locked --release
    program=target/release/stickslip
fi
for file in "$program" ${against:+"$against"}; do
    [ -x "$file" ] || { printf 'not a program: %s\n' "$file" >&2; exit 2; }
done

# Scene, duration, s, and step, s.
list='slider-crank-world 0.12 1e-5
woodpecker-toy 0.6 1e-4
chain-over-edge 0.3 2.5e-4
box-stack 0.6 1e-3
domino-row 2 1e-3
tippe-top 1 1e-4
rolling-disk-contensou 1 1e-4
sphere-pile 0.1 1e-3'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# CPU time of one run, s; "-" if it fails.
seconds() {
    local TIMEFORMAT='%U %S' used
    if used=$({ time "$1" run "$work/scene.toml" --out "$work/$4" --quiet --set "simulation.duration=$2" \
        --set "simulation.step=$3" --set "simulation.output_step=$2" \
        --set "simulation.integrator=$integrator" >/dev/null 2>"$work/errors"; } 2>&1); then
        awk -v used="$used" 'BEGIN { split(used, part, " "); printf "%.3f", part[1] + part[2] }'
    else
        printf -- '-'
    fi
}

# A time without that of a shorter run.
minus() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "-" || b == "-") ? "-" : a - b }'; }

less() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "-" || (b != "-" && b < a)) ? b : a }'; }

mkdir -p "$(dirname "$out")"
printf '%-24s %12s' scene 'us a step'
[ -z "$against" ] || printf ' %12s %8s' 'other' 'ratio'
printf '   (%s, CPU time, best of %s)\n' "$integrator" "$repetitions"
rows=''
while read -r scene duration step; do
    duration=$(awk -v d="$duration" -v p="$part" 'BEGIN { print d * p }')
    cp "$scenes/$scene.toml" "$work/scene.toml"
    best=- other=- begun=- other_begun=-
    two=$(awk -v h="$step" 'BEGIN { print 2 * h }')
    for ((k = 0; k < repetitions; k++)); do
        best=$(less "$best" "$(seconds "$program" "$duration" "$step" own)")
        begun=$(less "$begun" "$(seconds "$program" "$two" "$step" own)")
        [ -z "$against" ] || other=$(less "$other" "$(seconds "$against" "$duration" "$step" other)")
        [ -z "$against" ] || other_begun=$(less "$other_begun" "$(seconds "$against" "$two" "$step" other)")
    done
    best=$(minus "$best" "$begun") other=$(minus "$other" "$other_begun")
    row=$(awk -v s="$scene" -v a="$best" -v b="$other" -v d="$duration" -v h="$step" 'BEGIN {
        us = 1e6 / (d / h - 2)
        printf "{\"scene\": \"%s\", \"us\": %s, \"other_us\": %s, \"ratio\": %s}", s,
            a == "-" ? "null" : a * us, b == "-" ? "null" : b * us,
            (a == "-" || b == "-" || b == 0) ? "null" : a / b }')
    rows="$rows${rows:+,
}  $row"
    printf '%s' "$row" | tr -d '{}",' | awk -v two="$against" '{
        printf "%-24s %12.4s", $2, $4
        if (two != "") printf " %12.4s %8.4s", $6, $8
        printf "\n" }'
done <<<"$list"
printf '[\n%s\n]\n' "$rows" >"$out"
printf 'written: %s\n' "$out"
