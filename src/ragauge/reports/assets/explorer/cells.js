// The cells of a row of the table.

function cellsOf(samples, place, columns) {
  return columns.map((column, index) => {
    const attributes = { role: "gridcell", class: classOf(column), "aria-colindex": index + 1 };
    return make("div", attributes, ...contents(samples, place, column));
  });
}

function classOf({ kind, pinned }) {
  return pinned ? `cell ${kind} kept` : `cell ${kind}`;
}

function contents(samples, place, column) {
  const { kind, metric, run } = column;
  if (kind === "asked") return askedCell(samples, place);
  if (kind === "output") return outputCell(samples, run, metric, place);
  const value = column.values[place];
  if (kind === "score") return [scoreBar(value, metric), scoreText(samples, run, metric, place)];
  if (kind === "change") return [changeText(value, metric)];
  if (value === null || value === undefined || value === "") return [make("span", { class: "absent" }, "–")];
  return [dataElement("span", String(value).slice(0, 300), ["question", "answer"].includes(kind) ? samples.language(place) : null)];
}

/** A bar that shows the position of the score in its range. */
function scoreBar(score, metric) {
  const share = shareOf(score, metric);
  if (share === null) return null;
  const bar = sign("", { class: "bar" });
  bar.style.setProperty("--share", share.toFixed(3));
  return bar;
}
