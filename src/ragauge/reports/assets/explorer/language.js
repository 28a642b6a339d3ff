// The language of the interface, and the theme.

const texts = JSON.parse(document.getElementById("texts").textContent);
let spoken = document.documentElement.lang in texts ? document.documentElement.lang : "en";

function worded(key, values) {
  const text = texts[spoken][key] ?? texts.en?.[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Give every element in `root` that names a text that text, in the language chosen. */
function speak(root) {
  for (const element of [root, ...root.querySelectorAll("[data-text], [data-text-title], [data-text-label]")]) {
    const { text, textTitle, textLabel } = element.dataset;
    if (text) element.textContent = worded(text, element.dataset);
    if (textTitle) element.setAttribute("title", worded(textTitle, element.dataset));
    if (textLabel) element.setAttribute("aria-label", worded(textLabel, element.dataset));
  }
}

function chooseLanguage(select) {
  if (!select) return;
  select.value = spoken;
  select.addEventListener("change", () => {
    spoken = select.value;
    document.documentElement.lang = spoken;
    speak(document.documentElement);
    document.dispatchEvent(new Event("languagechosen"));
  });
}

function chooseTheme(toggle) {
  if (!toggle) return;
  toggle.addEventListener("click", () => {
    const root = document.documentElement;
    const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
}
