// The columns of the table, and the order that each gives.

const FEW = 50;

/** Values of a column and their counts, most frequent first; null where there are too many values for a filter. */
function distinct(values) {
  const most = Math.min(FEW, Math.max(6, values.length / 2));
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

/** The columns shown for a run; `kind` decides how a cell looks. */
function columnsOf(samples, groups, run) {
  const { data } = samples;
  const found = [
    { id: "id", kind: "text", word: "samples.id", width: "9rem", values: data.ids },
    ...groups.map(({ name, values }, place) => ({
      id: `group${place}`, kind: "text", name, word: "samples.language", width: "7rem", values,
    })),
    { id: "question", kind: "question", word: "samples.question", width: "minmax(18rem, 1fr)", values: data.questions },
  ];
  for (const metric of samples.metrics) {
    const { name } = metric;
    const scores = data.by_run[run].scores[name] ?? [];
    found.push({ id: `score ${name}`, kind: "score", name, metric, width: "7.5rem", values: scores, run });
    if (run === 0) continue;
    const values = samples.everywhere.map((place) => samples.change(run, name, place));
    found.push({ id: `change ${name}`, kind: "change", name, metric, width: "6rem", values, run });
  }
  return found;
}

/** Sort keys of a column; NaN for missing values. */
function sortKeys(column) {
  if (column.keys?.language === interfaceLanguage) return column.keys.numbers;
  const numeric = column.values.every((value) => value === null || typeof value === "number");
  const numbers = numeric ? Float64Array.from(column.values, (value) => value ?? NaN) : ranks(column.values);
  column.keys = { language: interfaceLanguage, numbers };
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
