// The texts of the samples as searches compare them.

const SLICE = 500;

/** Text as it is compared: without case, and in one form for characters that look alike. */
function comparable(text) {
  return text.normalize("NFKC").toLowerCase();
}

/** A passage that many samples share is kept, and searched, once. */
class SearchTexts {
  constructor(samples) {
    this.samples = samples;
    this.own = [];
    this.passages = [];
  }

  /** Make the texts in slices between which the page answers; a search before the end makes the rest at once. */
  async prepare() {
    for (let place = 0; place < this.samples.size; place += 1) {
      this.text(place);
      if (place % SLICE === SLICE - 1) await pause();
    }
    for (let place = 0; place < this.samples.passages.length; place += 1) {
      this.passage(place);
      if (place % SLICE === SLICE - 1) await pause();
    }
  }

  /** All text of a sample but its passages; it is made again when more of the sample has been read. */
  text(place) {
    const complete = this.samples.complete(place);
    if (this.own[place]?.complete !== complete) {
      this.own[place] = { complete, text: comparable(this.textsOf(place).filter(Boolean).join("\n")) };
    }
    return this.own[place].text;
  }

  textsOf(place) {
    const { samples } = this;
    const { data } = samples;
    const known = [data.ids, data.questions, data.languages].map((column) => column?.[place]);
    const others = [...samples.columns.values()].map((values) => String(values[place] ?? ""));
    const ofRuns = samples.runs.flatMap((_, run) => [
      samples.answer(run, place),
      samples.failure(run, place),
      ...(samples.detail(run, "contexts", place) ?? []).map(({ id }) => id),
    ]);
    return [...known, ...others, ...ofRuns, ...samples.references(place), ...samples.referenceContexts(place).map(({ text }) => text)];
  }

  passage(place) {
    return (this.passages[place] ??= comparable(this.samples.passages[place]));
  }

  /** Return a test of places: every word is in some text of the sample; null for a search without words. */
  test(searched) {
    const words = comparable(searched).split(/\s+/).filter(Boolean);
    if (!words.length) return null;
    const tests = words.map((word) => this.wordTest(word));
    return (place) => tests.every((test) => test(place));
  }

  wordTest(word) {
    const { samples } = this;
    const found = Uint8Array.from(samples.passages, (_, place) => this.passage(place).includes(word));
    const inPassages = (place) =>
      samples.runs.some((_, run) => samples.detail(run, "contexts", place)?.some(({ passage }) => found[passage]));
    return (place) => this.text(place).includes(word) || inPassages(place);
  }
}
