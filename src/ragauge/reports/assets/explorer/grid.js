// A table that creates only the rows in view. Where it is narrow, rows have two lines: question and answer.

const BEYOND = 8;
const NARROW = 46;
// What is in view of a wide table whatever is scrolled, and the heights of rows, wide and narrow, in rem.
const LIST = { name: "list", pinned: 44, row: 2.25, narrow: 3.5 };
const OUTPUTS = { name: "outputs", pinned: 14, each: 13, row: 4.6, narrow: 6.6 };
// Six runs fit a window of 1280 pixels: scores stand above the answers, not beside them.
const MANY_OUTPUTS = { name: "outputs many", pinned: 11.5, each: 8.5, row: 6, narrow: 6.6 };

class Grid {
  /** `cells` makes the cells of a row; `open` is called with a row's place and the column, `sort` with a column, `fit` when the width
   * becomes narrow or wide. */
  constructor({ cells, open, sort, fit }) {
    Object.assign(this, { cells, open, sort, fit });
    this.places = [];
    this.current = 0;
    this.opened = null;
    this.narrow = null;
    this.layout = LIST;
    this.rows = new Map();
    this.rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    this.height = LIST.row * this.rem;
    this.head = make("div", { role: "rowgroup", class: "head" });
    this.body = make("div", { role: "rowgroup", class: "body" });
    const attributes = { role: "grid", class: "grid", "aria-readonly": "true", "data-text-label": "samples.grid" };
    const inner = make("div", { role: "presentation", class: "inner" }, this.head, this.body);
    this.element = make("div", attributes, inner);
    this.listen();
  }

  listen() {
    this.element.addEventListener("scroll", () => requestAnimationFrame(() => this.draw()), { passive: true });
    this.element.addEventListener("keydown", (event) => this.press(event));
    this.body.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.resized()).observe(this.element);
  }

  resized() {
    const { clientWidth } = this.element;
    if (clientWidth === 0) return;
    const narrow = clientWidth < NARROW * this.rem;
    if (narrow === this.narrow) {
      if (clientWidth !== this.width) this.fit();
      this.width = clientWidth;
      return this.draw();
    }
    this.width = clientWidth;
    const first = Math.round(this.element.scrollTop / this.height);
    this.narrow = narrow;
    this.element.classList.toggle("narrow", narrow);
    this.setLayout(this.layout);
    this.fit();
    this.resize();
    this.element.scrollTop = first * this.height;
    this.redraw();
    if (this.opened !== null) this.reveal(this.current);
  }

  /** The width, in rem, for columns beside those that are always in view; any before the table is seen, none of a narrow one. */
  get room() {
    const { clientWidth } = this.element;
    if (!clientWidth) return Infinity;
    return this.narrow ? 0 : clientWidth / this.rem - this.layout.pinned;
  }

  setLayout(layout) {
    this.layout = layout;
    this.height = (this.narrow ? layout.narrow : layout.row) * this.rem;
    this.element.classList.toggle("outputs", layout !== LIST);
    this.element.classList.toggle("many", layout === MANY_OUTPUTS && !this.narrow);
  }

  setColumns(columns) {
    this.columns = columns;
    this.element.setAttribute("aria-colcount", columns.length);
    const [pinned, others] = [true, false].map((pinned) => columns.filter((column) => Boolean(column.pinned) === pinned));
    const set = (name, value) => this.element.style.setProperty(name, value);
    set("--pinned", pinned.map(({ width }) => width).join(" "));
    set("--others", others.map(({ width }) => width).join(" ") || "0");
    const beside = sum(others.map(widthOf));
    set("--beside", `${beside}rem`);
    set("--full", `${this.layout.pinned + beside}rem`);
    const cells = columns.map((column, place) => this.heading(column, place));
    this.head.replaceChildren(make("div", { role: "row", "aria-rowindex": 1, class: "row" }, ...this.halves(cells)));
  }

  /** The cells of a row in two boxes: that which stays in view, and that which is scrolled. */
  halves(cells) {
    const count = this.columns.filter(({ pinned }) => pinned).length;
    const [pinned, others] = [cells.slice(0, count), cells.slice(count)];
    const box = (name, some) => make("div", { role: "presentation", class: name }, ...some);
    return [box("pinned", pinned), box("others", others)];
  }

  get headings() {
    return [...this.head.querySelectorAll("[role=columnheader]")];
  }

  heading(column, place) {
    const change = column.kind === "change" ? [sign("Δ "), hiddenText("samples.change-in")] : [];
    const hidden = { class: change.length ? "unseen" : null };
    const label = column.name ? dataElement("bdi", column.name, null, hidden) : textElement("span", column.word);
    const attributes = { type: "button", tabindex: place ? -1 : 0, title: column.name ?? null };
    const mark = column.mark ? textElement("span", column.mark, {}, { class: "mark-of-run" }) : null;
    const control = make("button", attributes, ...change, label, mark && " ", mark, sign("", { class: "arrow" }));
    control.addEventListener("click", () => this.sort(column));
    return make("div", { role: "columnheader", class: classOf(column), "aria-colindex": place + 1 }, control);
  }

  /** Say by which column the rows are sorted; null for the order of the data. */
  setOrder(id, descending) {
    this.headings.forEach((cell, place) => {
      const sorted = this.columns[place].id === id;
      cell.setAttribute("aria-sort", sorted ? (descending ? "descending" : "ascending") : "none");
      cell.querySelector(".arrow").textContent = sorted ? (descending ? " ↓" : " ↑") : "";
    });
  }

  /** Show other rows, from the top. */
  setPlaces(places) {
    this.places = places;
    this.current = 0;
    this.element.setAttribute("aria-rowcount", places.length + 1);
    this.resize();
    this.element.scrollTop = 0;
    this.redraw();
  }

  resize() {
    this.body.style.setProperty("height", `${this.places.length * this.height}px`);
  }

  redraw() {
    const focused = this.body.contains(document.activeElement);
    this.rows.forEach((row) => row.remove());
    this.rows.clear();
    this.draw();
    if (focused) this.focus();
  }

  /** Create the rows in view and the current row, which has or would get the focus. */
  draw() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.height) - BEYOND);
    const last = Math.min(this.places.length, first + Math.ceil(this.element.clientHeight / this.height) + 2 * BEYOND);
    const wanted = new Set(Array.from({ length: last - first }, (_, offset) => first + offset));
    if (this.places.length) wanted.add(this.current);
    for (const [index, row] of this.rows) {
      if (wanted.has(index)) continue;
      row.remove();
      this.rows.delete(index);
    }
    this.insert([...wanted].sort((one, other) => one - other));
  }

  /** Insert rows in reading order; existing rows are not moved, because they would lose the focus. */
  insert(indexes) {
    let before = null;
    for (const index of indexes) {
      let row = this.rows.get(index);
      if (!row) {
        row = this.row(index);
        this.rows.set(index, row);
        if (before) before.after(row);
        else this.body.prepend(row);
      }
      before = row;
    }
  }

  row(index) {
    const place = this.places[index];
    const row = make("div", {
      role: "row", class: "row", "aria-rowindex": index + 2, "aria-selected": String(place === this.opened),
      tabindex: index === this.current ? 0 : -1, "data-index": index,
    });
    row.append(...this.halves(this.cells(place, this.columns)));
    row.style.setProperty("top", `${index * this.height}px`);
    return row;
  }

  click(event) {
    const row = event.target.closest("[data-index]");
    if (!row) return;
    this.go(Number(row.dataset.index));
    const cell = event.target.closest("[aria-colindex]");
    this.open(this.places[this.current], this.columns[cell?.getAttribute("aria-colindex") - 1]);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const used = this.head.contains(event.target) ? this.pressInHead(event) : this.pressInBody(event);
    if (used) event.preventDefault();
  }

  pressInHead({ key, target }) {
    const controls = [...this.head.querySelectorAll("button")];
    const here = controls.indexOf(target);
    const steps = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: controls.length - 1 };
    if (key === "ArrowDown" && this.places.length) return this.go(this.current, true);
    const next = controls[steps[key]];
    if (!next) return false;
    target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    return true;
  }

  pressInBody({ key }) {
    const page = Math.max(1, Math.floor((this.element.clientHeight - this.head.offsetHeight) / this.height) - 1);
    const last = this.places.length - 1;
    const { current } = this;
    const near = { ArrowDown: current + 1, ArrowUp: current - 1 };
    const steps = { ...near, PageDown: current + page, PageUp: current - page, Home: 0, End: last };
    if (key === "Enter" || key === " ") {
      if (last < 0) return false;
      this.open(this.places[current]);
      return true;
    }
    if (!(key in steps)) return false;
    if (key === "ArrowUp" && current === 0) this.head.querySelector("[tabindex='0']").focus();
    else this.go(Math.min(last, Math.max(0, steps[key])), true);
    return true;
  }

  /** Make another row current and scroll it into view. */
  go(index, focus = false) {
    this.rows.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = index;
    this.reveal(index);
    this.draw();
    this.rows.get(index)?.setAttribute("tabindex", "0");
    if (focus) this.focus();
    return true;
  }

  /** Give the current row the focus, in the window too, of which the table may be partly out. */
  focus() {
    const row = this.rows.get(this.current);
    row?.focus();
    row?.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  /** Scroll a row into view, as far as needed; one that is far away to the middle. */
  reveal(index) {
    const top = index * this.height;
    const room = this.element.clientHeight - this.head.offsetHeight - this.height;
    const { scrollTop } = this.element;
    if (top < scrollTop - 2 * room || top > scrollTop + 3 * room) this.element.scrollTop = top - room / 2;
    else if (top < scrollTop) this.element.scrollTop = top;
    else if (top > scrollTop + room) this.element.scrollTop = top - room;
  }

  /** Mark the row of an opened sample; null for none. */
  mark(place) {
    this.opened = place;
    for (const [index, row] of this.rows) row.setAttribute("aria-selected", String(this.places[index] === place));
  }
}
