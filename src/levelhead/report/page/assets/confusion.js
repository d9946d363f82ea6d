// Confusion: a cell opens sentences behind it; arrow keys go from cell to cell.

function open(button) {
  const table = button.closest("table"), own = data[table.dataset.block], box = table.closest(".block").querySelector(".opened");
  const was = button.getAttribute("aria-pressed") === "true";
  for (const other of all("[aria-pressed]", table)) other.removeAttribute("aria-pressed");
  box.replaceChildren();
  if (was) return;
  button.setAttribute("aria-pressed", "true");
  const words = own.cells[button.dataset.cell];
  box.append(make("h3", {}, button.getAttribute("aria-label")), legend());
  for (const [sentence, word] of words) box.append(figureOf(own.sentences[sentence], word));
  if (box.getBoundingClientRect().top > innerHeight - 120) box.scrollIntoView({ block: "nearest" });
}

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function move(event) {
  const step = STEPS[event.key], table = event.currentTarget;
  if (!step || !event.target.dataset.cell) return;
  let [row, column] = event.target.dataset.cell.split(",").map(Number);
  const size = table.tBodies[0].rows.length;
  do {
    row += step[0];
    column += step[1];
    const next = table.querySelector(`button[data-cell="${row},${column}"]`);
    if (next) {
      event.preventDefault();
      next.focus();
      return;
    }
  } while (row >= 0 && column >= 0 && row < size && column < size);
}

for (const table of all(".confusion")) {
  table.addEventListener("keydown", move);
  for (const button of all("button", table)) button.addEventListener("click", () => open(button));
}
