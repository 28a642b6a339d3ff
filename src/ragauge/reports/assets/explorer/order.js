// The columns of the table, and the order that each gives.

const FEW = 50;
// Of numbers: a list of more is one of measurements, such as seconds.
const FEW_NUMBERS = 12;

/** Values of a column and their counts, most frequent first; null where there are too many values for a filter. */
function distinct(values) {
  const numbers = values.every((value) => value === null || typeof value === "number");
  const most = Math.min(numbers ? FEW_NUMBERS : FEW, Math.max(6, values.length / 2));
  const counts = new Map();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
    if (counts.size > most) return null;
  }
  return [...counts].sort((one, other) => other[1] - one[1]);
}

/** The columns that get a filter: the language, and columns with few different values. */
function groupsOf(samples) {
  const candidates = [...samples.columns];
  if (samples.data.languages) candidates.unshift([null, samples.data.languages]);
  return candidates
    .map(([name, values]) => ({ name, values, choices: distinct(values) }))
    .filter(({ choices }) => choices !== null && choices.length > 1);
}

/** Columns from the data that are not grouped by, and can be shown on request. */
function extrasOf(samples, groups) {
  const grouped = new Set(groups.map(({ name }) => name));
  return [...samples.columns].filter(([name]) => !grouped.has(name)).map(([name, values]) => ({ name, values }));
}

/**
 * All columns of the table for a run; `kind` decides how a cell looks, and `choice` is the entry of the chooser.
 * Those that are `pinned` are always in view: id, question, answer and the scores of the metric `lead`; then come the
 * metrics that verdicts rest on.
 */
function columnsOf(samples, groups, run, lead) {
  const { data, metrics } = samples;
  const rest = metrics.filter((metric) => metric !== lead).sort((one, other) => other.primary - one.primary);
  const grouped = groups.map(({ name, values }) => valuesColumn(name, values));
  return [
    { id: "id", kind: "text", word: "samples.id", width: "5.5rem", values: data.ids, pinned: true },
    { id: "question", kind: "question", word: "samples.question", width: WIDE, values: data.questions, pinned: true },
    { id: "answer", kind: "answer", word: "samples.answer", width: WIDE, values: data.by_run[run].answers, pinned: true },
    ...metricColumns(samples, run, lead, true),
    ...rest.flatMap((metric) => metricColumns(samples, run, metric, false)),
    ...grouped,
    ...extrasOf(samples, groups).map(({ name, values }) => ({ ...valuesColumn(name, values), extra: true })),
  ];
}

const WIDE = "minmax(0, 1fr)";

function valuesColumn(name, values) {
  const choice = name === null ? "language" : `column ${name}`;
  return { id: choice, choice, kind: "text", name, word: "samples.language", width: "7rem", values };
}

/** The scores of a metric, and their changes from the first run. */
function metricColumns(samples, run, metric, pinned) {
  const { name } = metric;
  const shared = { name, metric, run, pinned, choice: `score ${name}` };
  const scores = samples.data.by_run[run].scores[name] ?? [];
  // As wide as its name, up to some twenty letters.
  const width = `${Math.min(14, Math.max(6.5, 1.5 + 0.62 * name.length))}rem`;
  const score = { ...shared, id: `score ${name}`, kind: "score", width, values: scores };
  if (run === 0) return [score];
  return [score, { ...shared, id: `change ${name}`, kind: "change", width: "6.25rem", values: changesOf(samples, [run], metric) }];
}

/** The change of each sample in that of the runs in which it got worst, computed once for the runs and a metric. */
function changesOf(samples, runs, { name, direction }) {
  return once(samples, `change ${runs} ${name}`, () => samples.everywhere.map((place) =>
    worstOf(runs.map((run) => samples.change(run, name, place)), direction)));
}

/** The worst of some values, of which those that are null are left out; null for none. */
function worstOf(values, direction) {
  const known = values.filter((value) => value !== null);
  return known.length ? (direction === "lower" ? Math.max : Math.min)(...known) : null;
}

/** A column that is never shown: samples that changed most in one of the runs come first, and of equal changes the worse. */
function sizeOfChange(samples, runs, metric) {
  const worse = metric.direction === "lower" ? 1 : -1;
  const size = (change) => -Math.abs(change) * (Math.sign(change) === worse ? 1 + 1e-9 : 1);
  const sizeIn = (run) => changesOf(samples, [run], metric).map((change) => (change === null ? null : size(change)));
  const values = once(samples, `size ${runs} ${metric.name}`, () => {
    const sizes = runs.map(sizeIn);
    return samples.everywhere.map((place) => worstOf(sizes.map((ofRun) => ofRun[place])));
  });
  return { id: `size ${metric.name}`, metric, values };
}

/** Make values for all samples when they are first asked for. */
function once(samples, key, made) {
  samples.made ??= new Map();
  if (!samples.made.has(key)) samples.made.set(key, made());
  return samples.made.get(key);
}

const KEYS = new WeakMap();

/** Sort keys of a column, kept with its values; NaN for missing ones. */
function sortKeys({ values }) {
  const kept = KEYS.get(values);
  if (kept?.language === interfaceLanguage) return kept.numbers;
  const numeric = values.every((value) => value === null || typeof value === "number");
  const numbers = numeric ? Float64Array.from(values, (value) => value ?? NaN) : ranks(values);
  KEYS.set(values, { language: interfaceLanguage, numbers });
  return numbers;
}

/** The rank of each text as the interface's language orders them; q2 comes before q10. */
function ranks(values) {
  const { compare } = new Intl.Collator(interfaceLanguage, { numeric: true });
  const different = [...new Set(values)].filter((value) => value !== null).sort((one, other) => compare(one, other));
  const places = new Map(different.map((value, place) => [value, place]));
  return Float64Array.from(values, (value) => places.get(value) ?? NaN);
}

/** Sort places; missing values come last in both directions, and ties keep the order of the data. */
function sortedPlaces(places, column, descending) {
  const numbers = sortKeys(column).map((key) => (Number.isNaN(key) ? Infinity : descending ? -key : key));
  return places.slice().sort((one, other) => numbers[one] - numbers[other] || one - other);
}

/** Whether descending order shows the worst first. */
function worstFirst(column) {
  return column.metric?.direction === "lower";
}
