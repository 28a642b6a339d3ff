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

/** Read one part: gzip of JSON, as printable text. */
async function unpacked(stored) {
  const plain = new Blob([bytes(stored)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

// What a chunk holds for each run by column, not for each row.
// What is known of the support of a sentence that a cause names, whatever a metric found.
const CONTRADICTED = "contradicted";
const BY_COLUMN = ["evidence", "words", "parts"];

/** The rows of a chunk, which is stored as lists of their values; each knows its chunk and its place there. */
function rowsOf(chunk) {
  for (const evidence of chunk.evidence ?? []) {
    if (!evidence) continue;
    evidence.starts = [0];
    for (const count of evidence.n) evidence.starts.push(evidence.starts.at(-1) + count);
  }
  const names = Object.keys(chunk).filter((name) => !BY_COLUMN.includes(name));
  return chunk.by_run.map((_, at) => ({ ...Object.fromEntries(names.map((name) => [name, chunk[name][at]])), chunk, at }));
}

/** Let the page answer before the work goes on. */
function pause() {
  return globalThis.scheduler?.yield?.() ?? new Promise((done) => setTimeout(done));
}

// Printable characters of ASCII but those that markup is made of; a code's place among them is its digit.
const DIGITS = Uint8Array.from({ length: 127 }, (_, code) => code - 33 - [38, 60, 62].filter((left) => left < code).length);

/** Read the number of bytes, a space and pairs of digits, each pair one number of 13 bits. */
function bytes(stored) {
  const start = stored.indexOf(" ") + 1;
  const found = new Uint8Array(Number.parseInt(stored, 10));
  let [held, bits, at] = [0, 0, 0];
  for (let place = start; place < stored.length; place += 2) {
    held = (held << 13) | (DIGITS[stored.charCodeAt(place)] * 91 + DIGITS[stored.charCodeAt(place + 1)]);
    for (bits += 13; bits >= 8; at += 1) {
      bits -= 8;
      found[at] = held >>> bits;
    }
    held &= (1 << bits) - 1;
  }
  return found;
}

/**
 * The samples of a report. A sample is its place from 0; a run is its place too, and the first is the baseline.
 * Ids, questions, answers and scores are there from the start; passages, evidence and the rest once `read` was called.
 */
class Samples {
  constructor(stored) {
    const data = inPlace(stored);
    this.data = data;
    this.order = data.order ?? data.ids.map((_, place) => place);
    this.size = data.ids.length;
    this.runs = data.runs;
    this.metrics = data.metrics;
    this.everywhere = Array.from({ length: this.size }, (_, place) => place);
    this.columns = new Map(Object.entries(data.columns ?? {}));
    this.rows = Array.from({ length: this.size });
    this.passages = [];
    this.wholeLengths = new Map();
    this.texts = new SearchTexts(this);
    this.places = null;
  }

  /** Read the chunks one after another, and what searches need of them. */
  async read(chunks) {
    let rows = 0;
    for (const stored of chunks) {
      for (const row of rowsOf(await unpacked(stored))) {
        for (const found of row.passages ?? []) this.addPassage(found);
        this.rows[this.order[rows]] = row;
        rows += 1;
      }
      await pause();
    }
    await this.texts.prepare();
  }

  /** Keep a passage: a text, or what is shown of it and its whole length. */
  addPassage(found) {
    if (typeof found !== "string") this.wholeLengths.set(this.passages.length, found[1]);
    this.passages.push(typeof found === "string" ? found : found[0]);
  }

  /** Whether all of a sample is there. */
  complete(place) {
    return this.rows[place] !== undefined;
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

  /** Return what only the chunks hold (contexts, reasons) of a sample of a run; or undefined. */
  detail(run, kind, place) {
    return this.rows[place]?.by_run?.[run]?.[kind];
  }

  score = (run, metric, place) => this.of(run, "scores", place, metric);
  status = (run, metric, place) => this.of(run, "status", place, metric) ?? MISSING;
  reason = (run, metric, place) => own(this.detail(run, "reasons", place), metric) ?? null;
  failure = (run, place) => this.of(run, "failure", place);
  /**
   * Why a run is worse on a sample, a sentence on it in each language, and the one of the answer that is contradicted;
   * or null. The shown run has causes.
   */
  cause = (place, run = this.data.shown_run) => (run === this.data.shown_run ? this.data.causes?.[place] : null) ?? null;
  answer = (run, place) => this.of(run, "answers", place);
  contexts = (run, place) => (this.detail(run, "contexts", place) ?? []).map((context) => this.withText(context));
  references = (place) => this.rows[place]?.references ?? [];
  referenceContexts = (place) => (this.rows[place]?.reference_contexts ?? []).map((passage) => this.passageAt(passage));
  relevance = (place) => this.rows[place]?.relevance ?? [];

  /** Return a context with its text: each passage is stored once and referred to by its place. */
  withText(context) {
    return "passage" in context ? { ...context, ...this.passageAt(context.passage) } : context;
  }

  /** Return what is shown of a passage, and its whole length if that is more. */
  passageAt(passage) {
    return { text: this.passages[passage], whole: this.wholeLengths.get(passage) };
  }

  /** Return the segments that a score rests on. */
  evidence(run, metric, place) {
    const { chunk, at } = this.rows[place] ?? {};
    const held = chunk?.evidence?.[run];
    const wanted = this.metrics.findIndex(({ name }) => name === metric);
    const found = [];
    for (let segment = held?.starts[at]; segment < held?.starts[at + 1]; segment += 1) {
      if (held.metric[segment] === wanted) found.push(this.segment(chunk.words, held, segment, run, place));
    }
    return found;
  }

  segment(words, held, at, run, place) {
    const [what, why] = [held.what[at], held.why[at]].map((word) => (word === null ? null : words[word]));
    const [text, best] = [held.text[at], held.best[at]].map((found) => this.quoted(found, run, place));
    const [, , contradicted] = this.cause(place, run) ?? [];
    const supported = contradicted && text === contradicted ? CONTRADICTED : held.supported[at];
    return { what, why, text, best, similarity: held.similarity[at], supported };
  }

  /** A text; or start and length of it in the answer; or passage, start and length. */
  quoted(found, run, place) {
    if (!Array.isArray(found)) return found;
    const [start, length] = found.slice(-2);
    const text = found.length === 2 ? this.answer(run, place) : this.passages[found[0]];
    return text.slice(start, start + length);
  }

  /** Return the score minus that of the first run, or null. */
  change(run, metric, place) {
    const [before, after] = [this.score(0, metric, place), this.score(run, metric, place)];
    return before === null || after === null ? null : after - before;
  }

  parts(run, metric, place) {
    const { chunk, at } = this.rows[place] ?? {};
    const found = Object.entries(own(chunk?.parts?.[run], metric) ?? {}).map(([name, values]) => [name, values[at]]);
    return found.filter(([, value]) => value !== null);
  }

  /** The place of the sample with this id, or undefined. */
  find(id) {
    this.places ??= new Map(this.data.ids.map((name, place) => [name, place]));
    return this.places.get(id);
  }
}

/** Return the index with questions and answers at the places of their samples; they are stored in its `order`. */
function inPlace(data) {
  if (!data.order) return data;
  const moved = (texts) => {
    const found = Array.from(texts);
    data.order.forEach((place, at) => {
      found[place] = texts[at];
    });
    return found;
  };
  const runs = data.by_run.map((run) => ({ ...run, answers: moved(run.answers) }));
  return { ...data, questions: moved(data.questions), by_run: runs };
}

/** Return a value of an object that has names from the data; inherited ones are none. */
function own(values, name) {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}
