// The explorer of the samples: the list with its filters and its order, and the opened sample.

/** Connects the table, its filters and the opened sample, and keeps in the address what is shown. */
class Explorer {
  constructor(samples, section) {
    this.samples = samples;
    this.section = section;
    this.usualRun = samples.data.shown_run;
    this.run = this.usualRun;
    this.outputs = false;
    this.groups = groupsOf(samples);
    this.filters = new Filters(samples, this.groups, () => this.filter());
    this.ordering = new Ordering(samples, () => this.order());
    this.chooser = new Chooser(this.allColumns(), () => this.setColumns());
    this.grid = new Grid({
      cells: (place, columns) => cellsOf(samples, place, columns),
      open: (place, column) => this.choose(place, column),
      sort: (column) => this.sort(column),
      fit: () => this.setColumns(),
    });
    this.grid.setColumns(this.columns());
    this.detail = new Detail(samples, { step: (by) => this.step(by), close: () => this.close() });
    this.place();
    for (const name of ["languagechosen", "basechosen"]) document.addEventListener(name, () => this.keep());
  }

  /** Put everything on the page. */
  place() {
    const count = { shown: 0, total: this.samples.size };
    this.count = textElement("p", "samples.count", count, { role: "status", class: "count" });
    this.empty = textElement("p", "samples.nothing", {}, { class: "empty", hidden: "" });
    const exports = [["CSV", "text/csv", asCsv], ["JSONL", "application/jsonl", asJsonLines]].map(([name, type, made]) => {
      const attributes = { type: "button", "data-text-label": "samples.export", "data-format": name };
      const element = make("button", attributes, sign("↓ "), name);
      element.addEventListener("click", () => save(`samples.${name.toLowerCase()}`, type, this.exported(made)));
      return element;
    });
    const tools = make("div", { class: "tools" }, this.ordering.element, this.chooser.element, ...exports);
    const list = make("div", { class: "list-of-samples" }, this.grid.element, this.empty);
    const help = textElement("p", "samples.help", {}, { class: "help caption" });
    this.pane = make("div", { class: "pane" }, list, this.detail.element);
    this.side = button("samples.outputs", () => this.showOutputs(!this.outputs), { "aria-pressed": "false" });
    this.legend = make("p", { class: "by caption", hidden: "" });
    const side = this.samples.runs.length > 1 ? this.side : null;
    const bar = make("div", { class: "bar-of-list" }, this.count, side, tools);
    const cut = this.samples.data.cut ? textElement("p", "samples.some-cut", {}, { class: "note" }) : "";
    this.section.append(cut, this.filters.element, ...this.runChoice(), bar, this.legend, this.pane, help);
    updateTexts(this.section);
  }

  exported(made) {
    return made(this.samples, this.grid.places, this.outputs ? [0, ...this.against] : this.comparedRuns);
  }

  /** The runs beside the first that filters and the order look at. */
  get against() {
    return this.outputs ? this.samples.runs.map((_, run) => run).slice(1) : [this.run];
  }

  get comparedRuns() {
    return this.run === 0 ? [0] : [0, this.run];
  }

  /** The metric whose scores are always in view: the one asked for, else the one by which the page chose the worst. */
  get lead() {
    const { metrics, data } = this.samples;
    const sorted = this.grid?.narrow && this.ordering.column ? this.sorted?.column.metric : null;
    const asked = metrics[this.filters.metric.value] ?? this.filters.picks.all.find(({ metric }) => metric)?.metric;
    const usual = metrics.find(({ name }) => name === data.by) ?? metrics[0];
    return sorted ?? asked ?? (this.outputs ? answerMetric(metrics, usual) : usual);
  }

  allColumns() {
    if (this.outputs) return outputColumns(this.samples, this.lead, this.grid?.narrow);
    return columnsOf(this.samples, this.groups, this.run, this.lead);
  }

  columns() {
    const columns = this.allColumns().filter(({ width }) => width);
    if (!this.outputs) this.chooser.suit(columns, this.grid.room);
    return columns.filter(({ pinned, choice }) => pinned || this.chooser.has(choice));
  }

  /** Show the chosen columns, and the same rows as before. */
  setColumns() {
    this.chooser.fix(`score ${this.lead.name}`);
    this.grid.setColumns(this.columns());
    this.grid.setOrder(this.sorted?.column.id, this.sorted?.descending);
    this.grid.redraw();
    this.keep();
  }

  /** With more than two runs, a choice of the run to compare with the first. */
  runChoice() {
    const { runs } = this.samples;
    if (runs.length < 3) return [];
    const options = runs.slice(1).map((name, place) => make("option", { value: place + 1 }, name));
    this.runs = make("select", { id: "samples-run" }, ...options);
    this.runs.value = this.run;
    this.runs.addEventListener("change", () => this.chooseRun(Number(this.runs.value)));
    const label = textElement("label", "samples.compared", {}, { for: "samples-run" });
    return [make("p", { class: "field" }, label, this.runs)];
  }

  setRun(run) {
    this.run = run;
    if (this.runs) this.runs.value = run;
  }

  /** Show the answers of all runs side by side, or the list. */
  setOutputs(outputs) {
    this.outputs = outputs;
    this.side.setAttribute("aria-pressed", String(outputs));
    this.legend.hidden = !outputs;
    this.chooser.element.hidden = outputs;
    if (this.runs) this.runs.parentElement.hidden = outputs;
    this.grid.setLayout(outputs ? outputLayout(this.samples) : LIST);
  }

  showOutputs(outputs) {
    this.setOutputs(outputs);
    this.filter();
  }

  chooseRun(run) {
    this.setRun(run);
    this.filter();
    if (this.detail.place !== null) this.open(this.detail.place, false);
  }

  filter() {
    const { comparing, test } = this.filters;
    if (comparing) this.ordering.set(test.value);
    timed("samples-filter", () => {
      this.places = this.filters.passing(this.against, this.lead);
      this.list();
    });
    const [shown, total] = [this.places.length, this.samples.size].map((count) => count.toLocaleString("en"));
    setText(this.count, "samples.count", { shown, total });
    this.empty.hidden = this.places.length > 0;
  }

  order() {
    timed("samples-sort", () => this.list());
  }

  /** A first click on a column sorts the worst first, a second the best; a third restores the order of the data. */
  sort(column) {
    const first = worstFirst(column);
    const { sorted } = this;
    const again = sorted?.column.id === column.id;
    const { id } = column;
    if (again && sorted.descending !== first) this.ordering.set("data");
    else this.ordering.setColumn({ id, descending: again ? !first : first, label: headingOf(column) });
    this.order();
  }

  list() {
    this.sorted = this.ordering.resolved(this.allColumns(), this.against, this.lead);
    const { sorted } = this;
    const columns = this.columns();
    this.chooser.fix(`score ${this.lead.name}`);
    const alike = (one, other) => ["id", "run", "metric"].every((name) => one[name] === other[name]);
    const same = columns.length === this.grid.columns.length && columns.every((one, place) => alike(one, this.grid.columns[place]));
    if (this.outputs) this.legend.replaceChildren(...outputLegend(this.samples, this.lead));
    if (!same) this.grid.setColumns(columns);
    this.grid.setOrder(sorted?.column.id, sorted?.descending);
    this.grid.setPlaces(sorted ? sortedPlaces(this.places, sorted.column, sorted.descending) : this.places);
    this.keep();
  }

  /** Open a sample of the table, in the run of the column. On a phone, Back then closes it and stays on the page. */
  choose(place, column) {
    if (this.outputs && column?.run) this.setRun(column.run);
    if (this.detail.place === null && SHEET.matches) addSheet();
    this.open(place, true);
  }

  open(place, focus) {
    const rank = this.grid.places.indexOf(place) + 1;
    this.section.classList.add("opened");
    this.detail.show(place, this.comparedRuns, rank, this.grid.places.length);
    this.grid.mark(place);
    if (rank) this.grid.go(rank - 1);
    this.keep();
    if (!focus) return;
    this.detail.title.focus({ preventScroll: true });
    if (SHEET.matches) return;
    // The rows of the list get their heights in the next frame, and the list its own in the one after it.
    const intoView = () => this.pane.scrollIntoView({ block: "nearest", behavior: "instant" });
    requestAnimationFrame(() => requestAnimationFrame(intoView));
  }

  /** Open the next or the previous sample of the table. */
  step(by) {
    const next = this.grid.places.indexOf(this.detail.place) + by;
    if (next >= 0 && next < this.grid.places.length) this.open(this.grid.places[next], true);
  }

  hide() {
    this.section.classList.remove("opened");
    this.detail.hide();
    this.grid.mark(null);
  }

  close() {
    if (this.detail.place === null) return;
    this.hide();
    if (history.state?.sheet) history.back();
    else this.keep();
    this.grid.go(this.grid.current, true);
    this.grid.element.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  /** What is shown as pairs of an address, but only what differs from a page that was just opened. */
  entries() {
    const { ids } = this.samples.data;
    const { place } = this.detail;
    return [
      ...(place === null ? [] : [["sample", ids[place]]]),
      ...(this.outputs ? [["view", "answers"]] : []),
      ...this.filters.entries(),
      ...this.ordering.entries(),
      ...(this.run === this.usualRun ? [] : [["run", this.samples.runs[this.run]]]),
      ...this.chooser.choices.map((choice) => ["column", choice]),
      ...baseEntries(),
      ...(interfaceLanguage === firstLanguage ? [] : [["lang", interfaceLanguage]]),
    ];
  }

  /** Keep in the address what is shown. A section stays there until something else is shown. */
  keep() {
    // Another address is one that a link or the reader just gave: the browser says so soon, and it is followed then.
    if (location.hash !== this.address) return;
    const entries = this.entries();
    if (!addressHas(entries)) this.write(entries);
  }

  write(entries, section) {
    keepAddress(entries, section);
    this.address = location.hash;
  }

  /** Show what the address asks for. A link to a sample alone, or to a section, leaves the filters as they are. */
  follow(moved = false) {
    const entries = addressEntries(location.hash);
    const section = addressSection(location.hash);
    this.address = location.hash;
    const linked = section && section === this.linked;
    this.linked = null;
    if (linked) this.write(this.entries(), section);
    else if (!entries.length) {
      if (moved) this.restore();
    } else if (!moved || !addressHas(this.entries())) this.followEntries(entries, section, moved);
  }

  followEntries(entries, section, moved) {
    const said = new Map(entries);
    const sample = this.samples.find(said.get("sample"));
    if (said.has("base")) followBase(said.get("base"));
    this.tellAbsent(sample === undefined ? said.get("sample") : undefined);
    const others = entries.filter(([name]) => name !== "sample");
    if (moved && !said.has("sample") && this.shows(others)) this.close();
    else if (entries.some(([name]) => !["sample", "lang", "base"].includes(name))) {
      if (sample === undefined && section) this.hide();
      this.show(entries, sample === undefined && !section);
    }
    if (sample !== undefined) {
      if (moved && SHEET.matches) addSheet("replaceState");
      this.open(sample, !section);
    }
    // The list above the section has its height after two frames.
    const intoView = () => document.getElementById(section)?.scrollIntoView({ block: "start", behavior: "instant" });
    if (section) requestAnimationFrame(() => requestAnimationFrame(intoView));
  }

  /** Whether these pairs, and an opened sample, are all that is shown. */
  shows(others) {
    return addressOf(this.entries().filter(([name]) => name !== "sample")) === addressOf(others);
  }

  /** Show the samples as a page that was just opened, where a reader went back to its address. */
  restore() {
    this.tellAbsent(undefined);
    this.hide();
    this.show([], false);
  }

  /** Say that the sample with this id, which a link names, is not on the page. */
  tellAbsent(id) {
    this.absent?.remove();
    if (id === undefined) return;
    this.absent = textElement("p", "samples.absent", { id }, { class: "note", role: "alert" });
    this.filters.element.before(this.absent);
    if (this.detail.place === null) this.section.scrollIntoView({ block: "start", behavior: "instant" });
  }

  /** List what the pairs of an address ask for; `there` moves the page to the list. */
  show(entries, there) {
    if (there) this.close();
    const said = new Map(entries);
    const run = this.samples.runs.indexOf(said.get("run"));
    this.setRun(run > 0 ? run : this.usualRun);
    this.setOutputs(said.get("view") === "answers" && this.samples.runs.length > 1);
    this.filters.apply(entries);
    this.chooser.set(entries.filter(([name]) => name === "column").map(([, choice]) => choice));
    this.ordering.apply(entries, this.allColumns());
    this.filter();
    if (there) this.section.scrollIntoView({ block: "start", behavior: "instant" });
  }

  /** All is read: show it in the opened sample, and find it. */
  complete() {
    if (this.filters.search.value !== "") this.filter();
    if (this.outputs) this.grid.redraw();
    if (this.detail.place !== null) this.detail.fill();
  }

  press(event) {
    const { key, target } = event;
    const writing = target.closest("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "Escape" && !(target.type === "search" && target.value)) this.close();
    if (writing) return;
    const steps = this.detail.place === null ? {} : { j: 1, k: -1 };
    if (key in steps) this.step(steps[key]);
    if (key !== "/") return;
    event.preventDefault();
    this.filters.search.focus();
  }

  /** A bar, a point or a name in a figure lists the samples that it stands for. */
  click(event) {
    const found = event.target.closest?.("[data-show]");
    if (found) this.show(addressEntries(found.dataset.show), true);
    // A link to where the page stands already is no change of its address.
    const link = event.target.closest?.("a[href^='#']");
    if (!link) return;
    if (!addressEntries(link.hash).length) this.linked = addressSection(link.hash);
    else if (link.hash === location.hash) this.follow();
  }
}

function timed(name, work) {
  const start = performance.now();
  work();
  performance.measure(name, { start, end: performance.now() });
}
