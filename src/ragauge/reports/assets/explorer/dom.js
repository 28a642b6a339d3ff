// Elements and their texts. What comes from data only ever becomes a text node or the value of a harmless attribute.

/** Make an element; children are elements or strings, and null is left out. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Make an element that holds a text of the interface; `values` fill the names in braces. */
function said(tag, key, values = {}, attributes = {}) {
  return say(make(tag, attributes), key, values);
}

/** Give an element another text. */
function say(element, key, values = {}) {
  element.setAttribute("data-text", key);
  for (const [name, value] of Object.entries(values)) element.setAttribute(`data-${name}`, value);
  speak(element);
  return element;
}

function button(key, action, attributes = {}) {
  const element = said("button", key, {}, { type: "button", ...attributes });
  element.addEventListener("click", action);
  return element;
}

/** An element for a text of the data: its direction is its own, its language the sample's. */
function quoted(tag, text, language, attributes = {}) {
  return make(tag, { dir: "auto", lang: language, ...attributes }, text);
}

// In characters that are one column wide; those of Chinese, Japanese and Korean are two.
const FOLDED_FROM = 1400;

/** Hide what is below the first lines of a long text, with a button that shows it. */
function folded(element, text) {
  if (text.replace(/[\u2e80-\uffef]/g, "xx").length < FOLDED_FROM) return element;
  const toggle = button("samples.more", () => {
    const open = element.classList.toggle("open");
    toggle.setAttribute("aria-expanded", String(open));
    say(toggle, open ? "samples.less" : "samples.more");
  });
  toggle.classList.add("fold");
  toggle.setAttribute("aria-expanded", "false");
  element.classList.add("folded");
  return make("div", {}, element, toggle);
}

/** A text of the data as a paragraph, folded if it is long. */
function passage(text, language, kind = "text") {
  return folded(quoted("p", text, language, { class: kind }), text);
}

/** A sign beside a word that says the same. */
function sign(glyph, attributes = {}) {
  return make("span", { ...attributes, "aria-hidden": "true" }, glyph);
}

/** What a screen reader says and nobody sees; as a `bdi` it has no say in the direction of the text around it. */
function unseen(key, values = {}) {
  return said("bdi", key, values, { class: "unseen" });
}
