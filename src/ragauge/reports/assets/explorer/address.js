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

/** Put pairs of name and value into the address, so that the link can be shared. */
function keepAddress(entries) {
  const address = entries.map((entry) => entry.map(encodeURIComponent).join("=")).join("&");
  try {
    history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
  } catch {
    // A page without its own address, as in a srcdoc frame, cannot change it.
  }
}
