// The explorer of the samples, and its start.

/** Connects the table, its filters and the opened sample. */
class Explorer {
  constructor(samples, section) {
    this.samples = samples;
    this.run = samples.runs.length - 1;
    this.groups = groupsOf(samples);
    this.column = null;
    this.descending = false;
    this.filters = new Filters(samples, this.groups, () => this.filter());
    const count = { shown: 0, total: samples.size };
    this.count = textElement("p", "samples.count", count, { role: "status", class: "count" });
    this.empty = textElement("p", "samples.nothing", {}, { class: "empty", hidden: "" });
    this.grid = new Grid({
      columns: this.columns(),
      cells: (place, columns) => cellsOf(samples, place, columns),
      open: (place) => this.open(place, true),
      sort: (column) => this.sort(column),
    });
    this.detail = new Detail(samples, { step: (by) => this.step(by), close: () => this.close() });
    this.section = section;
    const help = textElement("p", "samples.help", {}, { class: "help caption" });
    section.append(this.filters.element, ...this.runChoice(), this.count, help);
    section.append(this.grid.element, this.empty, this.detail.element);
    updateTexts(section);
  }

  columns() {
    return columnsOf(this.samples, this.groups, this.run);
  }

  /** With more than two runs, a choice of the run to compare with the first. */
  runChoice() {
    const { runs } = this.samples;
    if (runs.length < 3) return [];
    const options = runs.slice(1).map((name, place) => make("option", { value: place + 1 }, name));
    const select = make("select", { id: "samples-run" }, ...options);
    select.value = this.run;
    select.addEventListener("change", () => this.chooseRun(Number(select.value)));
    const label = textElement("label", "samples.compared", {}, { for: "samples-run" });
    return [make("p", { class: "field" }, label, select)];
  }

  chooseRun(run) {
    this.run = run;
    this.grid.setColumns(this.columns());
    this.column = this.grid.columns.find(({ id }) => id === this.column?.id) ?? null;
    this.filter();
    if (this.detail.place !== null) this.open(this.detail.place, false);
  }

  filter() {
    timed("samples-filter", () => {
      this.places = this.filters.passing(this.run);
      this.orderByChange();
      this.list();
    });
    if (this.filters.metric.value !== "") this.grid.revealColumn(`score ${this.filters.name}`);
    const [shown, total] = [this.places.length, this.samples.size].map((count) => count.toLocaleString("en"));
    setText(this.count, "samples.count", { shown, total });
    this.empty.hidden = this.places.length > 0;
  }

  /** Sort samples that got worse, or better, by how much they changed. */
  orderByChange() {
    const { comparing, name, test } = this.filters;
    if (!comparing) return;
    this.column = this.grid.columns.find(({ id }) => id === `change ${name}`);
    this.descending = worstFirst(this.column) === (test.value === "fell");
  }

  /** A first click on a column sorts the worst first, a second the best; a third restores the order of the data. */
  sort(column) {
    const first = worstFirst(column);
    const again = this.column?.id === column.id;
    this.column = again && this.descending !== first ? null : column;
    this.descending = again ? !first : first;
    timed("samples-sort", () => this.list());
  }

  list() {
    this.grid.setOrder(this.column?.id, this.descending);
    this.grid.setPlaces(this.column ? sortedPlaces(this.places, this.column, this.descending) : this.places);
  }

  open(place, focus) {
    const rank = this.grid.places.indexOf(place) + 1;
    const runs = this.run === 0 ? [0] : [0, this.run];
    this.section.classList.add("opened");
    this.detail.show(place, runs, rank, this.grid.places.length);
    this.grid.mark(place);
    if (rank) this.grid.go(rank - 1);
    keepAddress(`#sample=${encodeURIComponent(this.samples.data.ids[place])}`);
    if (!focus) return;
    this.detail.title.focus({ preventScroll: true });
    const { top } = this.detail.element.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) this.grid.element.scrollIntoView({ block: "start", behavior: "instant" });
  }

  /** Open the next or the previous sample of the table. */
  step(by) {
    const next = this.grid.places.indexOf(this.detail.place) + by;
    if (next >= 0 && next < this.grid.places.length) this.open(this.grid.places[next], true);
  }

  close() {
    if (this.detail.place === null) return;
    this.section.classList.remove("opened");
    this.detail.hide();
    this.grid.mark(null);
    keepAddress(location.pathname + location.search);
    this.grid.go(this.grid.current, true);
    this.grid.element.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  /** Open the sample in the address. */
  follow() {
    const [, id] = location.hash.match(/^#sample=(.*)$/) ?? [];
    if (id === undefined) return;
    const place = this.samples.find(decoded(id));
    if (place !== undefined && place !== this.detail.place) this.open(place, true);
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
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Put the opened sample into the address, so that the link can be shared. */
function keepAddress(address) {
  try {
    history.replaceState(null, "", address);
  } catch {
    // A page without its own address, as in a srcdoc frame, cannot change it.
  }
}

function timed(name, work) {
  const start = performance.now();
  work();
  performance.measure(name, { start, end: performance.now() });
}

async function start() {
  const began = performance.now();
  const section = document.getElementById("samples");
  chooseLanguage(document.getElementById("interface-language"));
  chooseTheme(document.getElementById("theme"));
  openFolds();
  chooseBase(document.getElementById("base"));
  if (!section) return;
  try {
    const explorer = new Explorer(new Samples(await payload()), section);
    explorer.filter();
    explorer.follow();
    addEventListener("hashchange", () => explorer.follow());
    document.addEventListener("keydown", (event) => explorer.press(event));
  } catch (error) {
    section.append(textElement("p", "samples.unreadable", { why: String(error) }, { class: "failure", role: "alert" }));
    throw error;
  }
  performance.measure("samples-open", { start: began, end: performance.now() });
}

start();
