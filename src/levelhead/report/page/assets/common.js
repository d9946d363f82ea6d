const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

function make(name, attributes = {}, text) {
  const node = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const onShow = [];  // functions that other scripts call with each block that is shown

// Choices: a block is shown if all its conditions hold; a section without visible blocks is hidden.

const selects = all("select[data-choice]");

function show() {
  const chosen = Object.fromEntries(selects.map((one) => [one.dataset.choice, one.value]));
  const holds = (condition) => {
    const [name, value] = condition.split("=");
    return !(name in chosen) || chosen[name] === value;
  };
  for (const block of all(".block")) {
    block.hidden = !block.dataset.when.split(" ").filter(Boolean).every(holds);
    if (!block.hidden) for (const act of onShow) act(block);
  }
  for (const section of all("main > section")) section.hidden = all(".block", section).every((block) => block.hidden);
  for (const link of all("nav a")) link.hidden = document.querySelector(link.getAttribute("href")).hidden;
}

// The state of the page is in the address: #section&name=value. It is read when the page opens, and when the reader
// goes back or changes the address. The columns and the order of tables are also remembered for visits without a state.

const state = new Map();  // differences from the initial page: sort.SECTION, more, find, and each choice by name
const onState = [];  // functions that other scripts call when the state was read
const MEMORY = `levelhead ${document.documentElement.dataset.kind} ${location.pathname}`;

function parse(text) {
  const found = new Map();
  for (const part of text.split("&")) {
    const at = part.indexOf("=");
    try {
      if (at > 0) found.set(decodeURIComponent(part.slice(0, at)), decodeURIComponent(part.slice(at + 1)));
    } catch { /* not an address of this page */ }
  }
  return found;
}

function written(entries) {
  return [...entries].map((entry) => entry.map(encodeURIComponent).join("=")).join("&");
}

const sectionOf = (text) => { const [first] = text.replace(/^#/, "").split("&"); return first.includes("=") ? "" : first; };

function keep(name, value) {
  if (value) state.set(name, value); else state.delete(name);
  const place = sectionOf(location.hash), rest = written(state);
  history.replaceState(null, "", `#${place}${place && rest ? "&" : ""}${rest}`);
  try {
    const lasting = [...state].filter(([key]) => key === "more" || key.startsWith("sort."));
    localStorage.setItem(MEMORY, written(lasting));
  } catch { /* the browser does not allow storage */ }
}

function remembered() {
  try { return parse(localStorage.getItem(MEMORY) || ""); } catch { return new Map(); }
}

function readState(first) {
  const found = parse(location.hash.slice(1));
  if (found.size || first) {
    state.clear();
    for (const [name, value] of found.size ? found : remembered()) state.set(name, value);
    for (const select of selects) {
      const names = [...select.options].map((option) => option.textContent);
      select.selectedIndex = Math.max(0, names.indexOf(state.get(select.dataset.choice)));
    }
    show();
    for (const act of onState) act();
  } else if (state.size) {
    keep("", "");  // a link to a section: the state stays
  }
  const place = document.getElementById(sectionOf(location.hash));
  if (place && location.hash.includes("&")) place.scrollIntoView();
}

for (const select of selects) {
  select.addEventListener("change", () => {
    keep(select.dataset.choice, select.selectedIndex ? select.selectedOptions[0].textContent : "");
    show();
  });
}
addEventListener("hashchange", () => readState(false));

// Tables are sorted by any column: numbers in descending order, names in ascending order, missing values last.

const originals = new Map();  // the rows of each sorted table in their original order
const nameOf = (button) => button.textContent.trim();

function sort(button, down) {
  const head = button.parentElement, table = head.closest("table"), body = table.tBodies[0];
  const column = head.cellIndex, numeric = head.classList.contains("n");
  if (!originals.has(table)) originals.set(table, [...body.rows]);
  const key = (row) => {
    const text = row.cells[column].textContent.trim();
    return numeric ? Number.parseFloat(text.replace("−", "-").replaceAll(",", "")) : text;
  };
  const missing = (value) => (numeric ? Number.isNaN(value) : value === "" || value === "–");
  const compare = (one, other) => (numeric ? one - other : one.localeCompare(other, undefined, { numeric: true }));
  const headings = [...body.rows].filter((row) => row.className === "heading");
  const rows = originals.get(table).filter((row) => row.className !== "heading").map((row) => [key(row), row]);
  rows.sort(([one], [other]) => missing(one) - missing(other) || (down ? compare(other, one) : compare(one, other)));
  unsort(table);
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  table.classList.toggle("sorted", headings.length > 0 || !(column === 0 && !down));
  body.append(...rows.map(([, row]) => row), ...headings);
}

function unsort(table) {
  for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
  table.classList.remove("sorted");
  if (originals.has(table)) table.tBodies[0].append(...originals.get(table));
}

function next(button) {
  const before = button.parentElement.getAttribute("aria-sort"), first = button.parentElement.classList.contains("n");
  const down = first && !/rank/i.test(nameOf(button));
  return before ? before === "ascending" : down;
}

// All tables of a section are sorted in the same way, so that switching the measure keeps the order.

function sortSection(section, way) {
  const [, name, direction] = /^(.*) (up|down)$/s.exec(way || "") || [];
  for (const table of all("table", section)) {
    const button = all(".sort", table).find((one) => nameOf(one) === name);
    if (button) sort(button, direction === "down"); else unsort(table);
  }
}

for (const button of all(".sort")) {
  button.addEventListener("click", () => {
    const section = button.closest("section"), back = button.closest(".corner") && button.closest(".sorted");
    const way = back ? "" : `${nameOf(button)} ${next(button) ? "down" : "up"}`;
    sortSection(section, way);
    keep(`sort.${section.id}`, way);
  });
}
onState.push(() => {
  for (const section of all("main > section")) {
    const way = state.get(`sort.${section.id}`);
    if (way || all(".sorted, [aria-sort]", section).length) sortSection(section, way);
  }
});

// Less important columns are shown on request.

const more = all(".more");

function showColumns(every) {
  for (const button of more) {
    button.hidden = false;
    button.setAttribute("aria-pressed", every);
    button.textContent = every ? "Fewer columns" : "More columns";
  }
  document.body.classList.toggle("fewer", !every);
}

for (const button of more) {
  button.addEventListener("click", () => {
    const every = button.getAttribute("aria-pressed") !== "true";
    showColumns(every);
    keep("more", every ? "1" : "");
  });
}
if (more.length) onState.push(() => showColumns(state.get("more") === "1"));

// The heads of long tables stay visible below the bar.

const bar = document.querySelector(".bar");
new ResizeObserver(() => {
  const sticky = getComputedStyle(bar).position === "sticky";
  document.documentElement.style.setProperty("--bar", sticky ? `${bar.offsetHeight}px` : "0px");
}).observe(bar);

addEventListener("beforeprint", () => { for (const one of all("details")) one.open = true; });
