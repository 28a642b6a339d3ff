// Every score of a sample, with what it is made of and what it rests on.

function scoresOf(samples, place, runs) {
  const named = runs.map((run) => make("th", { scope: "col" }, quoted("bdi", samples.runs[run])));
  const [name, score, change] = ["metric", "score", "change"].map((word) =>
    said("th", `samples.${word}`, {}, { scope: "col" }));
  const heads = runs.length === 1 ? [name, score] : [name, ...named, change];
  const rows = samples.metrics.map((metric) => scoreRow(samples, place, runs, metric));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
  return make("div", { class: "scroll", tabindex: 0, role: "group", "data-text-label": "samples.scores" }, table);
}

function scoreRow(samples, place, runs, metric) {
  const direction = metric.direction === "lower" ? said("span", "samples.lower", {}, { class: "caption" }) : null;
  const name = make("th", { scope: "row" }, quoted("bdi", metric.name), " ", direction);
  const about = [scored, parts, why];
  const cells = runs.map((run) => make("td", {}, ...about.map((part) => part(samples, run, metric, place))));
  if (runs.length > 1) cells.push(make("td", {}, changed(samples.change(runs.at(-1), metric.name, place), metric)));
  return make("tr", {}, name, ...cells);
}

function parts(samples, run, metric, place) {
  const found = samples.parts(run, metric.name, place);
  if (!found.length) return null;
  const shown = found.map(([name, value]) =>
    make("span", {}, quoted("bdi", name), `\u00a0${figure(value, { range: [0, Math.abs(value)] })}`));
  return make("div", { class: "parts caption" }, ...shown);
}

function why(samples, run, metric, place) {
  const reason = samples.reason(run, metric.name, place);
  return reason === null ? null : quoted("div", reason, null, { class: "caption" });
}

/** A fold for each metric that says what its score rests on. */
function evidenceOf(samples, place, run) {
  const language = samples.language(place);
  return samples.metrics
    .map(({ name }) => [name, samples.evidence(run, name, place)])
    .filter(([, items]) => items.length)
    .map(([name, items]) => {
      const count = make("span", { class: "caption" }, `(${items.length})`);
      const list = make("ol", { class: "evidence" }, ...items.map((item) => piece(item, language)));
      return make("details", {}, make("summary", {}, quoted("bdi", name), " ", count), list);
    });
}

function piece({ what, text, best, similarity, supported }, language) {
  const caption = make("p", { class: "caption" }, supportSign(supported), quoted("bdi", what ?? ""));
  if (typeof similarity === "number") {
    caption.append(" ", said("span", "samples.similarity", { similarity: similarity.toFixed(2) }));
  }
  const other = best ? quoted("p", best, language, { class: "text best" }) : null;
  return make("li", {}, caption, quoted("p", text ?? "", language, { class: "text" }), other);
}

function supportSign(supported) {
  if (typeof supported !== "boolean") return null;
  const [glyph, word] = SUPPORT.get(supported);
  return make("span", {}, sign(glyph, { class: `glyph ${word}` }), unseen(`samples.${supported ? "yes" : "no"}`));
}
