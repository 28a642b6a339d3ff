// The sentences of an answer with their support.

const ABOUT_ANSWER = /^(answer|response|claim|statement)/i;

/** Return the metrics whose evidence says which sentences of this answer are supported. */
function supportMetrics(samples, run, place) {
  const answer = samples.answer(run, place);
  if (!answer) return [];
  return samples.metrics
    .map(({ name }) => name)
    .filter((name) => marksOf(answer, samples.evidence(run, name, place)).some(({ supported }) => supported !== null));
}

/** Find the segments of evidence in the answer: `{ start, end, supported, items }`, in order, without overlaps. */
function marksOf(answer, evidence) {
  const found = new Map();
  let from = 0;
  for (const item of evidence) {
    const text = item.text?.trim();
    if (!text || !ABOUT_ANSWER.test([item.what ?? ""].flat()[0])) continue;
    let start = answer.indexOf(text, from);
    if (start < 0) start = answer.indexOf(text);
    if (start < 0) continue;
    from = start + text.length;
    const mark = found.get(start) ?? { start, end: from, supported: null, items: [] };
    mark.supported = mark.supported || (item.supported ?? mark.supported);
    mark.end = Math.max(mark.end, from);
    mark.items.push(item);
    found.set(start, mark);
  }
  return withoutOverlaps([...found.values()].sort((one, other) => one.start - other.start));
}

function withoutOverlaps(marks) {
  let end = 0;
  return marks.filter((mark) => {
    if (mark.start < end) return false;
    end = mark.end;
    return true;
  });
}

const SUPPORT = new Map([[true, ["✓", "supported"]], [false, ["✗", "unsupported"]], [CONTRADICTED, ["≠", CONTRADICTED]], [null, ["?", "unknown"]]]);

/** The answer with its sentences and the words that changed marked; `choose` is called with the mark of a sentence that gets focus or a click. */
function markedAnswer(answer, marks, changed, language, choose) {
  const element = make("p", { dir: "auto", lang: language, class: "text" });
  let end = 0;
  for (const mark of marks) {
    element.append(...withMarks(answer, changed, end, mark.start), sentence(withMarks(answer, changed, mark.start, mark.end), mark, choose));
    end = mark.end;
  }
  element.append(...withMarks(answer, changed, end));
  return element;
}

function sentence(nodes, mark, choose) {
  const element = supportSpan(nodes, mark, { role: "button", tabindex: 0, "aria-pressed": "false" });
  const chosen = () => {
    for (const other of element.parentElement.querySelectorAll(".sentence")) other.setAttribute("aria-pressed", String(other === element));
    choose(mark);
  };
  element.addEventListener("click", chosen);
  element.addEventListener("focus", chosen);
  return element;
}

function supportSpan(nodes, { supported }, attributes = {}) {
  const [glyph, word] = SUPPORT.get(supported);
  return make("span", { class: `sentence ${word}`, ...attributes }, sign(glyph, { class: "glyph" }), hiddenText(`samples.${word}`), ...nodes);
}

/** The meaning of the marks. */
function supportKeys(samples) {
  const contradicted = own(samples.data.names_of_causes, CONTRADICTED) ? [CONTRADICTED] : [];
  return [true, false, ...contradicted].map((supported) => {
    const [glyph, word] = SUPPORT.get(supported);
    return make("span", { class: `key ${word}` }, sign(`${glyph} `), textElement("span", `samples.${word}`));
  });
}

/** The best matches of a sentence of the answer. */
function bestMatches(mark, language) {
  const items = mark.items.map((item) => {
    if (item.best === null || item.best === undefined) return textElement("p", "samples.no-best");
    const similarity = typeof item.similarity === "number" ? item.similarity.toFixed(2) : "–";
    const caption = textElement("p", "samples.best", { similarity }, { class: "caption" });
    const why = item.why ? wordedElement("p", item.why, { class: "caption why" }) : null;
    return make("div", {}, caption, passage(item.best, language), why);
  });
  return make("div", {}, ...items);
}

/** Highlight `wanted` in the passages of a list. */
function highlight(list, wanted) {
  for (const element of list.querySelectorAll(".passage")) {
    const { textContent: text } = element;
    const start = wanted ? text.indexOf(wanted) : -1;
    if (start < 0) element.textContent = text;
    else element.replaceChildren(text.slice(0, start), make("mark", {}, wanted), text.slice(start + wanted.length));
  }
}
