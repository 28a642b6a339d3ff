// Every score of a sample, with what it is made of and what it rests on.

function scoresOf(samples, place, runs) {
  const heads = [said("th", "samples.metric", {}, { scope: "col" })];
  if (runs.length === 1) heads.push(said("th", "samples.score", {}, { scope: "col" }));
  else {
    heads.push(...runs.map((run) => make("th", { scope: "col" }, quoted("bdi", samples.runs[run]))));
    heads.push(said("th", "samples.change", {}, { scope: "col" }));
  }
  const rows = samples.metrics.map((metric) => scoreRow(samples, place, runs, metric));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
  return make("div", { class: "scroll", tabindex: 0, role: "group", "data-text-label": "samples.scores" }, table);
}

function scoreRow(samples, place, runs, metric) {
  const name = make("th", { scope: "row" }, quoted("bdi", metric.name), " ", said("span", `samples.${metric.direction}`, {}, { class: "caption" }));
  const cells = runs.map((run) => make("td", {}, scored(samples, run, metric, place), ...parts(samples, run, metric, place), why(samples, run, metric, place)));
  if (runs.length > 1) cells.push(make("td", {}, changed(samples.change(runs.at(-1), metric.name, place), metric)));
  return make("tr", {}, name, ...cells);
}

function parts(samples, run, metric, place) {
  const found = samples.parts(run, metric.name, place);
  if (!found.length) return [];
  const shown = found.map(([name, value]) => make("span", {}, quoted("bdi", name), `\u00a0${figure(value, { range: [0, Math.abs(value)] })}`));
  return [make("div", { class: "parts caption" }, ...shown)];
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
      const count = said("span", "samples.pieces", { count: items.length }, { class: "caption" });
      const summary = make("summary", {}, quoted("bdi", name), " ", count);
      const fold = make("details", {}, summary);
      const list = make("ol", { class: "evidence" }, ...items.map((item) => piece(item, language)));
      fold.append(list);
      return fold;
    });
}

function piece(item, language) {
  const [glyph, word] = SUPPORT.get(item.verdict ?? null);
  const verdict = typeof item.verdict === "boolean" ? [make("span", { class: `glyph ${word}`, "aria-hidden": "true" }, glyph), unseen(`samples.${item.verdict ? "yes" : "no"}`)] : [];
  const similarity = typeof item.similarity === "number" ? said("span", "samples.similarity", { similarity: item.similarity.toFixed(2) }) : null;
  const caption = make("p", { class: "caption" }, ...verdict, quoted("bdi", item.what ?? ""), " ", similarity);
  const best = item.best ? quoted("p", item.best, language, { class: "text best" }) : null;
  return make("li", {}, caption, quoted("p", item.text ?? "", language, { class: "text" }), best);
}
