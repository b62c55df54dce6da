#!/usr/bin/env bash
# The pictures of the tutorial; docs/pictures.sh calls it, with STICKSLIP and WORK set.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$root/docs/images/tutorial
mkdir -p "$out"
run() {
    local name=$1
    shift
    [ -e "$WORK/$name/report.html" ] || "$STICKSLIP" run "$@" --quiet --force --out "$WORK/$name"
}
photograph() {
    local file=$1
    shift
    (cd "$WORK" && node pictures.mjs page "$WORK" "$out/$file" "$@")
}
run lesson-ball bouncing-ball
photograph ball-page.jpg lesson-ball 0.6
run lesson-block block-on-incline --set default_contact.friction=0.8
# The upper corner, whose force is well inside.
photograph block-friction.jpg lesson-block 0.5 '#panel-2 [data-tab=ball]' 'choose:#panel-2 .chips select=1'
# The scene is the one on the page.
sed -n '/^```toml file=pusher.toml$/,/^```$/p' "$root/docs/tutorial/3-mechanism.md" | sed '1d;$d' >"$WORK/pusher.toml"
run lesson-pusher "$WORK/pusher.toml"
photograph pusher-page.jpg lesson-pusher 0.15
run lesson-top tippe-top --set simulation.duration=2
photograph contensou-ball.jpg lesson-top 0.9 '#panel-2 [data-tab=ball]'
run lesson-drill drill-string
photograph drill.jpg lesson-drill 35
run lesson-linkage four-bar-clearance
photograph clearance-magnifier.jpg lesson-linkage 0.1475 key:m '#panel-2 [data-tab=forces]'
if [ ! -e "$WORK/bifurcation/bifurcation.png" ]; then
    "$STICKSLIP" bifurcation vibrating-table --vary parameters.shaking=1.0:1.3:61 --section "impact(ball)" --follow up \
        --discard 100 --keep 40 --set simulation.step=1e-2 --set simulation.output_step=1e-2 --out "$WORK/bifurcation" --quiet
fi
cp "$WORK/bifurcation/bifurcation.png" "$out/bifurcation.png"
