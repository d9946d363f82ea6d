const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

function make(name, attributes = {}, text) {
  const node = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const onShow = [];  // what other scripts do with a block when it is shown

// Choices: a block is shown where all its conditions hold; a section that shows nothing is hidden.

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

for (const select of selects) select.addEventListener("change", show);

// Tables are sorted by any column: numbers from the highest, names from the first; what has no value comes last.

function sort(button) {
  const head = button.parentElement, table = head.closest("table"), body = table.tBodies[0];
  const column = head.cellIndex, numeric = head.classList.contains("n");
  const before = head.getAttribute("aria-sort");
  const down = before ? before === "ascending" : numeric && !/rank/i.test(button.textContent);
  const key = (row) => {
    const text = row.cells[column].textContent.trim();
    return numeric ? Number.parseFloat(text.replace("−", "-").replaceAll(",", "")) : text;
  };
  const missing = (value) => (numeric ? Number.isNaN(value) : value === "" || value === "–");
  const compare = (one, other) => (numeric ? one - other : one.localeCompare(other, undefined, { numeric: true }));
  const rows = [...body.rows].map((row) => [key(row), row]);
  rows.sort(([one], [other]) => missing(one) - missing(other) || (down ? compare(other, one) : compare(one, other)));
  for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  table.classList.toggle("sorted", !(column === 0 && !down));
  body.append(...rows.map(([, row]) => row));
}

for (const button of all(".sort")) button.addEventListener("click", () => sort(button));

addEventListener("beforeprint", () => { for (const one of all("details")) one.open = true; });
