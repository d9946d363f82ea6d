// Confusion: arrow keys go from cell to cell.

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
  const names = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent);
  for (const [i, row] of [...table.tBodies[0].rows].entries()) {
    for (const button of all("button", row)) {
      const j = button.parentElement.cellIndex - 1;
      button.dataset.cell = `${i},${j}`;
      button.dataset.open = `${table.dataset.store} cell ${names[i]} ${names[j]}`;
      button.setAttribute("aria-expanded", "false");
      button.setAttribute("aria-label", i === j ? `${names[i]} with a wrong head: ${button.dataset.wrong}` : `${names[i]} mistaken for ${names[j]}: ${button.textContent}`);
    }
  }
  table.addEventListener("keydown", move);
}
