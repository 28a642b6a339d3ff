// Sections that are folded: a link to one opens it, and a printed page has all of them open.

function openFolds() {
  const folds = [...document.querySelectorAll("details.fold")];
  const follow = () => {
    const fold = folds.find(({ parentElement: { id } }) => id && id === addressSection(location.hash));
    if (fold) fold.open = true;
  };
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => folds.forEach((fold) => (fold.open = true)));
  for (const link of document.querySelectorAll("nav a")) link.addEventListener("click", () => setTimeout(follow));
  follow();
}
