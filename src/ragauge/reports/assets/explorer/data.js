// The samples, read from the page.

const OK = 0;
const MISSING = 2;
const FAILED = 3;
// A status is an index of this list.
const STATUSES = ["ok", "undefined", "missing", "failed"];

/** The parts of the samples as the page stores them: the index, then chunks of rows. */
function storedParts() {
  return document.getElementById("payload").textContent.trim().split("\n");
}

/** Read one part: base64 of gzip of JSON. */
async function unpacked(stored) {
  const plain = new Blob([bytes(stored)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

/** Let the page answer before the work goes on. */
function pause() {
  return globalThis.scheduler?.yield?.() ?? new Promise((done) => setTimeout(done));
}

function bytes(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const found = new Uint8Array(text.length);
  for (let place = 0; place < text.length; place += 1) found[place] = text.charCodeAt(place);
  return found;
}

/**
 * The samples of a report. A sample is its place from 0; a run is its place too, and the first is the baseline.
 * Ids, questions, answers and scores are there from the start; passages, evidence and the rest once `read` was called.
 */
class Samples {
  constructor(data) {
    this.data = data;
    this.size = data.ids.length;
    this.runs = data.runs;
    this.metrics = data.metrics;
    this.everywhere = Array.from({ length: this.size }, (_, place) => place);
    this.columns = new Map(Object.entries(data.columns ?? {}));
    this.rows = [];
    this.passages = [];
    this.texts = new SearchTexts(this);
    this.places = null;
  }

  /** Read the chunks one after another, and what searches need of them. */
  async read(chunks) {
    for (const stored of chunks) {
      for (const row of await unpacked(stored)) {
        for (const text of row.passages ?? []) this.passages.push(text);
        this.rows.push(row);
      }
      await pause();
    }
    await this.texts.prepare();
  }

  /** Whether all of a sample is there. */
  complete(place) {
    return place < this.rows.length;
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

  /** Return what only the chunks hold (contexts, evidence, parts, reasons) of a sample of a run; or undefined. */
  detail(run, kind, place) {
    return this.rows[place]?.by_run?.[run]?.[kind];
  }

  score = (run, metric, place) => this.of(run, "scores", place, metric);
  status = (run, metric, place) => this.of(run, "status", place, metric) ?? MISSING;
  reason = (run, metric, place) => own(this.detail(run, "reasons", place), metric) ?? null;
  evidence = (run, metric, place) => own(this.detail(run, "evidence", place), metric) ?? [];
  failure = (run, place) => this.of(run, "failure", place);
  answer = (run, place) => this.of(run, "answers", place);
  contexts = (run, place) => (this.detail(run, "contexts", place) ?? []).map((context) => this.withText(context));
  references = (place) => this.rows[place]?.references ?? [];
  referenceContexts = (place) => this.rows[place]?.reference_contexts ?? [];
  relevance = (place) => this.rows[place]?.relevance ?? [];

  /** Return a context with its text: each passage is stored once and referred to by its place. */
  withText(context) {
    return "passage" in context ? { ...context, text: this.passages[context.passage] } : context;
  }

  /** Return the score minus that of the first run, or null. */
  change(run, metric, place) {
    const [before, after] = [this.score(0, metric, place), this.score(run, metric, place)];
    return before === null || after === null ? null : after - before;
  }

  parts(run, metric, place) {
    const found = Object.entries(own(this.detail(run, "parts", place), metric) ?? {});
    return found.filter(([, value]) => value !== null);
  }

  /** The place of the sample with this id, or undefined. */
  find(id) {
    this.places ??= new Map(this.data.ids.map((name, place) => [name, place]));
    return this.places.get(id);
  }
}

/** Return a value of an object that has names from the data; inherited ones are none. */
function own(values, name) {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}
