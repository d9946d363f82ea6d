// Highlights a treebank, or the treebanks of a family, in all panels.

const marks = all(".mark[data-t]");
const families = all(".legend button");
const highlight = document.querySelector('select[data-choice="highlight"]');

function emphasize(chosen, named) {
  for (const name of all(".name.found")) name.remove();
  document.body.classList.toggle("chosen", Boolean(chosen));
  for (const mark of marks) {
    mark.classList.toggle("on", Boolean(chosen) && chosen(mark));
    mark.classList.toggle("one", Boolean(chosen) && named && chosen(mark));
  }
  if (chosen && named) for (const mark of marks.filter(chosen)) name(mark);
}

// Writes the value next to the mark, on the side with room.
function name(mark) {
  const panel = mark.ownerSVGElement, title = mark.querySelector("title").textContent, box = mark.getBBox();
  if (!panel.closest("#columns")) return;
  const right = box.x > panel.viewBox.baseVal.width / 2, x = right ? box.x - 4 : box.x + box.width + 4;
  const attributes = { class: "name found", x, y: box.y + box.height / 2 + 4, "text-anchor": right ? "end" : "start" };
  panel.append(make("svg:text", attributes, title.slice(title.lastIndexOf(": ") + 2)));
}

function update() {
  const place = highlight ? Number(highlight.value) - 1 : -1;
  const series = new Set(families.filter((one) => one.getAttribute("aria-pressed") === "true").map((one) => `s${one.dataset.series}`));
  if (place >= 0) emphasize((mark) => Number(mark.dataset.t) === place, true);
  else emphasize(series.size ? (mark) => [...mark.classList].some((kind) => series.has(kind)) : null, false);
}

for (const button of families) {
  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    if (highlight) highlight.value = "0";
    update();
  });
}
if (highlight) highlight.addEventListener("change", update);
for (const mark of marks) {
  const place = Number(mark.dataset.t);
  mark.addEventListener("pointerenter", () => emphasize((other) => Number(other.dataset.t) === place, true));
  mark.addEventListener("pointerleave", update);
  mark.addEventListener("click", () => {
    highlight.value = highlight.value === String(place + 1) ? "0" : String(place + 1);
    update();
  });
}
