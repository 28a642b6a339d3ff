// The listed samples as files, made in the page.

// Spreadsheets drop white space before a formula, and read the full-width forms of its first character.
const FORMULA = /^'*(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])/u;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** A field of CSV; a text that a spreadsheet would run as a formula gets a ' in front. */
function csvField(value) {
  if (value === null || value === undefined) return "";
  const guarded = typeof value === "string" && FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

/** A row for each place: id, question, the data's own columns, and of each run the answer, scores and statuses. */
function asCsv(samples, places, runs) {
  const columns = exportColumns(samples, runs);
  const lines = [columns.map(([name]) => name), ...places.map((place) => columns.map(([, value]) => value(place)))];
  // Spreadsheets read UTF-8 as such only behind this mark.
  return `\ufeff${lines.map((line) => `${line.map(csvField).join(",")}\r\n`).join("")}`;
}

/** The columns of CSV: a name, and a function from place to value. With several runs names end with the run's. */
function exportColumns(samples, runs) {
  const { data } = samples;
  const named = (name, run) => (samples.runs.length > 1 ? `${name} (${samples.runs[run]})` : name);
  return [
    ["id", (place) => data.ids[place]],
    ["question", (place) => data.questions[place]],
    ...(data.languages ? [["language", (place) => data.languages[place]]] : []),
    ...[...samples.columns].map(([name, values]) => [name, (place) => values[place]]),
    ...runs.flatMap((run) => [
      [named("answer", run), (place) => samples.answer(run, place)],
      [named("failure", run), (place) => samples.failure(run, place)],
      ...samples.metrics.flatMap(({ name }) => [
        [named(name, run), (place) => samples.score(run, name, place)],
        [named(`${name}|status`, run), (place) => STATUSES[samples.status(run, name, place)]],
      ]),
    ]),
  ];
}

/** An object of JSON a line for each place, with the texts of passages. */
function asJsonLines(samples, places, runs) {
  return places.map((place) => `${JSON.stringify(sampleOf(samples, place, runs))}\n`).join("");
}

function sampleOf(samples, place, runs) {
  const { data } = samples;
  return {
    id: data.ids[place],
    question: data.questions[place],
    language: data.languages?.[place] ?? null,
    references: samples.references(place),
    columns: Object.fromEntries([...samples.columns].map(([name, values]) => [name, values[place]])),
    runs: runs.map((run) => ({
      run: samples.runs[run],
      answer: samples.answer(run, place),
      failure: samples.failure(run, place),
      contexts: samples.contexts(run, place).map(({ id, text }) => ({ id, text })),
      scores: Object.fromEntries(samples.metrics.map(({ name }) => [name, samples.score(run, name, place)])),
      statuses: Object.fromEntries(
        samples.metrics.map(({ name }) => [name, STATUSES[samples.status(run, name, place)]])),
    })),
  };
}

/** Let the reader save a text as a file; no request is made. */
function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = make("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
