// The list of runs: what each run changed, how far those are that are not saved yet, and whether there are others.

const PAUSE = 2000;
const SLOW = 500;

/** Ask how things are, again and again while the page is looked at. */
async function watch(main) {
  if (!document.hidden) {
    try {
      const answer = await fetch("/state", { cache: "no-store" });
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
    element.replaceChildren(textElement("span", outcome.text, outcome.values));
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
  addEventListener("pageshow", () => chooseRuns(document.querySelector("#runs form")));
  const main = document.querySelector("main[data-state]");
  if (main) watch(main);
}

start();
