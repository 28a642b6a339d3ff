// The opened sample as Markdown, for a ticket or a message.

/** A text of the data as a quote, which no mark of it can leave. */
function quote(text) {
  const harmless = String(text).replace(/[\\`*_{}[\]<>#|~!&]/g, "\\$&").replace(/^(\s*)([-+=]|\d+[.)])/gm, "$1\\$2");
  return harmless.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `> ${line}`).join("\n");
}

function inline(text) {
  return quote(text).replace(/\n?> /g, " ").trim();
}

/** Why a run is worse on a sample, in the language of the interface; "" where nothing is known. */
function causeWords(samples, place, run) {
  const words = [samples.cause(place, run)?.[1] ?? ""].flat();
  return words[interfaceLanguage === "zh" ? words.length - 1 : 0];
}

/** The sample with its link, cause, texts and scores. */
function asMarkdown(samples, place, runs, address) {
  const { data } = samples;
  const part = (heading, text) => (text === null || text === undefined || text === "" ? [] : [`**${heading}**`, quote(text)]);
  const heads = [textOf("samples.metric", {}), ...runs.map((run) => inline(samples.runs[run]))];
  const rows = samples.metrics.map(({ name }) => [inline(name), ...runs.map((run) => samples.score(run, name, place) ?? STATUSES[samples.status(run, name, place)])]);
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    `### ${textOf("samples.sample", {})} ${inline(data.ids[place])}`,
    ...part(textOf("samples.cause", {}), causeWords(samples, place, runs.at(-1))),
    ...part(textOf("samples.question", {}), data.questions[place]),
    ...samples.references(place).flatMap((text) => part(textOf("samples.references", {}), text)),
    ...runs.flatMap((run) => part(`${textOf("samples.answer", {})} · ${inline(samples.runs[run])}`, samples.failure(run, place) ?? samples.answer(run, place))),
    [line(heads), line(heads.map((_, column) => (column ? "---:" : "---"))), ...rows.map(line)].join("\n"),
    `<${address}>`,
  ].join("\n\n");
}

/** Put a text on the clipboard, also where a page may not use it. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { readonly: "" });
    area.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
