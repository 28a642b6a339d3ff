// Elements and their texts. What comes from data only ever becomes a text node or the value of a harmless attribute.

/** Make an element; children are elements or strings, and null is left out. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Make an element that holds a text of the interface; `values` fill the names in braces. */
function said(tag, key, values = {}, attributes = {}) {
  const element = make(tag, { ...attributes, "data-text": key });
  for (const [name, value] of Object.entries(values)) element.setAttribute(`data-${name}`, value);
  speak(element);
  return element;
}

/** Change the text of an element that `said` made. */
function say(element, key, values = {}) {
  element.setAttribute("data-text", key);
  for (const [name, value] of Object.entries(values)) element.setAttribute(`data-${name}`, value);
  speak(element);
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

/** How many lines a text fills, roughly: a wide character takes the room of two. */
function roomOf(text) {
  let wide = 0;
  for (let place = 0; place < text.length; place += 1) if (text.charCodeAt(place) > 0x2e7f) wide += 1;
  return text.length + wide;
}

const FOLDED_FROM = 1400;

/** Hide what is below the first lines of a long text, with a button that shows it. */
function folded(element, text) {
  if (roomOf(text) < FOLDED_FROM) return element;
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

/** What a screen reader says and nobody sees. */
function unseen(key, values = {}) {
  return said("span", key, values, { class: "unseen" });
}
