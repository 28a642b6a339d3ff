// By what the list is ordered: the worst first, those that changed most first, the order of the data, or a column.

/** The control of the order; `changed` is called when another one is chosen. */
class Ordering {
  constructor(samples, changed) {
    this.samples = samples;
    this.comparing = samples.runs.length > 1;
    this.column = null;
    const words = [...(this.comparing ? ["changed", "fell", "rose"] : []), "worst", "best", "data"];
    const options = words.map((word) => textElement("option", `samples.order-${word}`, {}, { value: word }));
    this.other = textElement("option", "samples.order-column", { column: "" }, { value: "column", hidden: "" });
    this.select = make("select", { id: "samples-order" }, ...options, this.other);
    this.select.addEventListener("input", () => {
      this.column = null;
      changed();
    });
    const label = textElement("label", "samples.order", {}, { for: "samples-order" });
    this.element = make("span", { class: "field" }, label, this.select);
    this.set(this.usual);
  }

  /** The order of a page that was not asked for another one. */
  get usual() {
    return this.comparing ? "changed" : "worst";
  }

  set(kind) {
    this.column = null;
    this.select.value = kind;
  }

  /** Order by a column: `{ id, descending }`. */
  setColumn(column) {
    this.column = column;
    setText(this.other, "samples.order-column", { column: column.label });
    this.select.value = "column";
  }

  /** Return the column by which samples are sorted, and whether it falls; null for the order of the data. */
  resolved(columns, runs, lead) {
    const kind = this.select.value;
    if (kind === "changed") return { column: sizeOfChange(this.samples, runs, lead), descending: false };
    const of = ["fell", "rose"].includes(kind) ? "change" : "score";
    const id = kind === "data" ? null : (this.column?.id ?? `${of} ${lead.name}`);
    const column = columns.find((one) => one.id === id);
    if (!column) return null;
    const worst = ["worst", "fell"].includes(kind);
    return { column, descending: this.column?.descending ?? worstFirst(column) === worst };
  }

  /** The order as pairs of an address. */
  entries() {
    if (this.column) return [["sort", `${this.column.descending ? "down" : "up"} ${this.column.id}`]];
    return this.select.value === this.usual ? [] : [["sort", this.select.value]];
  }

  /** Take the order from pairs of an address; without one, the usual. */
  apply(entries, columns) {
    const said = new Map(entries).get("sort");
    this.set(this.usual);
    const [, direction, id] = /^(up|down) (.+)$/s.exec(said ?? "") ?? [];
    const column = columns.find((one) => one.id === id);
    if (column) this.setColumn({ id, descending: direction === "down", label: headingOf(column) });
    else if (said !== "column") choose(this.select, said);
  }
}

/** The name of a column as its heading has it. */
function headingOf({ kind, name, word }) {
  return kind === "change" ? `Δ ${name}` : (name ?? textOf(word, {}));
}
