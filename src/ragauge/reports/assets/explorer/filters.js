// The filters of the samples.

const PAUSE = 150;
// What of an address is a filter, and values that filter nothing.
const FILTERS = /^(search|status|only|metric|within|cause|flow|language|without-language|in\..*|without\..*)$/s;
const USUAL = new Set(["search,", "status,any", "only,"]);

/** The controls above the table; `changed` is called when one of them changes. */
class Filters {
  constructor(samples, groups, changed) {
    this.samples = samples;
    this.groups = groups;
    this.changed = changed;
    this.search = this.field("samples.search", make("input", { type: "search", size: 28, autocomplete: "off" }));
    this.chosen = groups.map((group) => this.field(null, this.choiceOf(group), group.name));
    this.status = this.field("samples.status", this.statuses());
    this.only = this.field("samples.only", this.onlyChoice());
    this.metric = this.field("samples.by-metric", this.metricsChoice());
    this.test = make("select", { "data-text-label": "samples.test" }, ...this.tests());
    this.threshold = make("input", { type: "number", step: "any", "data-text-label": "samples.threshold" });
    this.metric.after(this.test, this.threshold);
    this.picks = new Picks(samples, () => {
      this.settle();
      this.changed();
    });
    this.again = button("samples.reset", () => this.reset());
    const several = samples.runs.length > 1;
    this.unmet = make("p", { class: "note unmet", role: "alert", hidden: "" });
    const all = [...this.fields.filter((field) => several || !field.contains(this.only)), this.again, this.picks.element, this.unmet];
    this.element = make("form", { class: "filters", role: "search" }, ...all);
    this.listen();
    this.settle();
  }

  /** Label a control, by a text of the interface or by a name from the data. */
  field(word, control, name = null) {
    control.id = `samples-filter-${(this.fields ??= []).length}`;
    const label = make("label", { for: control.id });
    if (name === null) label.append(textElement("span", word ?? "samples.language"));
    else label.append(dataElement("bdi", name));
    this.fields.push(make("span", { class: "field" }, label, control));
    return control;
  }

  choiceOf({ choices }) {
    const options = choices.map(([value, count], place) =>
      value === null || value === ""
        ? textElement("option", "samples.none", { count }, { value: place })
        : make("option", { value: place }, `${value} (${count})`));
    return make("select", {}, textElement("option", "samples.all", {}, { value: "" }), ...options);
  }

  statuses() {
    const words = ["any", "ok", "undefined", "missing", "failed"];
    const options = words.map((word) => textElement("option", `samples.status-${word}`, {}, { value: word }));
    return make("select", {}, ...options);
  }

  onlyChoice() {
    const words = this.samples.runs.length > 1 ? ["differing", "regressions"] : [];
    const options = words.map((word) => textElement("option", `samples.only-${word}`, {}, { value: word }));
    return make("select", {}, textElement("option", "samples.all", {}, { value: "" }), ...options);
  }

  metricsChoice() {
    const names = this.samples.metrics.map(({ name }, place) => make("option", { value: place }, name));
    return make("select", {}, textElement("option", "samples.any-metric", {}, { value: "" }), ...names);
  }

  tests() {
    const words = this.samples.runs.length > 1 ? ["below", "above", "fell", "rose"] : ["below", "above"];
    return words.map((word) => textElement("option", `samples.${word}`, {}, { value: word }));
  }

  reset() {
    this.clear();
    this.changed();
  }

  clear() {
    this.unmet.hidden = true;
    this.element.reset();
    this.picks.set([]);
    this.settle();
  }

  /** What is asked for, as pairs of name and value of an address. */
  entries() {
    const chosen = this.groups.flatMap((group, place) => entryOf(group, this.chosen[place].value));
    const controls = [["search", this.search], ["status", this.status], ["only", this.only], ["test", this.test], ["threshold", this.threshold]];
    const set = controls.filter(([, { value }]) => !["", "any", "below"].includes(value));
    return [
      ...set.filter(([name]) => this.metric.value !== "" || !["test", "threshold"].includes(name))
        .map(([name, { value }]) => [name, value]),
      ...(this.metric.value === "" ? [] : [["metric", this.name]]),
      ...chosen,
      ...this.picks.all.map(({ entry }) => entry),
    ];
  }

  /** Ask for what the pairs of an address say, and for nothing else; unknown ones are left out. */
  apply(entries) {
    this.clear();
    const said = new Map(entries);
    this.search.value = said.get("search") ?? "";
    choose(this.status, said.get("status"));
    choose(this.only, said.get("only"));
    const metric = this.samples.metrics.findIndex(({ name }) => name === said.get("metric"));
    this.metric.value = metric < 0 ? "" : metric;
    choose(this.test, said.get("test"));
    this.threshold.value = said.get("threshold") ?? "";
    this.groups.forEach((group, place) => choose(this.chosen[place], choiceIn(group, said)));
    const controlled = new Set(this.groups.flatMap((group, place) => entryOf(group, this.chosen[place].value)).map(String));
    this.picks.set(entries.filter((entry) => !controlled.has(String(entry))));
    this.settle();
    this.tell(entries);
  }

  /** Say which filters of an address this page does not have: the list is not narrowed by them. */
  tell(entries) {
    const met = new Set(this.entries().map(String));
    const filter = ([name, value]) => name === "run" ? !this.samples.runs.includes(value) : FILTERS.test(name);
    const unmet = entries.filter((entry) => filter(entry) && !met.has(String(entry)) && !USUAL.has(String(entry)));
    this.unmet.hidden = unmet.length === 0;
    const asked = unmet.map(([name, value]) => `${name.replace(/^in\./, "")} = ${value}`).join(", ");
    this.unmet.replaceChildren(...(unmet.length ? [textElement("span", "samples.unmet", { asked })] : []));
    updateTexts(this.unmet);
  }

  listen() {
    let waiting = 0;
    this.element.addEventListener("submit", (event) => event.preventDefault());
    this.element.addEventListener("input", (event) => {
      clearTimeout(waiting);
      this.unmet.hidden = true;
      this.settle();
      if (event.target.type === "search" || event.target.type === "number") waiting = setTimeout(this.changed, PAUSE);
      else this.changed();
    });
  }

  /** Hide controls without a meaning: a threshold without a metric, or for a change. */
  settle() {
    this.test.hidden = this.metric.value === "";
    this.threshold.hidden = this.test.hidden || this.comparing;
    this.again.hidden = !this.active;
  }

  /** Whether the filter is for changed scores. */
  get comparing() {
    return this.metric.value !== "" && ["fell", "rose"].includes(this.test.value);
  }

  /** The name of the metric chosen. */
  get name() {
    return this.samples.metrics[this.metric.value]?.name;
  }

  get active() {
    const controls = [this.search, ...this.chosen, this.only, this.metric];
    const asked = controls.some((control) => control.value !== "") || this.picks.all.length > 0;
    return asked || this.status.value !== "any";
  }

  /** The places of the samples that pass in the first run or one of `runs`, in the order of the data. */
  passing(runs, lead) {
    const ofScores = [this.statusTest(runs), this.scoreTest(runs), this.onlyTest(runs, lead), ...this.picks.all.map(({ test }) => test)];
    const searched = this.samples.texts.test(this.search.value);
    const tests = [...this.groupTests(), ...ofScores, searched].filter(Boolean);
    return this.samples.everywhere.filter((place) => tests.every((test) => test(place)));
  }

  groupTests() {
    return this.groups.map(({ values, choices }, group) => {
      const choice = this.chosen[group].value;
      if (choice === "") return null;
      const [wanted] = choices[choice];
      return (place) => values[place] === wanted;
    });
  }

  /** Whether an answer differs from that of the first run, or is worse: it failed, or scores less under `lead`. */
  onlyTest(runs, lead) {
    const { samples } = this;
    const differs = (run, place) => samples.answer(run, place) !== samples.answer(0, place);
    const failed = (run, place) => samples.failure(run, place) !== null;
    const worse = (run, place) =>
      outcomeOf(samples.change(run, lead.name, place) ?? 0, lead) < 0 || (failed(run, place) && !failed(0, place));
    const test = { differing: differs, regressions: worse }[this.only.value];
    return test ? (place) => runs.some((run) => test(run, place)) : null;
  }

  /** A sample has a status if one of the runs has it; it is ok if all are. */
  statusTest(runs) {
    const wanted = this.status.value;
    if (wanted === "any") return null;
    const { samples, metric } = this;
    const metrics = metric.value === "" ? samples.metrics : [samples.metrics[metric.value]];
    const found = (place) => [...new Set([0, ...runs])].flatMap((of) => [
      ...metrics.map(({ name }) => samples.status(of, name, place)),
      samples.failure(of, place) === null ? OK : FAILED,
    ]);
    if (wanted === "ok") return (place) => found(place).every((status) => status === OK);
    return (place) => found(place).includes(STATUSES.indexOf(wanted));
  }

  scoreTest(runs) {
    if (this.metric.value === "") return null;
    const { samples } = this;
    const metric = samples.metrics[this.metric.value];
    if (this.comparing) {
      const sign = this.test.value === "fell" ? -1 : 1;
      return (place) => runs.some((run) => outcomeOf(samples.change(run, metric.name, place) ?? 0, metric) === sign);
    }
    const limit = this.threshold.valueAsNumber;
    if (Number.isNaN(limit)) return null;
    const above = this.test.value === "above";
    return (place) => runs.some((run) => {
      const score = samples.score(run, metric.name, place);
      return score !== null && score >= limit === above;
    });
  }
}

/** Choose an option by its value, if there is one. */
function choose(select, value) {
  if ([...select.options].some((option) => option.value === value)) select.value = value;
}

/** The pair of an address for the chosen value of a group. */
function entryOf({ name, choices }, choice) {
  if (choice === "") return [];
  const [value] = choices[choice];
  if (value === null) return [name === null ? ["without-language", "1"] : [`without.${name}`, "1"]];
  return [[name === null ? "language" : `in.${name}`, String(value)]];
}

/** The option of a group that the pairs of an address choose. */
function choiceIn({ name, choices }, said) {
  const value = said.get(name === null ? "language" : `in.${name}`);
  const without = said.has(name === null ? "without-language" : `without.${name}`);
  const place = choices.findIndex(([one]) => (one === null ? without : value !== undefined && String(one) === value));
  return place < 0 ? undefined : String(place);
}
