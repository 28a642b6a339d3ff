// Elements and their texts. Data become text nodes or values of harmless attributes, nothing else.

/** Make an element; children are elements or strings, and null is left out. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Make an element with a text of the interface; `values` fill its placeholders. */
function textElement(tag, key, values = {}, attributes = {}) {
  return setText(make(tag, attributes), key, values);
}

/** Give an element a text of the interface. */
function setText(element, key, values = {}) {
  element.setAttribute("data-text", key);
  for (const [name, value] of Object.entries(values)) element.setAttribute(`data-${name}`, value);
  updateTexts(element);
  return element;
}

/** Give an element and all in it their texts. */
function updated(element) {
  updateTexts(element);
  return element;
}

function button(key, action, attributes = {}) {
  const element = textElement("button", key, {}, { type: "button", ...attributes });
  element.addEventListener("click", action);
  return element;
}

/** An element with a text of the data: the direction follows the text, the language the sample. */
function dataElement(tag, text, language, attributes = {}) {
  return make(tag, { dir: "auto", lang: language, ...attributes }, text);
}

// Number of one-column characters; Chinese, Japanese and Korean characters take two columns.
const FOLDED_FROM = 1400;

/** Fold a long text to its first lines, with a button that shows the rest. */
function folded(element, text) {
  if (text.replace(/[\u2e80-\uffef]/g, "xx").length < FOLDED_FROM) return element;
  const toggle = button("samples.more", () => {
    const open = element.classList.toggle("open");
    toggle.setAttribute("aria-expanded", String(open));
    setText(toggle, open ? "samples.less" : "samples.more");
  });
  toggle.classList.add("fold");
  toggle.setAttribute("aria-expanded", "false");
  element.classList.add("folded");
  return make("div", {}, element, toggle);
}

/** A text of the data as a paragraph, folded if it is long. */
function passage(text, language, kind = "text") {
  return folded(dataElement("p", text, language, { class: kind }), text);
}

/** A glyph for the eye only: the text beside it has the same meaning. */
function sign(glyph, attributes = {}) {
  return make("span", { ...attributes, "aria-hidden": "true" }, glyph);
}

/** A text for screen readers only; as a `bdi` it does not affect the direction of the text around it. */
function hiddenText(key, values = {}) {
  return textElement("bdi", key, values, { class: "unseen" });
}
