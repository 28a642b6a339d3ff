// Numbers as text, and scores and changes as elements.

function figure(value, { decimals }) {
  return value.toFixed(decimals);
}

/** A part of a score: counts with separators and no decimals, like those of lengths, and what is not whole as a score. */
function partFigure(value) {
  return Number.isInteger(value) ? value.toLocaleString("en") : figure(value, { decimals: Math.abs(value) <= 1 ? 3 : 2 });
}

function signed(value, metric) {
  const text = figure(Math.abs(value), metric);
  return Number(text) === 0 ? text : (value < 0 ? "-" : "+") + text;
}

/** 1 if a change is better, -1 if worse, 0 if it rounds to zero. */
function outcomeOf(change, metric) {
  const shown = Number(figure(change, metric));
  return metric.direction === "lower" ? -Math.sign(shown) : Math.sign(shown);
}

/** A change with a glyph and a sign: up and + are better, down and - are worse, in either direction of the metric. */
function changeText(change, metric) {
  if (change === null) return make("span", { class: "absent" }, "–");
  const outcome = outcomeOf(change, metric);
  const kind = ["worse", "same", "better"][outcome + 1];
  const glyph = ["▼ ", "= ", "▲ "][outcome + 1];
  return make("span", { class: kind }, sign(glyph), signed(metric.direction === "lower" ? -change : change, metric), " ", hiddenText(`samples.${kind}`));
}

/** A score, or its status where there is none. */
function scoreText(samples, run, metric, place) {
  const score = samples.score(run, metric.name, place);
  if (score !== null) return make("span", {}, figure(score, metric));
  const status = samples.status(run, metric.name, place);
  const glyph = status === FAILED ? "✗ " : "";
  return make("span", { class: STATUSES[status] }, glyph, textElement("span", `samples.${STATUSES[status]}`));
}

/** Return the position of a score in its metric's range, from 0 to 1; null where the range has no end. */
function shareOf(score, metric) {
  const [low, high] = metric.range ?? [null, null];
  if (score === null || low === null || high === null) return null;
  return Math.min(1, Math.max(0, (score - low) / (high - low)));
}
