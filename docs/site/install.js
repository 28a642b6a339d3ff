// What a page tells to install has the address of the site itself: a server's, or that of a folder.
{
  const archive = new URL("../ragauge.tar.gz", document.currentScript.src).href;
  for (const code of document.querySelectorAll("pre code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      texts.currentNode.data = texts.currentNode.data.replace("ADDRESS/ragauge.tar.gz", archive);
    }
  }
  document.querySelectorAll(".address").forEach((note) => note.remove());
}
