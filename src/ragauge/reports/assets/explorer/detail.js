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
      this.copying = control(textElement("span", "samples.copy-short"), "samples.copy", () => this.copy()),
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
      this.fill();
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
    this.edits = this.runs.length > 1 ? this.pieces : [];
    this.changed = changedWords(this.edits);
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
    const compared = runs.length > 1;
    const references = this.references(language);
    const said = compared ? make("div", { class: "answers" }, references, this.answers(language)) : this.answers(language);
    const decided = compared ? this.deciding(language) : references;
    const rest = [
      this.changes(language),
      this.perRun("samples.evidence", (run) => evidenceOf(samples, place, run)),
      samples.complete(place) ? this.perRun("samples.contexts", (run) => [contextsOf(samples, place, run)]) : null,
      this.perRun("samples.judged", (run) => [judgedOf(samples, place, run)].filter(Boolean)),
      this.referenceContexts(language),
      this.facts(),
    ];
    return [
      ...runs.map((run) => this.failure(run)),
      this.cause(),
      compared ? changesInShort(samples, place, runs) : null,
      question === null ? null : block("samples.question", passage(question, language, "text question")),
      // On a phone what stands below two answers is out of sight.
      ...(compared && SHEET.matches ? [decided, said] : [said, decided]),
      block("samples.scores", ...scoresOf(samples, place, runs)),
      samples.complete(place) ? null : textElement("p", "samples.reading", {}, { class: "caption", role: "status" }),
      ...(compared ? [this.onRequest(rest)] : rest),
    ];
  }

  /** What is shown on request; the next sample shows it too then. */
  onRequest(parts) {
    const summary = make("summary", {}, textElement("span", "samples.rest"));
    const open = this.fold?.open ? "" : null;
    this.fold = make("details", { class: "rest", open }, summary, ...parts.filter(Boolean));
    return this.fold;
  }

  /** What changed from the first of the two runs to the other; empty where one has no answer. */
  get pieces() {
    const [before, after] = this.compared;
    return before && after && before !== after ? difference(before, after, this.samples.language(this.place)) : [];
  }

  get compared() {
    return [this.runs[0], this.runs.at(-1)].map((run) => this.samples.answer(run, this.place));
  }

  /** The words of the first answer that the other one does not have. */
  get goneWords() {
    return this.changed[0].map(({ start, end }) => this.compared[0].slice(start, end));
  }

  marked(text) {
    return withMarks(text, placesOf(this.goneWords, text));
  }

  references(language) {
    const found = this.samples.references(this.place);
    if (!found.length) return null;
    const items = found.map((text) => make("li", {}, folded(make("p", { dir: "auto", lang: language, class: "text" }, ...this.marked(text)), text)));
    return block("samples.references", make("ul", { class: "texts" }, ...items));
  }

  /** The passage that decided, with its rank in both runs. */
  deciding(language) {
    const { samples, place, runs } = this;
    const found = samples.complete(place) ? decidingPassage(samples, place, runs, this.goneWords) : null;
    if (!found) return null;
    const { passage: { id, text }, ranks } = found;
    const where = ranks.map((rank, at) => {
      const said = rank ? textElement("span", "samples.at-rank", { rank }) : textElement("span", "samples.not-retrieved");
      return make("span", { class: ranks[0] && (!rank || rank > ranks[0]) ? "worse" : null }, dataElement("bdi", samples.runs[runs[at]]), textElement("span", "page.colon"), said);
    });
    const name = typeof id === "string" ? dataElement("bdi", id, null, { class: "id" }) : null;
    const shown = typeof text === "string" ? folded(make("p", { dir: "auto", lang: language, class: "text" }, ...this.quoting(text, found.best)), text) : null;
    return block("samples.deciding", make("p", { class: "caption ranks" }, ...where, name), shown);
  }

  /** A passage with its quote, in which the words that the answer lost are marked. */
  quoting(text, best) {
    const start = best ? text.indexOf(best) : -1;
    if (start < 0) return this.marked(text);
    return [text.slice(0, start), make("span", { class: "quoted" }, ...this.marked(best)), text.slice(start + best.length)];
  }

  async copy() {
    await copyText(asMarkdown(this.samples, this.place, this.runs, location.href));
    this.say("samples.copied", "samples.copied");
    setTimeout(() => this.say("samples.copy", "samples.copy-short"), 2000);
  }

  say(name, shown) {
    Object.assign(this.copying.dataset, { textLabel: name, textTitle: name });
    this.copying.replaceChildren(textElement("span", shown));
    updateTexts(this.copying);
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

  /** Why the other run is worse, in one line; a failure says so itself. */
  cause() {
    const [why, words] = this.samples.cause(this.place, this.runs.at(-1)) ?? [];
    if (!words || why === "failed") return null;
    return make("p", { class: "cause" }, textElement("strong", "samples.cause"), textElement("span", "page.colon"), wordedElement("span", words));
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
    return block("samples.answer", this.beside(columns), metric ? this.legend(names, metric) : null);
  }

  answer(run, metric, language) {
    const answer = this.samples.answer(run, this.place);
    if (answer === null) return [textElement("p", "samples.no-answer", {}, { class: "caption" })];
    if (!answer.trim()) return [textElement("p", "samples.empty-answer", {}, { class: "caption" })];
    const marks = metric ? marksOf(answer, this.samples.evidence(run, metric, this.place)) : [];
    const found = make("div", { class: "counterpart", "aria-live": "polite" });
    const changed = this.changed[run === this.runs[0] ? 0 : 1];
    const text = markedAnswer(answer, marks, changed, language, (mark) => {
      found.replaceChildren(bestMatches(mark, language));
      this.highlight(run, mark.items[0].best);
    });
    return [folded(text, answer), found, this.samples.thumbs?.element(run, this.place) ?? null];
  }

  highlight(run, best) {
    const list = this.content.querySelector(`.run[data-run="${run}"] .contexts`);
    if (list) highlight(list, best);
  }

  /** The meaning of the colours, and the metric whose support they show. */
  legend(names, metric) {
    const by = names.length > 1 ? this.choice(names, metric) : dataElement("bdi", metric);
    return make("p", { class: "by caption" }, ...supportKeys(this.samples), textElement("span", "samples.according-to"), " ", by);
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
    const [before, after] = this.compared;
    if (!before || !after) return null;
    const same = before === after ? textElement("p", "samples.same-answer", {}, { class: "caption" }) : null;
    return block("samples.difference", same ?? folded(differenceOf(this.edits, language), before + after));
  }
}

/** A small button with a sign or an element, whose name is for screen readers and shown as a hint. */
function control(shown, word, action) {
  const face = typeof shown === "string" ? sign(shown) : shown;
  const element = make("button", { type: "button", "data-text-label": word, "data-text-title": word }, face);
  element.addEventListener("click", action);
  return element;
}

function block(word, ...children) {
  return make("section", {}, textElement("h4", word), ...children);
}
