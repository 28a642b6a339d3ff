// Numbers as they are shown.

const MINUS = "\u2212";

function decimals(metric) {
  const [low, high] = metric.range ?? [null, null];
  return low !== null && high !== null && Math.max(Math.abs(low), Math.abs(high)) <= 1 ? 3 : 2;
}

function figure(value, metric) {
  const text = value.toFixed(decimals(metric));
  return text.startsWith("-") ? MINUS + text.slice(1) : text;
}

function signed(value, metric) {
  const text = figure(Math.abs(value), metric);
  return Number(text) === 0 ? text : (value < 0 ? MINUS : "+") + text;
}

/** 1 if a change is for the better, -1 if for the worse, 0 if it is none that is shown. */
function outcomeOf(change, metric) {
  const shown = Number(change.toFixed(decimals(metric)));
  return metric.direction === "lower" ? -Math.sign(shown) : Math.sign(shown);
}

/** A change with a glyph: up is better, down is worse, whatever direction the metric has. */
function changed(change, metric) {
  if (change === null) return make("span", { class: "absent" }, "–");
  const outcome = outcomeOf(change, metric);
  const kind = ["worse", "same", "better"][outcome + 1];
  const glyph = ["▼ ", "= ", "▲ "][outcome + 1];
  return make("span", { class: kind }, sign(glyph), signed(change, metric), " ", unseen(`samples.${kind}`));
}

/** A score, or the word for why there is none. */
function scored(samples, run, metric, place) {
  const status = samples.status(run, metric.name, place);
  const score = samples.score(run, metric.name, place);
  if (status === OK && score !== null) return make("span", {}, figure(score, metric));
  const glyph = status === FAILED ? "✗ " : "";
  return make("span", { class: STATUSES[status] }, glyph, said("span", `samples.${STATUSES[status]}`));
}

/** Where a score lies in its metric's range, from 0 to 1; null where the range has no end. */
function shareOf(score, metric) {
  const [low, high] = metric.range ?? [null, null];
  if (score === null || low === null || high === null) return null;
  return Math.min(1, Math.max(0, (score - low) / (high - low)));
}
