// The filter: a word that occurs in names of systems or test sets keeps only these. A word without a match filters
// nothing and is reported. Averages and charts stay those of all systems and test sets, and say so.

const findBox = document.querySelector(".find"), findInput = findBox.querySelector("input");
const findResult = findBox.querySelector("output");
const AXES = { system: "systems", set: "test sets" };
const labels = Object.fromEntries(Object.keys(AXES).map((axis) => [
  axis, [...new Set(all(`[data-${axis}]`).map((one) => one.dataset[axis].toLowerCase()))],
]));

function find() {
  const words = findInput.value.toLowerCase().split(/[\s,;]+/).filter(Boolean);
  const own = Object.fromEntries(Object.keys(AXES).map((axis) => [
    axis, words.filter((word) => labels[axis].some((label) => label.includes(word))),
  ]));
  const fits = (axis, label) => !own[axis].length || own[axis].some((word) => label.toLowerCase().includes(word));
  for (const axis of Object.keys(AXES)) {
    for (const row of all(`tr[data-${axis}]`)) row.hidden = !fits(axis, row.dataset[axis]);
    for (const head of all(`th[data-${axis}]`)) {
      const out = !fits(axis, head.dataset[axis]);
      if (head.hidden === out) continue;
      head.hidden = out;
      for (const row of head.closest("table").tBodies[0].rows) {
        if (row.className !== "heading") row.cells[head.cellIndex].hidden = out;
      }
    }
  }
  for (const heading of all("tr.heading")) {
    let row = heading.nextElementSibling;
    while (row && row.hidden && row.className !== "heading") row = row.nextElementSibling;
    heading.hidden = !row || row.className === "heading";
  }
  for (const block of all(".block")) {
    const kept = Object.keys(AXES).filter((axis) => own[axis].length && !block.querySelector(`[data-${axis}]`));
    all(":scope > .unfiltered", block).forEach((note) => note.remove());
    const names = kept.map((axis) => AXES[axis]).join(" and ");
    if (names) block.prepend(make("p", { class: "note unfiltered" }, `All ${names}, not only those found.`));
  }
  const unknown = words.filter((word) => !Object.values(own).flat().includes(word));
  const counts = Object.entries(AXES).filter(([axis]) => own[axis].length).map(
    ([axis, name]) => `${labels[axis].filter((label) => fits(axis, label)).length} of ${labels[axis].length} ${name}`,
  );
  findResult.textContent = [...counts, ...unknown.map((word) => `no match for “${word}”`)].join(", ");
}

findBox.hidden = false;
findInput.addEventListener("input", () => { find(); keep("find", findInput.value.trim()); });
findBox.closest("form").addEventListener("submit", (event) => event.preventDefault());
addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    findInput.focus();
  } else if (event.key === "Escape" && event.target === findInput && findInput.value) {
    findInput.value = "";
    find();
    keep("find", "");
  }
});
onState.push(() => { findInput.value = state.get("find") || ""; find(); });
