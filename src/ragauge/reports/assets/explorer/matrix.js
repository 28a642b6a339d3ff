// The runs by metrics: differences from the run that the reader chooses.

function chooseBase(select) {
  if (!select) return;
  const changes = [...document.querySelectorAll("#runs .change")];
  const show = () => changes.forEach((one) => (one.hidden = one.dataset.base !== select.value));
  select.addEventListener("change", show);
  // A browser keeps what was chosen when a page is opened again.
  show();
}
