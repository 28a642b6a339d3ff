// The answers of all runs side by side: a row for each sample, a column for each run.

// Characters of an answer in a cell: three lines hold no more.
const IN_CELL = 600;
// Runs whose answers have room beside their scores.
const FEW_RUNS = 3;

/** The layout of this view; a narrow list is scrolled sideways, so its columns are as wide as those of few runs. */
function outputLayout({ runs }) {
  return runs.length > FEW_RUNS ? MANY_OUTPUTS : OUTPUTS;
}

/**
 * The columns of this view; that of a run is sorted by its scores under the metric `lead`. Those without a width are not
 * shown: the list is ordered by them.
 */
function outputColumns(samples, lead, narrow) {
  const layout = outputLayout(samples);
  const each = narrow ? OUTPUTS.each : layout.each;
  const { name } = lead;
  const ofRuns = samples.runs.map((title, run) => {
    const values = samples.data.by_run[run].scores[name] ?? [];
    const mark = run === 0 ? "page.base" : samples.runs.length > 2 && run === samples.data.shown_run ? "page.runs.first" : null;
    return { id: `output ${run}`, kind: "output", name: title, mark, metric: lead, run, width: `${each}rem`, values };
  });
  const others = samples.runs.map((_, run) => run).slice(1);
  return [
    { id: "id", kind: "asked", word: "samples.question", width: `${layout.pinned}rem`, values: samples.data.ids, pinned: true },
    ...ofRuns,
    { id: `score ${name}`, kind: "score", name, metric: lead, values: worstScores(samples, lead) },
    { id: `change ${name}`, kind: "change", name, metric: lead, values: changesOf(samples, others, lead) },
  ];
}

/** The metric whose scores stand beside answers: the usual one, if it is not about passages; else the first of answers. */
function answerMetric(metrics, usual) {
  return usual.stage === "retrieval" ? (metrics.find(({ stage }) => stage === "generation") ?? usual) : usual;
}

/** The worst score of each sample in any run. */
function worstScores(samples, { name, direction }) {
  return once(samples, `worst ${name}`, () => samples.everywhere.map((place) =>
    worstOf(samples.runs.map((_, run) => samples.score(run, name, place)), direction)));
}

/** Whose scores stand in the cells, and what the marks mean. */
function outputLegend(samples, { name }) {
  return [textElement("span", "samples.outputs-scores", { metric: name }), ...supportKeys(samples)];
}

/** The question of a sample below its id. */
function askedCell(samples, place) {
  const question = samples.data.questions[place];
  const shown = question === null ? "" : dataElement("span", question.slice(0, IN_CELL), samples.language(place), { class: "lines" });
  return [dataElement("span", samples.data.ids[place], null, { class: "id" }), shown];
}

/** The answer of a run with the support of its sentences, beside its score and the change from the first run. */
function outputCell(samples, run, metric, place) {
  const change = samples.change(run, metric.name, place);
  const changed = change !== null && outcomeOf(change, metric) !== 0;
  const chip = make("span", { class: "chip" }, scoreText(samples, run, metric, place), changed ? changeText(change, metric) : null);
  return [outputText(samples, run, metric, place), chip];
}

function outputText(samples, run, metric, place) {
  const failure = samples.failure(run, place);
  if (failure !== null) return make("span", { class: "lines failed" }, "✗ ", dataElement("span", failure));
  const answer = samples.answer(run, place);
  if (!answer?.trim()) return textElement("span", answer === null ? "samples.no-answer" : "samples.empty-answer", {}, { class: "lines absent" });
  const names = supportMetrics(samples, run, place);
  const by = names.includes(metric.name) ? metric.name : names[0];
  const marks = by ? marksOf(answer, samples.evidence(run, by, place)) : [];
  const repeated = run > 0 && answer === samples.answer(0, place);
  const attributes = { dir: "auto", lang: samples.language(place), class: repeated ? "lines repeated" : "lines" };
  return make("span", attributes, ...sentencesOf(answer.slice(0, IN_CELL), marks));
}

/** A text in which the sentences of `marks` show their support. */
function sentencesOf(text, marks) {
  const nodes = [];
  let end = 0;
  for (const mark of marks.filter(({ start }) => start < text.length)) {
    nodes.push(text.slice(end, mark.start), supportSpan([text.slice(mark.start, mark.end)], mark));
    end = mark.end;
  }
  return [...nodes, text.slice(end)].filter((node) => node !== "");
}
