// The start of the page's script.

async function start() {
  const began = performance.now();
  const section = document.getElementById("samples");
  chooseLanguage(document.getElementById("interface-language"));
  chooseTheme(document.getElementById("theme"));
  openFolds();
  chooseContents(document.getElementById("contents"));
  chooseBase(document.getElementById("base"));
  if (!section) return;
  try {
    await openSamples(section, began);
  } catch (error) {
    section.append(textElement("p", "samples.unreadable", { why: String(error) }, { class: "failure", role: "alert" }));
    throw error;
  }
}

/** Show the list as soon as its index is there; then read the rest. */
async function openSamples(section, began) {
  const [index, ...chunks] = storedParts();
  const samples = new Samples(await unpacked(index));
  const keys = section.dataset.keys?.split(" ") ?? [];
  if (keys.length) samples.thumbs = new Thumbs(samples, keys);
  const explorer = new Explorer(samples, section);
  explorer.filter();
  explorer.follow();
  addEventListener("hashchange", () => explorer.follow(true));
  document.addEventListener("keydown", (event) => explorer.press(event));
  document.addEventListener("click", (event) => explorer.click(event));
  performance.measure("samples-open", { start: began, end: performance.now() });
  await pause();
  await samples.read(chunks);
  await samples.thumbs?.read();
  explorer.complete();
  performance.measure("samples-read", { start: began, end: performance.now() });
}

start();
