// The language of the interface, and the theme.

const texts = JSON.parse(document.getElementById("texts").textContent);
let interfaceLanguage = document.documentElement.lang in texts ? document.documentElement.lang : "en";

function textOf(key, values) {
  const text = texts[interfaceLanguage][key] ?? texts.en?.[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Set the text of every element in `root` that has a text key, in the chosen language. */
function updateTexts(root) {
  for (const element of [root, ...root.querySelectorAll("[data-text], [data-text-title], [data-text-label]")]) {
    const { text, textTitle, textLabel } = element.dataset;
    if (text) element.textContent = textOf(text, element.dataset);
    if (textTitle) element.setAttribute("title", textOf(textTitle, element.dataset));
    if (textLabel) element.setAttribute("aria-label", textOf(textLabel, element.dataset));
  }
  for (const element of root.querySelectorAll("[data-en]")) element.textContent = element.dataset[interfaceLanguage];
  for (const element of root.querySelectorAll("[data-title-zh]")) {
    element.title = element.dataset[interfaceLanguage === "zh" ? "titleZh" : "titleEn"];
  }
}

/** An element with words of the evaluation: a text, or its wordings, English first, which follow the language. */
function wordedElement(tag, words, attributes = {}) {
  if (!Array.isArray(words)) return make(tag, { dir: "auto", lang: "en", ...attributes }, words);
  const [en, zh] = words;
  return make(tag, { dir: "auto", ...attributes, "data-en": en, "data-zh": zh }, interfaceLanguage === "en" ? en : zh);
}

const firstLanguage = interfaceLanguage;

function chooseLanguage(select) {
  const chosen = new Map(addressEntries(location.hash)).get("lang");
  if (chosen !== undefined && Object.hasOwn(texts, chosen) && chosen !== interfaceLanguage) setLanguage(chosen);
  if (!select) return;
  select.value = interfaceLanguage;
  select.addEventListener("change", () => setLanguage(select.value));
}

function setLanguage(language) {
  interfaceLanguage = language;
  document.documentElement.lang = language;
  updateTexts(document.documentElement);
  document.dispatchEvent(new Event("languagechosen"));
}

function chooseTheme(toggle) {
  if (!toggle) return;
  toggle.addEventListener("click", () => {
    const root = document.documentElement;
    const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
}
