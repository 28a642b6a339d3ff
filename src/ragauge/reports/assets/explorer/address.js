// What is shown, as the part of the page's address behind "#": name=value, joined by "&".

/** Read the pairs of name and value in an address; a link to a section has none. */
function addressEntries(hash) {
  const parts = hash.replace(/^#/, "").split("&").filter((part) => part.includes("="));
  return parts.map((part) => {
    const place = part.indexOf("=");
    return [decoded(part.slice(0, place)), decoded(part.slice(place + 1))];
  });
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The id of the section that an address names before its pairs; "" for none. */
function addressSection(hash) {
  const [first] = hash.replace(/^#/, "").split("&");
  return first.includes("=") ? "" : decoded(first);
}

/** Pairs of name and value as they stand in an address. */
function addressOf(entries) {
  return entries.map((entry) => entry.map(encodeURIComponent).join("=")).join("&");
}

/** Whether the address has these pairs, in this order. */
function addressHas(entries) {
  return addressOf(addressEntries(location.hash)) === addressOf(entries);
}

/** Put the id of a section and pairs of name and value into the address, so that the link can be shared. */
function keepAddress(entries, section = "") {
  const address = [section, addressOf(entries)].filter(Boolean).join("&");
  changeHistory("replaceState", history.state, address ? `#${address}` : location.pathname + location.search);
}

/** Give the sheet its own place in the history of the browser, or mark the one that a link made: Back closes the sheet. */
function addSheet(method = "pushState") {
  changeHistory(method, { sheet: true }, location.href);
}

function changeHistory(method, state, address) {
  try {
    history[method](state, "", address);
  } catch {
    // A page without its own address, as in a srcdoc frame, cannot change it.
  }
}
