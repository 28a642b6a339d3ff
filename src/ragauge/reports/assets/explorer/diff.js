// What changed between two texts, word by word.

const MOST_EDITS = 1200;
const MOST_WORDS = 40000;

// A segmenter takes a time that grows faster than its text, so a text is cut first, where it breaks anyway.
const STRETCHES = /[^]{1,1000}(?:[\s。！？，、；]|$)|[^]{1,1000}/gu;

/** Cut a text into words, as its language has them, and what stands between. */
function wordsOf(text, language) {
  if (!Intl.Segmenter) return text.match(/[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]/gu) ?? [];
  const segmenter = new Intl.Segmenter(language ?? undefined, { granularity: "word" });
  return (text.match(STRETCHES) ?? []).flatMap((part) => Array.from(segmenter.segment(part), ({ segment }) => segment));
}

/**
 * Return what becomes of `before` on the way to `after`: pieces `{ kind: "same" | "gone" | "new", text }`.
 *
 * The shortest way by Myers' algorithm (1986). Where more than a bounded number of edits is needed, what lies between
 * the common beginning and the common end is gone, and new, as a whole.
 */
function difference(before, after, language) {
  const [old, young] = [wordsOf(before, language), wordsOf(after, language)];
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, young.length) - start && old.at(-1 - end) === young.at(-1 - end)) end += 1;
  const middle = edits(old.slice(start, old.length - end), young.slice(start, young.length - end));
  const same = (words) => words.map((text) => ({ kind: "same", text }));
  return joined([...same(old.slice(0, start)), ...middle, ...same(end ? old.slice(-end) : [])]);
}

function edits(old, young) {
  const trace = old.length + young.length > MOST_WORDS ? null : furthest(old, young);
  if (trace === null) {
    return [...old.map((text) => ({ kind: "gone", text })), ...young.map((text) => ({ kind: "new", text }))];
  }
  return path(old, young, trace);
}

/** For each number of edits, how far each diagonal gets; null if it takes too many. */
function furthest(old, young) {
  const most = Math.min(MOST_EDITS, old.length + young.length);
  const reached = new Int32Array(2 * most + 3);
  const trace = [];
  for (let count = 0; count <= most; count += 1) {
    trace.push(reached.slice(most + 1 - count - 1, most + 1 + count + 2));
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      const here = most + 1 + diagonal;
      const down = diagonal === -count || (diagonal !== count && reached[here - 1] < reached[here + 1]);
      let x = down ? reached[here + 1] : reached[here - 1] + 1;
      while (x < old.length && x - diagonal < young.length && old[x] === young[x - diagonal]) x += 1;
      reached[here] = x;
      if (x >= old.length && x - diagonal >= young.length) return trace;
    }
  }
  return null;
}

/** Walk back from the end along what `furthest` kept. */
function path(old, young, trace) {
  const found = [];
  let [x, y] = [old.length, young.length];
  for (let count = trace.length - 1; count >= 0; count -= 1) {
    const at = (diagonal) => trace[count][diagonal + count + 1];
    const diagonal = x - y;
    const down = diagonal === -count || (diagonal !== count && at(diagonal - 1) < at(diagonal + 1));
    const from = down ? diagonal + 1 : diagonal - 1;
    const [startX, startY] = count ? [at(from), at(from) - from] : [0, 0];
    while (x > startX && y > startY) found.push({ kind: "same", text: old[(y -= 1, x -= 1)] });
    if (count) found.push(down ? { kind: "new", text: young[(y -= 1)] } : { kind: "gone", text: old[(x -= 1)] });
  }
  return found.reverse();
}

/** Join neighbours of a kind; of two changes what is gone comes first, and a space between them changes too. */
function joined(pieces) {
  const found = [];
  const add = (kind, text) => {
    const last = found.at(-1);
    if (!text) return;
    if (last?.kind === kind) last.text += text;
    else found.push({ kind, text });
  };
  let change = { gone: "", new: "" };
  const flush = () => {
    add("gone", change.gone);
    add("new", change.new);
    change = { gone: "", new: "" };
  };
  pieces.forEach(({ kind, text }, place) => {
    const next = pieces[place + 1]?.kind ?? "same";
    const between = !text.trim() && (change.gone || change.new) && next !== "same";
    if (kind !== "same") change[kind] += text;
    else if (between) change = { gone: change.gone + text, new: change.new + text };
    else {
      flush();
      add("same", text);
    }
  });
  flush();
  return found;
}

/** Show a difference as one text in which words are struck out and put in. */
function differenceOf(before, after, language) {
  const pieces = difference(before, after, language).map(({ kind, text }) =>
    kind === "same" ? text : make(kind === "gone" ? "del" : "ins", {}, text));
  return make("p", { dir: "auto", lang: language, class: "text difference" }, ...pieces);
}
