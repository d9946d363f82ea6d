// A matrix with links in its cells is a single stop of the Tab key; arrow keys move between cells.

const AWAY = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function linksOf(table) {
  return [...table.tBodies[0].rows].filter((row) => !row.hidden && row.className !== "heading").map(
    (row) => [...row.cells].map((cell) => (cell.hidden ? null : cell.querySelector("a"))),
  );
}

function goTo(table, link) {
  for (const other of all("a[tabindex='0']", table)) other.tabIndex = -1;
  link.tabIndex = 0;
  link.focus();
}

for (const table of all(".linked")) {
  all("tbody a", table).forEach((link, i) => { link.tabIndex = i ? -1 : 0; });
  table.addEventListener("keydown", (event) => {
    const step = AWAY[event.key], from = event.target.closest("tbody a");
    if (!step || !from || event.ctrlKey || event.metaKey || event.altKey) return;
    const links = linksOf(table);
    let row = links.findIndex((one) => one.includes(from)), column = links[row].indexOf(from);
    do {
      row += step[0];
      column += step[1];
    } while (links[row] && column >= 0 && column < links[row].length && !links[row][column]);
    const link = links[row] && links[row][column];
    event.preventDefault();
    if (link) goTo(table, link);
  });
}

// If a filter hides the link at which Tab stops, the first visible link replaces it.

onShow.push((block) => {
  for (const table of all(".linked", block)) {
    const shown = linksOf(table).flat().filter(Boolean);
    if (shown.length && !shown.some((link) => link.tabIndex === 0)) shown[0].tabIndex = 0;
  }
});
