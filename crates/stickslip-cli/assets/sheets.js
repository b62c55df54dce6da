// Summary and scene: tables and text.

function table(rows) {
  return element("table", {}, ...rows.map(([key, value]) => element("tr", {}, element("td", {}, key), element("td", {}, value))));
}

function buildSummary(panel) {
  const { data, player } = panel.context;
  const { summary } = data;
  const { energy } = summary;
  const host = panel.body;
  const heading = (text) => host.append(element("h3", {}, text));
  if (summary.message) host.append(element("p", { class: "message" }, summary.message));
  heading("Run");
  host.append(table([
    ["status", summary.status],
    ["model", summary.model],
    ["steps", `${summary.steps}, ${summary.rescued_steps} rescued, ${summary.unsolved_steps} unsolved`],
    ["worst residual", numberText(summary.worst_residual)],
    ["deepest penetration", `${numberText(summary.max_penetration)} m`],
    ["computed in", `${numberText(summary.seconds, 3)} s`],
    ["shown", `${data.frames} frames of ${summary.rows} rows${data.stride > 1 ? `, ${data.stride} rows each with their extremes` : ""}`],
  ]));
  heading("Energy");
  host.append(table([
    ["at the start", `${numberText(energy.initial, 6)} J`],
    ["at the end", `${numberText(energy.final, 6)} J`],
    ...Object.entries(energy.dissipated).map(([law, work]) => [`lost by ${law}`, `${numberText(work)} J`]),
    ["by the drive", `${numberText(energy.drive)} J`],
    ["by projection", `${numberText(energy.projection)} J`],
    ["closing error", `${numberText(energy.closing_error)} J`],
    ["steps that gained energy", String(energy.energy_gains)],
  ]));
  heading("Share of the time");
  const shares = Object.entries(summary.situations || summary.contact_fractions || {}).sort((a, b) => b[1] - a[1]).slice(0, 20);
  host.append(table(shares.map(([name, share]) => [name, `${(100 * share).toFixed(1)} %`])));
  const more = (summary.hidden_events || 0) + summary.dropped_events;
  heading(`Events (${summary.events.length + more}), impacts (${summary.impacts})`);
  const words = { close: "closes", open: "opens" };
  host.append(element("table", {}, ...summary.events.map((event) => element(
    "tr",
    { "data-time": event.t, tabindex: 0, onclick: () => player.seek(event.t) },
    element("td", {}, `${event.t.toFixed(4)} s`),
    element("td", {}, `${event.contact} ${words[event.event] || event.event}`),
  ))));
  if (more > 0) host.append(element("p", {}, `and ${more} more; summary.json has more of them`));
}

function buildScene(panel) {
  const { data } = panel.context;
  panel.body.append(
    element("h3", {}, "Command"),
    element("pre", { id: "command" }, data.summary.command),
    element("h3", {}, "Scene (every key with the value that counted)"),
    element("pre", {}, data.scene),
  );
}
