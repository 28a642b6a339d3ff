// The opened sample: beside the table where there is room, else a sheet over the page.

const SHEET = matchMedia("(max-width: 899px)");

class Detail {
  /** `step` is called with -1 or 1, `close` without anything. */
  constructor(samples, { step, close }) {
    this.samples = samples;
    this.close = close;
    this.supportMetric = null;
    this.place = null;
    this.title = make("h3", { tabindex: -1, id: "samples-title" });
    this.position = textElement("span", "samples.position", { rank: 0, count: 0 }, { class: "caption" });
    const controls = [
      this.position,
      control("‹", "samples.previous", () => step(-1)),
      control("›", "samples.next", () => step(1)),
      control("×", "samples.close", close),
    ];
    const head = make("header", {}, this.title, make("div", { class: "controls" }, ...controls));
    this.content = make("div", { class: "content" });
    this.article = make("article", { class: "sample" }, head, this.content);
    this.element = make("dialog", { class: "opened-sample", "aria-labelledby": "samples-title" }, this.article);
    this.element.addEventListener("cancel", (event) => {
      event.preventDefault();
      close();
    });
    SHEET.addEventListener("change", () => {
      if (!this.element.open) return;
      this.element.close();
      this.unfold();
    });
  }

  show(place, runs, rank, count) {
    const other = place !== this.place;
    Object.assign(this, { place, runs });
    const id = dataElement("bdi", this.samples.data.ids[place]);
    this.title.replaceChildren(textElement("span", "samples.sample"), " ", id);
    setText(this.position, rank ? "samples.position" : "samples.beside", { rank, count });
    this.fill();
    if (!this.element.open) this.unfold();
    if (other) this.article.scrollTop = 0;
  }

  fill() {
    this.content.replaceChildren(...this.parts().filter(Boolean));
    updateTexts(this.element);
  }

  /** Open beside the table, or over the page. */
  unfold() {
    if (SHEET.matches) this.element.showModal();
    else this.element.show();
  }

  hide() {
    this.place = null;
    this.element.close();
  }

  parts() {
    const { samples, place, runs } = this;
    const { data } = samples;
    const language = samples.language(place);
    const question = data.questions[place];
    return [
      ...runs.map((run) => this.failure(run)),
      this.cause(),
      question === null ? null : block("samples.question", passage(question, language, "text question")),
      this.answers(language),
      this.changes(language),
      this.listed("samples.references", samples.references(place), language),
      block("samples.scores", scoresOf(samples, place, runs)),
      samples.complete(place) ? null : textElement("p", "samples.reading", {}, { class: "caption", role: "status" }),
      this.perRun("samples.evidence", (run) => evidenceOf(samples, place, run)),
      samples.complete(place) ? this.perRun("samples.contexts", (run) => [contextsOf(samples, place, run)]) : null,
      this.perRun("samples.judged", (run) => [judgedOf(samples, place, run)].filter(Boolean)),
      this.referenceContexts(language),
      this.facts(),
    ];
  }

  /** The language and all other columns of the sample. */
  facts() {
    const { samples, place } = this;
    const language = samples.data.languages?.[place];
    const found = [...samples.columns].map(([name, values]) => [dataElement("dt", name), values[place]]);
    if (language) found.unshift([textElement("dt", "samples.language"), language]);
    const shown = found.filter(([, value]) => value !== null && value !== undefined && value !== "");
    if (!shown.length) return null;
    const pairs = shown.map(([name, value]) => make("div", {}, name, dataElement("dd", String(value))));
    return make("dl", { class: "about" }, ...pairs);
  }

  failure(run) {
    const failure = this.samples.failure(run, this.place);
    if (failure === null) return null;
    const name = this.runs.length > 1 ? [dataElement("bdi", this.samples.runs[run]), textElement("span", "page.colon")] : [];
    const words = textElement("strong", "samples.system-failed");
    return make("p", { class: "failure" }, "✗ ", words, " ", ...name, dataElement("span", failure));
  }

  /** Why the last run is worse, in one line; a failure says so itself. */
  cause() {
    const [why, words] = this.samples.cause(this.place) ?? [];
    if (!words || why === "failed") return null;
    return make("p", { class: "cause" }, textElement("strong", "samples.cause"), textElement("span", "page.colon"), wordedElement("span", words));
  }

  listed(word, found, language) {
    return found?.length ? block(word, listOf(found, language)) : null;
  }

  referenceContexts(language) {
    const found = this.samples.referenceContexts(this.place);
    return found.length ? block("samples.reference-contexts", referenceContextsOf(found, language)) : null;
  }

  /** A block with one column for each run; null where all are empty. */
  perRun(word, shown) {
    const columns = this.runs.map(shown);
    if (columns.every((column) => !column.length)) return null;
    return block(word, this.beside(columns));
  }

  beside(columns) {
    const named = columns.map((column, index) => {
      const run = this.runs[index];
      const name = this.runs.length > 1 ? make("h5", {}, dataElement("bdi", this.samples.runs[run])) : null;
      return make("div", { class: "run", "data-run": run }, name, ...column);
    });
    return make("div", { class: "runs" }, ...named);
  }

  answers(language) {
    const { samples, place, runs } = this;
    const names = [...new Set(runs.flatMap((run) => supportMetrics(samples, run, place)))];
    const metric = names.includes(this.supportMetric) ? this.supportMetric : names[0];
    const columns = runs.map((run) => this.answer(run, metric, language));
    return block("samples.answer", metric ? this.legend(names, metric) : null, this.beside(columns));
  }

  answer(run, metric, language) {
    const answer = this.samples.answer(run, this.place);
    if (answer === null) return [textElement("p", "samples.no-answer", {}, { class: "caption" })];
    if (!answer.trim()) return [textElement("p", "samples.empty-answer", {}, { class: "caption" })];
    const marks = metric ? marksOf(answer, this.samples.evidence(run, metric, this.place)) : [];
    const found = make("div", { class: "counterpart", "aria-live": "polite" });
    const text = markedAnswer(answer, marks, language, (mark) => {
      found.replaceChildren(bestMatches(mark, language));
      this.highlight(run, mark.items[0].best);
    });
    return [folded(text, answer), found];
  }

  highlight(run, best) {
    const list = this.content.querySelector(`.run[data-run="${run}"] .contexts`);
    if (list) highlight(list, best);
  }

  /** The meaning of the colours, and the metric whose support they show. */
  legend(names, metric) {
    const shown = [true, false].map((supported) => {
      const [glyph, word] = SUPPORT.get(supported);
      return make("span", { class: `key ${word}` }, sign(`${glyph} `), textElement("span", `samples.${word}`));
    });
    const by = names.length > 1 ? this.choice(names, metric) : dataElement("bdi", metric);
    return make("p", { class: "by caption" }, ...shown, textElement("span", "samples.according-to"), " ", by);
  }

  choice(names, metric) {
    const options = names.map((name) => make("option", { value: name }, name));
    const select = make("select", { "data-text-label": "samples.according-to" }, ...options);
    select.value = metric;
    select.addEventListener("change", () => {
      this.supportMetric = select.value;
      this.fill();
      this.content.querySelector(".by select")?.focus();
    });
    return select;
  }

  changes(language) {
    if (this.runs.length < 2) return null;
    const [before, after] = [this.runs[0], this.runs.at(-1)].map((run) => this.samples.answer(run, this.place));
    if (!before || !after) return null;
    const same = before === after ? textElement("p", "samples.same-answer", {}, { class: "caption" }) : null;
    return block("samples.difference", same ?? folded(differenceOf(before, after, language), before + after));
  }
}

/** A small button whose name is for screen readers and shown as a hint. */
function control(glyph, word, action) {
  const element = make("button", { type: "button", "data-text-label": word, "data-text-title": word }, sign(glyph));
  element.addEventListener("click", action);
  return element;
}

function block(word, ...children) {
  return make("section", {}, textElement("h4", word), ...children);
}
