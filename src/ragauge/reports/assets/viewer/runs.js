// The list of runs: what each run changed, how far those are that are not saved yet, and whether there are others.

const PAUSE = 2000;
const SLOW = 500;

/** Ask how things are, again and again while the page is looked at. */
async function watch(main) {
  if (!document.hidden) {
    try {
      const answer = await fetch(`/state${location.search}`, { cache: "no-store" });
      if (!answer.ok) throw new Error(String(answer.status));
      show(main, await answer.json());
      document.getElementById("gone").hidden = true;
    } catch {
      document.getElementById("gone").hidden = false;
    }
  }
  setTimeout(() => watch(main), PAUSE);
}

function show(main, state) {
  for (const element of document.querySelectorAll("#runs [data-run]")) {
    const outcome = state.outcomes[element.dataset.run];
    if (!outcome) continue;
    element.className = outcome.kind || "small";
    const said = outcome.decision ? [textElement("strong", outcome.decision), " "] : [];
    element.replaceChildren(...said, textElement("span", outcome.text, outcome.values));
  }
  showUnderWay(document.getElementById("under-way"), state.under_way);
  if (state.version === main.dataset.state) return;
  // A list in which the reader has chosen runs is not taken away.
  if (document.querySelector("#runs :checked")) document.getElementById("changed").hidden = false;
  // Loading the list anew would take the way to a report that is being made.
  else if (document.getElementById("making").hidden) location.reload();
}

function showUnderWay(section, runs) {
  section.hidden = runs.length === 0;
  section.querySelector("ul").replaceChildren(...runs.map(underWay));
}

function underWay(run) {
  const name = make("strong", {}, make("bdi", {}, run.name));
  const lines = run.lines.map(({ text, values }) => textElement("span", text, values));
  if (run.total === null) return make("li", {}, name, ...lines);
  const bar = make("progress", { max: Math.max(1, run.total), value: run.done, "aria-label": run.name });
  return make("li", {}, name, bar, ...lines);
}

/** Runs that are opened from here have the language of this page. */
function keepLanguage() {
  for (const link of document.querySelectorAll("a[href*='language=']")) {
    link.setAttribute("href", link.getAttribute("href").replace(/language=\w+/, `language=${interfaceLanguage}`));
  }
  for (const field of document.querySelectorAll("input[name=language]")) field.value = interfaceLanguage;
  const find = document.getElementById("find");
  if (find) find.placeholder = textOf("view.find", {});
}

/** Comparing needs two runs. */
function chooseRuns(form) {
  if (!form) return;
  const check = () => {
    form.querySelector("button").disabled = form.querySelectorAll(":checked").length < 2;
  };
  form.addEventListener("change", check);
  check();
}

/** The list sorted by a heading and narrowed by words; both stay in the address, since the list is loaded anew. */
class Listing {
  constructor(section) {
    this.rows = [...section.querySelectorAll("tbody tr")];
    this.body = section.querySelector("tbody");
    this.find = section.querySelector("#find");
    this.empty = section.querySelector(".empty");
    this.heads = [...section.querySelectorAll("[data-sort]")];
    this.follow();
    this.find.addEventListener("input", () => this.show());
    // Enter in the search would compare.
    this.find.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
    for (const head of this.heads) head.addEventListener("click", () => this.sort(head.dataset.sort));
    for (const tag of section.querySelectorAll("button.tag")) tag.addEventListener("click", () => this.narrow(tag.textContent));
  }

  narrow(words) {
    this.find.value = this.find.value === words ? "" : words;
    this.show();
  }

  /** A first click puts the largest first, of names the first; a second turns it round, a third is the order of time. */
  sort(place) {
    const [last, turned] = this.by;
    if (last !== place) this.by = [place, ""];
    else this.by = turned ? [] : [place, "turned"];
    this.show();
  }

  follow() {
    const said = new Map(addressEntries(location.hash));
    const [place, turned] = (said.get("sort") ?? "").split(" ");
    this.by = this.heads.some(({ dataset }) => dataset.sort === place) ? [place, turned ?? ""] : [];
    this.find.value = said.get("search") ?? "";
    this.show();
  }

  show() {
    const words = comparable(this.find.value).split(/\s+/).filter(Boolean);
    for (const row of this.rows) {
      const text = comparable(row.querySelector("th").textContent);
      row.hidden = !words.every((word) => text.includes(word));
    }
    this.empty.hidden = this.rows.some((row) => !row.hidden);
    this.body.append(...this.sorted());
    const [place, turned] = this.by;
    for (const head of this.heads) {
      const order = head.dataset.sort !== place ? null : (place === "0") === !turned ? "ascending" : "descending";
      if (order) head.parentElement.setAttribute("aria-sort", order);
      else head.parentElement.removeAttribute("aria-sort");
    }
    const entries = [["search", this.find.value], ["sort", this.by.join(" ").trim()]].filter(([, value]) => value);
    keepAddress(entries);
  }

  /** The rows in order; those without a value come last. */
  sorted() {
    const [place, turned] = this.by;
    if (place === undefined) return this.rows;
    const value = (row) => row.children[Number(place) + 1]?.dataset.value;
    const { compare } = new Intl.Collator(interfaceLanguage, { numeric: true });
    const side = (place === "0") === !turned ? 1 : -1;
    const order = Number(place) < 2 ? compare : (one, other) => one - other;
    const [known, others] = [true, false].map((there) => this.rows.filter((row) => Boolean(value(row) && value(row) !== "nan") === there));
    return [...known.sort((one, other) => side * order(value(one), value(other))), ...others];
  }
}

/** Text as it is compared: without case, and in one form for characters that look alike. */
function comparable(text) {
  return text.normalize("NFKC").toLowerCase();
}

/** Say that a report is being made where it does not open at once; the browser shows this page until it is there. */
function tellOfMaking(runs, notice) {
  if (!runs) return;
  let timer;
  const wait = () => {
    timer = setTimeout(() => {
      notice.hidden = false;
      notice.scrollIntoView({ block: "nearest" });
    }, SLOW);
  };
  runs.addEventListener("click", (event) => {
    if (event.target.closest("a[href^='/report']") && !event.ctrlKey && !event.metaKey && !event.shiftKey) wait();
  });
  runs.addEventListener("submit", wait);
  // The way back may lead to the page as it was left.
  addEventListener("pageshow", () => {
    clearTimeout(timer);
    notice.hidden = true;
  });
}

function start() {
  chooseLanguage(document.getElementById("interface-language"));
  chooseTheme(document.getElementById("theme"));
  chooseRuns(document.querySelector("#runs form"));
  tellOfMaking(document.getElementById("runs"), document.getElementById("making"));
  document.addEventListener("languagechosen", keepLanguage);
  const runs = document.getElementById("runs");
  if (runs?.querySelector("#find")) new Listing(runs);
  addEventListener("pageshow", () => chooseRuns(document.querySelector("#runs form")));
  const main = document.querySelector("main[data-state]");
  if (main) watch(main);
}

start();
