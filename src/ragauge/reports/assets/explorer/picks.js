// What was picked in a figure or a link: a range of scores, or a value of a column without a control of its own.

const RANGE = /^\[([^,]+),([^)\]]+)([)\]]) (\d+) (.+)$/s;

/** Return what the pair of an address picks: its test of places and its label; null for pairs that pick nothing. */
function pickOf(samples, [name, value]) {
  if (name === "within") return rangeOf(samples, value);
  if (name === "cause") return causeOf(samples, value);
  if (name === "flow") return flowOf(samples, value);
  const column = name.startsWith("in.") ? samples.columns.get(name.slice(3)) : undefined;
  if (!column) return null;
  const label = () => [dataElement("bdi", name.slice(3)), ": ", dataElement("bdi", value)];
  return { entry: [name, value], metric: null, label, test: (place) => String(column[place]) === value };
}

/** The samples on which a run is worse for one reason, and the metric that fell on most of them. */
function causeOf(samples, why) {
  const names = own(samples.data.names_of_causes, why);
  if (!names) return null;
  const label = () => [textElement("span", "samples.cause"), ": ", wordedElement("span", names)];
  const test = (place) => samples.cause(place)?.[0] === why;
  return { entry: ["cause", why], metric: mostFallen(samples, samples.everywhere.filter(test)), label, test };
}

/** Of the metrics that verdicts rest on the one under which most of some samples got worse, or lost their score; or null. */
function mostFallen(samples, places) {
  const run = samples.data.shown_run;
  const fell = (metric) => (place) => {
    const change = samples.change(run, metric.name, place);
    return change === null ? samples.status(run, metric.name, place) === FAILED : outcomeOf(change, metric) < 0;
  };
  const counted = samples.metrics.filter(({ primary }) => primary).map((metric) => [places.filter(fell(metric)).length, metric]);
  return counted.sort(([one], [other]) => other - one).find(([count]) => count > 0)?.[1] ?? null;
}

// What an answer is; the digits of the page are places of this list.
const STATES = ["right", "wrong", "declined"];

/** The samples whose answer went from one state to another, such as "right wrong". */
function flowOf(samples, value) {
  const wanted = value.split(" ").map((state) => STATES.indexOf(state));
  const { flow } = samples.data;
  if (!flow || wanted.length !== 2 || wanted.includes(-1)) return null;
  const test = (place) => wanted.every((state, run) => flow[run][place] === String(state));
  return { entry: ["flow", value], metric: null, label: () => flowText(wanted), test };
}

/** Two states, as the flow of the first screen names them. */
function flowText(states) {
  const [before, after] = states.map((state) => textElement("span", `page.flow.${STATES[state]}`));
  return [before, " → ", after];
}

/** Read a range such as "[0.5,0.75) 1 ndcg@5": from, to, run and metric; "]" includes the end. */
function rangeOf(samples, text) {
  const [, from, to, end, run, title] = RANGE.exec(text) ?? [];
  const metric = samples.metrics.find(({ name }) => name === title);
  const [low, high] = [Number(from), Number(to)];
  if (!metric || Number.isNaN(low) || Number.isNaN(high) || !(run in samples.runs)) return null;
  const ends = [low, high].map((value) => String(+value.toPrecision(4))).join("–");
  const ofRun = samples.runs.length > 1 ? [" · ", dataElement("bdi", samples.runs[run])] : [];
  return {
    entry: ["within", text],
    metric,
    label: () => [dataElement("bdi", metric.name), ...ofRun, ` ${ends}`],
    test: (place) => {
      const score = samples.score(Number(run), metric.name, place);
      return score !== null && score >= low && (end === "]" ? score <= high : score < high);
    },
  };
}

/** The picks as filters of their own, each with a button that removes it. */
class Picks {
  constructor(samples, changed) {
    Object.assign(this, { samples, changed, all: [] });
    this.element = make("ul", { class: "picks", hidden: "", "data-text-label": "samples.picks" });
  }

  /** Take the pairs of an address that pick something. */
  set(entries) {
    this.show(entries.map((entry) => pickOf(this.samples, entry)).filter((pick) => pick !== null));
  }

  show(picks) {
    this.all = picks;
    this.element.hidden = picks.length === 0;
    this.element.replaceChildren(...picks.map((pick) => this.item(pick)));
  }

  item(pick) {
    const remove = make("button", { type: "button", "data-text-label": "samples.remove" }, "×");
    remove.addEventListener("click", () => {
      this.show(this.all.filter((one) => one !== pick));
      this.changed();
    });
    return updated(make("li", {}, ...pick.label(), " ", remove));
  }
}
