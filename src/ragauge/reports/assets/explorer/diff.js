// What changed between two texts, word by word.

const MOST_EDITS = 1200;
const MOST_WORDS = 40000;

// The time of a segmenter grows faster than its text, so long texts are split first, at spaces and punctuation.
const STRETCHES = /[^]{1,1000}(?:[\s。！？，、；]|$)|[^]{1,1000}/gu;

/** Split a text into the words of its language and the characters between them. */
function wordsOf(text, language) {
  if (!Intl.Segmenter) return text.match(/[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]/gu) ?? [];
  const segmenter = new Intl.Segmenter(language ?? undefined, { granularity: "word" });
  return (text.match(STRETCHES) ?? []).flatMap((part) => Array.from(segmenter.segment(part), ({ segment }) => segment));
}

/**
 * Return the edits from `before` to `after`: pieces `{ kind: "same" | "gone" | "new", text }`.
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

/** Return for each number of edits how far each diagonal reaches; null if there are too many edits. */
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

/** Follow the trace of `furthest` back from the end; `old` and `young` begin with different words. */
function path(old, young, trace) {
  const found = [];
  let [x, y] = [old.length, young.length];
  for (let count = trace.length - 1; count > 0; count -= 1) {
    const at = (diagonal) => trace[count][diagonal + count + 1];
    const diagonal = x - y;
    const down = diagonal === -count || (diagonal !== count && at(diagonal - 1) < at(diagonal + 1));
    const from = down ? diagonal + 1 : diagonal - 1;
    const startX = at(from);
    const startY = startX - from;
    while (x > startX && y > startY) found.push({ kind: "same", text: old[(y -= 1, x -= 1)] });
    found.push(down ? { kind: "new", text: young[(y -= 1)] } : { kind: "gone", text: old[(x -= 1)] });
  }
  return found.reverse();
}

/** Join neighbours of a kind; deletions come before insertions, and a space between two changes joins them. */
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

/** A paragraph in which deleted and inserted words are marked. */
function differenceOf(edits, language) {
  const pieces = edits.map(({ kind, text }) =>
    kind === "same" ? text : make(kind === "gone" ? "del" : "ins", {}, text));
  return make("p", { dir: "auto", lang: language, class: "text difference" }, ...pieces);
}
