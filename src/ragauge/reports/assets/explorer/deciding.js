// What decided a sample: the words that changed in its answer, and the passage that the change is about.

/** Where words of the first and of the second of two texts changed: two lists of { start, end }; none where half did. */
function changedWords(pieces) {
  const found = [[], []];
  const lengths = [0, 0];
  let same = 0;
  for (const { kind, text } of pieces) {
    const sides = { same: [0, 1], gone: [0], new: [1] }[kind];
    if (kind === "same") same += text.length;
    else if (/[\p{L}\p{N}]/u.test(text)) found[sides[0]].push({ start: lengths[sides[0]], end: lengths[sides[0]] + text.length });
    for (const side of sides) lengths[side] += text.length;
  }
  return 2 * same < Math.max(...lengths) ? [[], []] : found;
}

/** The text from `start` to `end` as nodes, in which the words of `changed` are marked. */
function withMarks(text, changed, start = 0, end = text.length) {
  const nodes = [];
  let at = start;
  for (const word of changed) {
    const [from, to] = [Math.max(word.start, at), Math.min(word.end, end)];
    if (from >= to) continue;
    nodes.push(text.slice(at, from), make("mark", {}, text.slice(from, to)));
    at = to;
  }
  return [...nodes, text.slice(at, end)].filter((node) => node !== "");
}

/** Where a text has one of some words, and not a part of a longer one. */
function placesOf(words, text) {
  const wanted = words.map((word) => word.trim()).filter(Boolean).map((word) => `${edge(word[0], "<")}${escaped(word)}${edge(word.at(-1), "")}`);
  if (!wanted.length) return [];
  const found = [...text.matchAll(new RegExp(wanted.join("|"), "gu"))];
  return found.map(({ 0: word, index }) => ({ start: index, end: index + word.length }));
}

function escaped(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** What may not stand beside a letter or a digit, in scripts that part their words. */
function edge(letter, behind) {
  if (/\p{N}/u.test(letter)) return `(?${behind}!\\p{N})`;
  return /[\p{Lu}\p{Ll}\p{Script=Arab}]/u.test(letter) ? `(?${behind}!\\p{L})` : "";
}

/**
 * Return the passage that decided, its rank in both runs (0 where it is not retrieved) and the quote of it; or null.
 *
 * It is the passage that stands against a sentence of the new answer, or that the old one rested on, first of all one
 * with the `words` that the old answer alone has; where the ranking is the cause, or no evidence was kept, the relevant
 * passage that fell most.
 */
function decidingPassage(samples, place, runs, words) {
  const ranked = runs.map((run) => samples.contexts(run, place));
  const [why] = samples.cause(place, runs.at(-1)) ?? [];
  const found = why === "passage lost" ? lostPassage : why === "rank fell" ? () => null : quotedPassage;
  const quoted = found(samples, place, runs, ranked, words);
  const { passage: chosen, best } = quoted ?? { passage: fallenPassage(ranked), best: null };
  return chosen ? { passage: chosen, best, ranks: ranked.map((list) => rankOf(chosen, list)) } : null;
}

function rankOf(wanted, list) {
  const named = typeof wanted.id === "string";
  return 1 + list.findIndex(({ id, text }) => (named && typeof id === "string" ? id === wanted.id : text !== undefined && text === wanted.text));
}

function quotedPassage(samples, place, runs, ranked, words) {
  const evidence = runs.map((run) => samples.metrics.flatMap(({ name }) => samples.evidence(run, name, place)));
  const against = evidence[1].filter(({ supported }) => supported === false || supported === CONTRADICTED);
  const rested = evidence[0].filter(({ supported }) => supported === true);
  const holds = (text) => placesOf(words, text ?? "").length > 0;
  const all = [...ranked[1], ...ranked[0]];
  const quotes = [...against, ...rested]
    .map(({ best }) => ({ best, passage: best ? all.find(({ text }) => text?.includes(best)) : undefined }))
    .filter(({ passage }) => passage);
  const named = all.find(({ text, relevant }) => relevant === true && holds(text));
  return quotes.find(({ best }) => holds(best)) ?? (named ? { passage: named, best: null } : quotes[0]) ?? null;
}

/** The passage that a sentence of the old answer rested on, and that is not retrieved any more; or null. */
function lostPassage(samples, place, runs, ranked) {
  const said = ({ what, supported }) => supported === true && [what].flat()[0].startsWith("answer");
  const rested = samples.metrics.flatMap(({ name }) => samples.evidence(runs[0], name, place)).filter(said);
  const holding = (list, best) => list.find(({ text }) => best && text?.includes(best));
  const lost = rested.find(({ best }) => holding(ranked[0], best) && !holding(ranked[1], best));
  return lost ? { passage: holding(ranked[0], lost.best), best: null } : null;
}

function fallenPassage(ranked) {
  const [before, after] = ranked;
  const fall = (passage) => (rankOf(passage, after) || Infinity) - rankOf(passage, before);
  const relevant = before.filter((passage) => passage.relevant === true);
  const most = Math.max(...relevant.map(fall));
  return relevant.find((passage) => fall(passage) === most) ?? after.find((passage) => passage.relevant === true);
}
