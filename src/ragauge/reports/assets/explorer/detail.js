// One sample, opened.

class Detail {
  /** `step` is called with -1 or 1, `close` without anything. */
  constructor(samples, { step, close }) {
    this.samples = samples;
    this.judge = null;
    this.place = null;
    this.title = make("h3", { tabindex: -1, id: "samples-title" });
    this.position = said("span", "samples.position", { rank: 0, count: 0 }, { class: "caption" });
    const controls = [
      this.position,
      button("samples.previous", () => step(-1)),
      button("samples.next", () => step(1)),
      button("samples.close", close),
    ];
    const head = make("header", {}, this.title, make("div", { class: "controls" }, ...controls));
    this.content = make("div", { class: "content" });
    const attributes = { class: "sample", hidden: "", "aria-labelledby": "samples-title" };
    this.element = make("article", attributes, head, this.content);
  }

  show(place, runs, rank, count) {
    Object.assign(this, { place, runs });
    this.element.hidden = false;
    this.title.replaceChildren(said("span", "samples.sample"), " ", quoted("bdi", this.samples.data.ids[place]));
    say(this.position, rank ? "samples.position" : "samples.beside", { rank, count });
    this.content.replaceChildren(...this.parts().filter(Boolean));
    speak(this.element);
  }

  hide() {
    this.place = null;
    this.element.hidden = true;
  }

  parts() {
    const { samples, place, runs } = this;
    const { data } = samples;
    const language = samples.language(place);
    const question = data.questions[place];
    return [
      this.facts(),
      ...runs.map((run) => this.failure(run)),
      question === null ? null : block("samples.question", passage(question, language, "text question")),
      this.answers(language),
      this.changes(language),
      this.listed("samples.references", data.references?.[place], language),
      block("samples.scores", scoresOf(samples, place, runs)),
      this.perRun("samples.evidence", (run) => evidenceOf(samples, place, run)),
      this.perRun("samples.contexts", (run) => [contextsOf(samples, place, run)]),
      this.perRun("samples.judged", (run) => [judgedOf(samples, place, run)].filter(Boolean)),
      this.listed("samples.reference-contexts", data.reference_contexts?.[place], language),
    ];
  }

  /** The language and all other columns of the sample. */
  facts() {
    const { samples, place } = this;
    const language = samples.data.languages?.[place];
    const found = [...samples.columns].map(([name, values]) => [quoted("dt", name), values[place]]);
    if (language) found.unshift([said("dt", "samples.language"), language]);
    const shown = found.filter(([, value]) => value !== null && value !== undefined && value !== "");
    if (!shown.length) return null;
    const pairs = shown.map(([name, value]) => make("div", {}, name, quoted("dd", String(value))));
    return make("dl", { class: "about" }, ...pairs);
  }

  failure(run) {
    const failure = this.samples.failure(run, this.place);
    if (failure === null) return null;
    const name = this.runs.length > 1 ? [quoted("bdi", this.samples.runs[run]), ": "] : [];
    const words = said("strong", "samples.system-failed");
    return make("p", { class: "failure" }, "✗ ", words, " ", ...name, quoted("span", failure));
  }

  listed(word, found, language) {
    return found?.length ? block(word, listOf(found, language)) : null;
  }

  /** The same for each run, side by side; nothing where no run has any. */
  perRun(word, shown) {
    const columns = this.runs.map(shown);
    if (columns.every((column) => !column.length)) return null;
    return block(word, this.beside(columns));
  }

  beside(columns) {
    const named = columns.map((column, index) => {
      const run = this.runs[index];
      const name = this.runs.length > 1 ? make("h5", {}, quoted("bdi", this.samples.runs[run])) : null;
      return make("div", { class: "run", "data-run": run }, name, ...column);
    });
    return make("div", { class: "runs" }, ...named);
  }

  answers(language) {
    const { samples, place, runs } = this;
    const names = [...new Set(runs.flatMap((run) => judges(samples, run, place)))];
    const judge = names.includes(this.judge) ? this.judge : names[0];
    const columns = runs.map((run) => this.answer(run, judge, language));
    return block("samples.answer", judge ? this.legend(names, judge) : null, this.beside(columns));
  }

  answer(run, judge, language) {
    const answer = this.samples.answer(run, this.place);
    if (answer === null) return [said("p", "samples.no-answer", {}, { class: "caption" })];
    if (!answer.trim()) return [said("p", "samples.empty-answer", {}, { class: "caption" })];
    const marks = judge ? marksOf(answer, this.samples.evidence(run, judge, this.place)) : [];
    const found = make("div", { class: "counterpart", "aria-live": "polite" });
    const text = markedAnswer(answer, marks, language, (mark) => {
      found.replaceChildren(counterpart(mark, language));
      this.pointOut(run, mark.items[0].best);
    });
    return [folded(text, answer), found];
  }

  pointOut(run, best) {
    const list = this.content.querySelector(`.run[data-run="${run}"] .contexts`);
    if (list) pointOut(list, best);
  }

  /** What the colours mean, and whose judgement they show. */
  legend(names, judge) {
    const shown = [true, false].map((supported) => {
      const [glyph, word] = SUPPORT.get(supported);
      return make("span", { class: `key ${word}` }, sign(`${glyph} `), said("span", `samples.${word}`));
    });
    const by = names.length > 1 ? this.choice(names, judge) : quoted("bdi", judge);
    return make("p", { class: "by caption" }, ...shown, said("span", "samples.judged-by"), " ", by);
  }

  choice(names, judge) {
    const options = names.map((name) => make("option", { value: name }, name));
    const select = make("select", { "data-text-label": "samples.judged-by" }, ...options);
    select.value = judge;
    select.addEventListener("change", () => {
      this.judge = select.value;
      this.content.replaceChildren(...this.parts().filter(Boolean));
      speak(this.content);
      this.content.querySelector(".by select")?.focus();
    });
    return select;
  }

  changes(language) {
    if (this.runs.length < 2) return null;
    const [before, after] = [this.runs[0], this.runs.at(-1)].map((run) => this.samples.answer(run, this.place));
    if (!before || !after) return null;
    const same = before === after ? said("p", "samples.same-answer", {}, { class: "caption" }) : null;
    return block("samples.difference", same ?? folded(differenceOf(before, after, language), before + after));
  }
}

function block(word, ...children) {
  return make("section", {}, said("h4", word), ...children);
}
