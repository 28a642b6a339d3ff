// What was retrieved for a sample, in rank order, and what should have been.

const RELEVANCE = new Map([[true, ["✓", "relevant"]], [false, ["✗", "irrelevant"]], [null, ["?", "unjudged"]]]);

function contextsOf(samples, place, run) {
  const language = samples.language(place);
  const contexts = samples.contexts(run, place);
  if (!contexts.length) return said("p", "samples.no-contexts", {}, { class: "caption" });
  return make("ol", { class: "contexts" }, ...contexts.map((context) => contextOf(context, language)));
}

function contextOf({ text, id, score, grade, relevant }, language) {
  const [glyph, word] = RELEVANCE.get(relevant ?? null);
  const mark = make("span", { class: `badge ${word}` }, make("span", { "aria-hidden": "true" }, `${glyph} `), said("span", `samples.${word}`));
  const caption = make("p", { class: "caption" }, mark);
  if (typeof grade === "number") caption.append(" ", said("span", "samples.grade", { grade }));
  if (typeof score === "number") caption.append(" ", said("span", "samples.retrieval-score", { score: Number(score.toPrecision(4)) }));
  if (id !== null && id !== undefined) caption.append(" ", quoted("bdi", id, null, { class: "id" }));
  if (text === null || text === undefined) return make("li", {}, caption);
  return make("li", {}, caption, folded(quoted("p", text, language, { class: "text passage" }), text));
}

/** The judged documents of a sample, with the rank at which each was retrieved. */
function judgedOf(samples, place, run) {
  const judged = samples.data.relevance?.[place];
  if (!judged?.length) return null;
  const ranks = new Map(samples.contexts(run, place).map(({ id }, rank) => [id, rank + 1]));
  const items = judged.map(({ id, grade }) => {
    const rank = ranks.get(id);
    const found = rank ? said("span", "samples.at-rank", { rank }) : said("span", "samples.not-retrieved", {}, { class: grade > 0 ? "worse" : "" });
    return make("li", {}, quoted("bdi", id, null, { class: "id" }), " ", said("span", "samples.grade", { grade }), " ", found);
  });
  return make("ul", { class: "judged" }, ...items);
}

function listOf(textsOfSample, language) {
  return make("ul", { class: "texts" }, ...textsOfSample.map((text) => make("li", {}, folded(quoted("p", text, language, { class: "text" }), text))));
}
