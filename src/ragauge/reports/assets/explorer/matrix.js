// The runs by metrics: differences from the run that the reader chooses.

function chooseBase(select) {
  if (!select) return;
  select.addEventListener("change", () => {
    showBase(select);
    document.dispatchEvent(new CustomEvent("basechosen"));
  });
  // A browser keeps what was chosen when a page is opened again.
  showBase(select);
}

function showBase(select) {
  for (const one of document.querySelectorAll("#runs .change")) one.hidden = one.dataset.base !== select.value;
}

/** The chosen base as a pair of an address; none for the usual one. */
function baseEntries() {
  const select = document.getElementById("base");
  return select && select.selectedIndex > 0 ? [["base", select.selectedOptions[0].text]] : [];
}

/** Choose the base with this name, else the usual one; an address without a base leaves it as it is. */
function followBase(name) {
  const select = document.getElementById("base");
  if (!select) return;
  select.selectedIndex = Math.max(0, [...select.options].findIndex(({ text }) => text === name));
  showBase(select);
}
