"use strict";
// The search: every word must be found; a hit in a heading counts more than one in the text.
(function () {
  const input = document.getElementById("search");
  const list = document.getElementById("found");
  const root = document.body.dataset.root;
  const most = 12;

  function score(entry, words) {
    const heading = (entry.page + " " + entry.heading).toLowerCase();
    const text = entry.text.toLowerCase();
    // The guide is for reading, the rest for looking up.
    let sum = entry.link.startsWith("docs/guide/") ? 5 : 0;
    for (const word of words) {
      const inHeading = heading.includes(word);
      const times = text.split(word).length - 1;
      if (!inHeading && times === 0) return 0;
      sum += (inHeading ? 20 : 0) + Math.min(times, 5);
    }
    return sum;
  }

  // The text around the first word, which is marked; made of text nodes, so that text stays text.
  function excerpt(entry, word) {
    const paragraph = document.createElement("p");
    const at = Math.max(0, entry.text.toLowerCase().indexOf(word));
    const from = Math.max(0, at - 50);
    paragraph.append((from > 0 ? "…" : "") + entry.text.slice(from, at));
    const mark = document.createElement("mark");
    mark.textContent = entry.text.slice(at, at + word.length);
    paragraph.append(mark, entry.text.slice(at + word.length, at + 90) + "…");
    return paragraph;
  }

  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    list.hidden = words.length === 0;
    if (words.length === 0) return;
    const hits = searchIndex
      .map((entry) => ({ entry, points: score(entry, words) }))
      .filter((hit) => hit.points > 0)
      .sort((one, other) => other.points - one.points)
      .slice(0, most);
    for (const { entry } of hits) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = root + entry.link;
      link.textContent = entry.heading && entry.heading !== entry.page ? entry.page + ": " + entry.heading : entry.page;
      item.append(link, excerpt(entry, words[0]));
      list.append(item);
    }
    if (hits.length === 0) {
      const item = document.createElement("li");
      item.textContent = "nothing found";
      list.append(item);
    }
  }

  input.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
    }
  });
})();
