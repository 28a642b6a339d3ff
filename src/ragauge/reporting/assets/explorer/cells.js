// What stands in a row of the table.

function cellsOf(samples, place, columns) {
  return columns.map((column, index) =>
    make("div", { role: "gridcell", class: `cell ${column.kind}`, "aria-colindex": index + 1 }, ...contents(samples, place, column)));
}

function contents(samples, place, column) {
  if (column.kind === "score") return [scoreBar(samples, place, column), scored(samples, column.run, column.metric, place)];
  if (column.kind === "change") return [changed(column.values[place], column.metric)];
  const value = column.values[place];
  if (value === null || value === undefined) return [make("span", { class: "absent" }, "–")];
  return [quoted("span", String(value).slice(0, 300), column.kind === "question" ? samples.language(place) : null)];
}

/** A bar as long as the score is high in its range. */
function scoreBar(samples, place, { metric, run }) {
  const share = shareOf(samples.score(run, metric.name, place), metric);
  if (share === null) return null;
  const bar = make("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", share.toFixed(3));
  return bar;
}
