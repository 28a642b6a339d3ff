// The scores of a sample, with their parts, reasons and evidence.

const MOST_IN_SHORT = 3;

function scoresOf(samples, place, runs) {
  const named = runs.map((run) => make("th", { scope: "col" }, dataElement("bdi", samples.runs[run])));
  const [name, score, change] = ["metric", "score", "change"].map((word) =>
    textElement("th", `samples.${word}`, {}, { scope: "col" }));
  const heads = runs.length === 1 ? [name, score] : [name, ...named, change];
  const same = runs.length > 1 ? samples.metrics.filter((metric) => unchanged(samples, place, runs, metric)) : [];
  const rowsOf = (metrics) => metrics.map((metric) => scoreRow(samples, place, runs, metric));
  const others = make("tbody", { hidden: "" }, ...rowsOf(same));
  const rows = make("tbody", {}, ...rowsOf(samples.metrics.filter((metric) => !same.includes(metric))));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), rows, others);
  const more = textElement("button", "samples.unchanged", { count: same.length }, { type: "button", class: "fold" });
  more.addEventListener("click", () => {
    others.hidden = false;
    more.remove();
  });
  const scroll = make("div", { class: "scroll", tabindex: 0, role: "group", "data-text-label": "samples.scores" }, table);
  return same.length ? [scroll, more] : [scroll];
}

/** The metrics that verdicts rest on and that changed, else the first others, each in a few words; null for none. */
function changesInShort(samples, place, runs) {
  const changed = samples.metrics.filter((metric) => !unchanged(samples, place, runs, metric));
  const primary = changed.filter((metric) => metric.primary);
  const shown = (primary.length ? primary : changed.slice(0, MOST_IN_SHORT)).map((metric) => {
    const [before, after] = [runs[0], runs.at(-1)].map((run) => scoreText(samples, run, metric, place));
    const change = samples.change(runs.at(-1), metric.name, place);
    return make("span", {}, dataElement("bdi", metric.name), " ", before, " → ", after, " ", change === null ? null : changeText(change, metric));
  });
  return shown.length ? make("p", { class: "in-short" }, ...shown) : null;
}

function unchanged(samples, place, runs, { name }) {
  const [before, after] = [runs[0], runs.at(-1)].map((run) => [samples.score(run, name, place), samples.status(run, name, place)]);
  return String(before) === String(after);
}

function scoreRow(samples, place, runs, metric) {
  const name = make("th", { scope: "row" }, dataElement("bdi", metric.name));
  if (metric.direction === "lower") name.append(" ", textElement("span", "samples.lower", {}, { class: "caption" }));
  const about = [scoreText, parts, reason];
  const cells = runs.map((run) => make("td", {}, ...about.map((part) => part(samples, run, metric, place))));
  if (runs.length > 1) cells.push(make("td", {}, changeText(samples.change(runs.at(-1), metric.name, place), metric)));
  return make("tr", {}, name, ...cells);
}

function parts(samples, run, metric, place) {
  const found = samples.parts(run, metric.name, place);
  if (!found.length) return null;
  const shown = found.map(([name, value]) =>
    make("span", {}, partName(name), ` ${partFigure(value)}`));
  return make("div", { class: "parts caption" }, ...shown);
}

/** The name of a part of a score in the language of the interface, where it has one there. */
function partName(name) {
  const key = `samples.part.${name}`;
  return Object.hasOwn(texts.en, key) ? textElement("span", key) : dataElement("bdi", name);
}

function reason(samples, run, metric, place) {
  const text = samples.reason(run, metric.name, place);
  return text === null ? null : dataElement("div", text, null, { class: "caption" });
}

/** A fold for each metric with the evidence for its score. */
function evidenceOf(samples, place, run) {
  const language = samples.language(place);
  return samples.metrics
    .map(({ name }) => [name, samples.evidence(run, name, place)])
    .filter(([, items]) => items.length)
    .map(([name, items]) => {
      const count = make("span", { class: "caption" }, `(${items.length})`);
      const list = make("ol", { class: "evidence" }, ...items.map((item) => evidenceItem(item, language)));
      return make("details", {}, make("summary", {}, dataElement("bdi", name), " ", count), list);
    });
}

function evidenceItem({ what, text, best, similarity, supported, why }, language) {
  const caption = make("p", { class: "caption" }, supportSign(supported), wordedElement("bdi", what ?? ""));
  if (typeof similarity === "number") {
    caption.append(" ", textElement("span", "samples.similarity", { similarity: similarity.toFixed(2) }));
  }
  const other = best ? dataElement("p", best, language, { class: "text best" }) : null;
  const reason = why ? wordedElement("p", why, { class: "caption why" }) : null;
  return make("li", {}, caption, dataElement("p", text ?? "", language, { class: "text" }), other, reason);
}

function supportSign(supported) {
  if (supported === null || !SUPPORT.has(supported)) return null;
  const [glyph, word] = SUPPORT.get(supported);
  return make("span", {}, sign(glyph, { class: `glyph ${word}` }), hiddenText(`samples.${supported === true ? "yes" : "no"}`));
}
