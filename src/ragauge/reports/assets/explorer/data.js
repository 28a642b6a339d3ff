// The samples, read from the page.

const OK = 0;
const MISSING = 2;
const FAILED = 3;
// A status is an index of this list.
const STATUSES = ["ok", "undefined", "missing", "failed"];

/** Read the samples: base64 of gzip of JSON. */
async function payload() {
  const stored = bytes(document.getElementById("payload").textContent.trim());
  const plain = new Blob([stored]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

function bytes(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const found = new Uint8Array(text.length);
  for (let place = 0; place < text.length; place += 1) found[place] = text.charCodeAt(place);
  return found;
}

/** The samples of a report. A sample is its place from 0; a run is its place too, and the first is the baseline. */
class Samples {
  constructor(data) {
    this.data = data;
    this.size = data.ids.length;
    this.runs = data.runs;
    this.metrics = data.metrics;
    this.everywhere = Array.from({ length: this.size }, (_, place) => place);
    this.columns = new Map(Object.entries(data.columns ?? {}));
    this.texts = new Array(this.size);
    this.places = null;
  }

  /** The language of a sample as the attribute `lang` takes it, or null. */
  language(place) {
    const tag = this.data.languages?.[place];
    if (!tag || !/^[a-z]{2,3}(-[a-z0-9]+)*$/i.test(tag)) return null;
    try {
      return Intl.getCanonicalLocales(tag)[0];
    } catch {
      return null;
    }
  }

  /** Return the value of a kind (scores, answers, ...) for a sample of a run, and of a metric if given; or null. */
  of(run, kind, place, metric = null) {
    const found = this.data.by_run[run][kind];
    return (metric === null ? found : found?.[metric])?.[place] ?? null;
  }

  score = (run, metric, place) => this.of(run, "scores", place, metric);
  status = (run, metric, place) => this.of(run, "status", place, metric) ?? MISSING;
  reason = (run, metric, place) => this.of(run, "reasons", place, metric);
  evidence = (run, metric, place) => this.of(run, "evidence", place, metric) ?? [];
  failure = (run, place) => this.of(run, "failure", place);
  answer = (run, place) => this.of(run, "answers", place);
  contexts = (run, place) => (this.of(run, "contexts", place) ?? []).map((context) => this.withText(context));

  /** Return a context with its text: each passage is stored once and referred to by its place. */
  withText(context) {
    return "passage" in context ? { ...context, text: this.data.passages[context.passage] } : context;
  }

  /** Return the score minus that of the first run, or null. */
  change(run, metric, place) {
    const [before, after] = [this.score(0, metric, place), this.score(run, metric, place)];
    return before === null || after === null ? null : after - before;
  }

  parts(run, metric, place) {
    const found = Object.entries(this.data.by_run[run].parts?.[metric] ?? {});
    return found.map(([name, values]) => [name, values[place]]).filter(([, value]) => value !== null);
  }

  /** The place of the sample with this id, or undefined. */
  find(id) {
    this.places ??= new Map(this.data.ids.map((name, place) => [name, place]));
    return this.places.get(id);
  }

  /** All text of a sample in lower case, computed once. */
  text(place) {
    this.texts[place] ??= this.textsOf(place).filter(Boolean).join("\n").normalize("NFC").toLowerCase();
    return this.texts[place];
  }

  textsOf(place) {
    const { data } = this;
    const known = [data.ids, data.questions, data.languages].map((column) => column?.[place]);
    const listed = [data.references, data.reference_contexts].flatMap((column) => column?.[place] ?? []);
    const others = [...this.columns.values()].map((values) => values[place] ?? "").map(String);
    const ofRuns = this.runs.flatMap((_, run) => [
      this.answer(run, place),
      this.failure(run, place),
      ...this.contexts(run, place).flatMap((context) => [context.id, context.text]),
    ]);
    return [...known, ...listed, ...others, ...ofRuns];
  }
}
