// The contents where the page is narrow: a button unfolds them over the page.

function chooseContents(toggle) {
  if (!toggle) return;
  const nav = toggle.parentElement;
  const unfold = (open) => {
    nav.classList.toggle("open", open);
    toggle.setAttribute("aria-expanded", String(open));
  };
  toggle.addEventListener("click", () => unfold(!nav.classList.contains("open")));
  nav.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !nav.classList.contains("open")) return;
    event.stopPropagation();
    unfold(false);
    toggle.focus();
  });
  for (const link of nav.querySelectorAll("a")) link.addEventListener("click", () => unfold(false));
  for (const type of ["click", "focusin"]) {
    document.addEventListener(type, ({ target }) => nav.contains(target) || unfold(false));
  }
}
