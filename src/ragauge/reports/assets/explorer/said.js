// Sentences that the evaluation wrote in English, as reasons and notes, in the language of the interface.

const SAID_COUNTS = ["n", "total", "count", "wins", "ties", "losses", "n2", "total2"];
const SAID_NUMBERS = ["limit", "share", "low", "high", "level"];
// What stands in a place of a pattern, as in phrases.py; anything in any other.
const SAID_VALUES = new Map([
  ...SAID_COUNTS.map((name) => [name, "[0-9,]+"]),
  ...SAID_NUMBERS.map((name) => [name, "[-+]?[0-9.,]*[0-9](?:e[-+]?[0-9]+)?"]),
  ["value", "[^ ]+"],
  ["text", "'[^']*'|\"[^\"]*\""],
]);
// The reasons of which several are given at once.
const SAID_SEVERAL = ["said.in-no-passage", "said.not-in-this", "said.not-beside"];
const SAID_GUESS = / \(looks like ([^:()]+): ([^()]*)\)/g;
let saidPatterns = null;

/** Return the patterns of the English texts, those with the most words of their own first. */
function patternsSaid() {
  if (saidPatterns) return saidPatterns;
  const own = ([, text]) => text.replace(/\{\w+\}/g, "").length;
  const entries = Object.entries(texts.en ?? {}).filter(([key]) => key.startsWith("said."));
  saidPatterns = entries.sort((left, right) => own(right) - own(left)).map(([key, text]) => {
    const places = text.split(/\{(\w+)\}/).map((part, place) => {
      if (place % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      return `(?<${part}>${SAID_VALUES.get(part) ?? "[^]+?"})`;
    });
    return { key, pattern: new RegExp(`^${places.join("")}$`) };
  });
  return saidPatterns;
}

/** Return a sentence in the language of the interface; what has no words there stays as it is. */
function said(text) {
  if (interfaceLanguage === "en") return text;
  const parts = text.split("; ");
  const reasons = SAID_SEVERAL.map((key) => texts.en[key].split("{")[0]);
  if (parts.length > 1 && parts.every((part) => reasons.some((reason) => part.startsWith(reason)))) {
    return parts.map(said).join("；");
  }
  return phraseSaid(text) ?? listSaid(text, ", ", "，") ?? text;
}

function listSaid(text, mark, own) {
  const found = text.split(mark).map(phraseSaid);
  return found.length < 2 || found.includes(null) ? null : found.join(own);
}

function phraseSaid(text) {
  for (const { key, pattern } of patternsSaid()) {
    const values = { ...pattern.exec(text)?.groups };
    if (!pattern.test(text) || (values.words !== undefined && said(values.words) === values.words)) continue;
    for (const name of ["words", "either"]) if (values[name] !== undefined) values[name] = said(values[name]);
    if (values.list !== undefined) values.list = values.list.split(", ").map(said).join("，");
    if (values.guesses !== undefined) values.guesses = values.guesses.replace(SAID_GUESS, "（像是 $1：$2）");
    return textOf(key, values);
  }
  return null;
}

/** An element with such a sentence, which follows the language of the interface. */
function saidElement(tag, text, attributes = {}) {
  const shown = said(text);
  const language = shown === text ? "en" : null;
  return make(tag, { dir: "auto", lang: language, ...attributes, "data-said": text }, shown);
}
