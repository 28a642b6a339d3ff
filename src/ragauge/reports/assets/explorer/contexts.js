// The retrieved contexts of a sample in rank order, and its judged documents.

const RELEVANCE = new Map([[true, ["✓", "relevant"]], [false, ["✗", "irrelevant"]], [null, ["?", "unjudged"]]]);

function contextsOf(samples, place, run) {
  const language = samples.language(place);
  const contexts = samples.contexts(run, place);
  if (!contexts.length) return textElement("p", "samples.no-contexts", {}, { class: "caption" });
  return make("ol", { class: "contexts" }, ...contexts.map((context) => contextOf(context, language)));
}

function contextOf({ text, whole, id, score, grade, relevant }, language) {
  const [glyph, word] = RELEVANCE.get(relevant ?? null);
  const mark = make("span", { class: `badge ${word}` }, sign(`${glyph} `), textElement("span", `samples.${word}`));
  const facts = [];
  if (typeof grade === "number") facts.push(textElement("span", "samples.grade", { grade }));
  if (typeof score === "number") {
    facts.push(textElement("span", "samples.retrieval-score", { score: +score.toPrecision(4) }));
  }
  if (typeof id === "string") facts.push(dataElement("bdi", id, null, { class: "id" }));
  const caption = make("p", { class: "caption" }, mark, ...facts.flatMap((fact) => [" ", fact]));
  if (typeof text !== "string") return make("li", {}, caption);
  return make("li", {}, caption, passage(text, language, "text passage"), cutNote(text, whole));
}

/** How much of a passage that was cut is here. */
function cutNote(text, whole) {
  if (!whole) return null;
  const [shown, total] = [text.length, whole].map((length) => length.toLocaleString("en"));
  return textElement("p", "samples.cut", { shown, total }, { class: "caption cut" });
}

/** The judged documents of a sample, with the rank at which each was retrieved. */
function judgedOf(samples, place, run) {
  const judged = samples.relevance(place);
  if (!judged.length) return null;
  const ranks = new Map(samples.contexts(run, place).map(({ id }, rank) => [id, rank + 1]));
  const items = judged.map(({ id, grade }) => {
    const rank = ranks.get(id);
    const lost = textElement("span", "samples.not-retrieved", {}, { class: grade > 0 ? "worse" : "" });
    const found = rank ? textElement("span", "samples.at-rank", { rank }) : lost;
    const name = dataElement("bdi", id, null, { class: "id" });
    return make("li", {}, name, " ", textElement("span", "samples.grade", { grade }), " ", found);
  });
  return make("ul", { class: "judged" }, ...items);
}

function referenceContextsOf(found, language) {
  const items = found.map(({ text, whole }) => make("li", {}, passage(text, language), cutNote(text, whole)));
  return make("ul", { class: "texts" }, ...items);
}
