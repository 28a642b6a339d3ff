// The choice of the columns that are shown beside those always in view.

/** `changed` is called when a column is chosen or no longer chosen. */
class Chooser {
  constructor(columns, changed) {
    this.usual = unique(columns.filter(({ extra }) => !extra));
    this.boxes = new Map(unique(columns).map((choice) => [choice, make("input", { type: "checkbox" })]));
    const named = new Map(columns.map((column) => [column.choice, column]));
    const labels = [...this.boxes].map(([choice, box]) => make("label", {}, box, " ", labelOf(named.get(choice))));
    const summary = textElement("summary", "samples.columns");
    this.list = make("div", { class: "list", role: "group", "data-text-label": "samples.columns" }, ...labels);
    this.element = make("details", { class: "menu chooser" }, summary, this.list);
    this.element.addEventListener("input", changed);
    closeElsewhere(this.element);
    this.set([]);
  }

  /** Let the usual columns be the first ones that `room`, in rem, is enough for: a wide window shows more of them. */
  suit(columns, room) {
    const asUsual = this.choices.length === 0;
    const others = columns.filter(({ choice, pinned, extra }) => choice && !pinned && !extra);
    const widths = unique(others).map((choice) => sum(others.filter((one) => one.choice === choice).map(widthOf)));
    const count = widths.findIndex((_, place) => sum(widths.slice(0, place + 1)) > room);
    this.usual = [...unique(columns.filter(({ pinned }) => pinned)), ...unique(others).slice(0, count < 0 ? undefined : count)];
    if (asUsual) this.set([]);
  }

  /** Choose the columns in `choices`; the usual ones if there are none. */
  set(choices) {
    const chosen = new Set(choices.length ? choices : this.usual);
    for (const [choice, box] of this.boxes) box.checked = chosen.has(choice);
  }

  /** The entry of what is in view whatever is chosen cannot be changed. */
  fix(choice) {
    for (const [one, box] of this.boxes) {
      box.disabled = one === choice;
      box.indeterminate = box.disabled && !box.checked;
    }
  }

  has(choice) {
    return this.boxes.get(choice)?.checked ?? true;
  }

  /** The columns that are chosen; none where they are the usual ones. A dash stands for no column at all. */
  get choices() {
    const chosen = [...this.boxes].filter(([, box]) => box.checked).map(([choice]) => choice);
    const usual = chosen.length === this.usual.length && chosen.every((choice) => this.usual.includes(choice));
    return usual ? [] : chosen.length ? chosen : ["-"];
  }
}

/** The entries of the chooser: a metric and its changes share one. */
function unique(columns) {
  return [...new Set(columns.map(({ choice }) => choice).filter(Boolean))];
}

function widthOf({ width }) {
  return parseFloat(width);
}

function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}

function labelOf({ name, word }) {
  return name === null ? textElement("span", word) : dataElement("bdi", name);
}

/** A menu is closed by Escape, and by a click or the focus elsewhere. */
function closeElsewhere(menu) {
  const leave = ({ target }) => {
    if (menu.open && !menu.contains(target)) menu.open = false;
  };
  document.addEventListener("click", leave);
  document.addEventListener("focusin", leave);
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
