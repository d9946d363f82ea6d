// A row or cell opens a panel that shows its words one by one, each in its sentence.

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text());
}

const kept = {};  // the sentences, once they are unpacked

async function ready() {
  if (!kept.stores) Object.assign(kept, await unpack(data.packed));
}

function treeOf(sentence, tree) {
  const named = (numbers) => numbers.map((number) => kept.relations[number]);
  if (!tree.x) return { ...tree, d: named(tree.d) };
  const h = [...sentence.h], d = [...sentence.d];
  for (let i = 0; i < tree.x.length; i += 3) [h[tree.x[i]], d[tree.x[i]]] = [tree.x[i + 1], tree.x[i + 2]];
  return { ...tree, h, d: named(d) };
}

function sentenceAt(number) {
  const packed = kept.sentences[number];
  return { ...packed, d: packed.d.map((one) => kept.relations[one]), s: packed.s.map((tree) => treeOf(packed, tree)) };
}

function wordsOf(address) {
  const [place, kind, ...name] = address.split(" "), store = kept.stores[place], words = [];
  const number = store.names[kind].indexOf(name.join(" "));
  store.groups[kind].forEach((own, i) => { if (own === number) words.push([store.words[2 * i], store.words[2 * i + 1]]); });
  return { words, total: store.totals[kind][number] };
}

let panels = 0;

function panelOf(button) {
  const { words, total } = wordsOf(button.dataset.open), title = button.dataset.title || button.getAttribute("aria-label");
  const panel = make("div", { class: "opened", id: `opened-${++panels}`, role: "region", "aria-label": title });
  const bar = make("div", { class: "pager" }), where = make("span", { class: "where", role: "status" }), shown = make("div");
  const back = make("button", { type: "button" }, "‹ Previous"), on = make("button", { type: "button" }, "Next ›"), shut = make("button", { type: "button", class: "shut" }, "Close");
  let at = 0;
  const some = words.length.toLocaleString("en"), every = total.toLocaleString("en"), sampled = words.length < total;
  const go = (step) => {
    at = Math.max(0, Math.min(words.length - 1, at + step));
    where.textContent = words.length ? `${(at + 1).toLocaleString("en")} of ${some}` : "";
    back.setAttribute("aria-disabled", String(at === 0));  // not disabled: the button keeps the focus
    on.setAttribute("aria-disabled", String(at >= words.length - 1));
    const [sentence, word] = words[at] || [];
    shown.replaceChildren(...(words.length ? [figureOf(sentenceAt(sentence), word)] : [make("p", { class: "note" }, "The sentences are not on this page.")]));
  };
  back.addEventListener("click", () => go(-1));
  on.addEventListener("click", () => go(1));
  shut.addEventListener("click", () => { close(button); button.focus(); });
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.stopPropagation(); close(button); button.focus(); }
    if (event.target.closest(".pager") && (event.key === "ArrowLeft" || event.key === "ArrowRight")) { event.preventDefault(); go(event.key === "ArrowLeft" ? -1 : 1); }
  });
  bar.append(back, where, on);
  if (sampled) bar.append(make("span", { class: "sampled" }, `${some} of ${every} are on this page`));
  bar.append(shut);
  panel.append(make("h3", {}, title), bar, shown, legend());
  return [panel, () => go(0)];
}

function close(button) {
  const panel = document.getElementById(button.getAttribute("aria-controls"));
  button.setAttribute("aria-expanded", "false");
  button.removeAttribute("aria-controls");
  (panel?.closest("tr.panel") || panel)?.remove();
}

async function open(button) {
  const was = button.getAttribute("aria-expanded") === "true", table = button.closest("table");
  for (const other of all('[aria-expanded="true"][data-open]', table)) close(other);
  if (was) return;
  await ready();
  const [panel, start] = panelOf(button);
  button.setAttribute("aria-expanded", "true");
  button.setAttribute("aria-controls", panel.id);
  if (button.closest("tbody tr") && table.classList.contains("rows")) {
    const row = make("tr", { class: "panel" }), cell = make("td", { colspan: table.rows[0].cells.length });
    cell.append(panel);
    row.append(cell);
    button.closest("tr").after(row);
    // The panel keeps the width of the table, so that a long sentence scrolls in its box.
    panel.style.width = `${table.clientWidth}px`;
  } else (table.closest(".scroll") || table).after(panel);
  start();
  if (panel.getBoundingClientRect().bottom > innerHeight) panel.scrollIntoView({ block: "nearest" });
}

for (const button of all("[data-open]")) button.addEventListener("click", () => open(button));

addEventListener("resize", () => { for (const panel of all("tr.panel .opened")) panel.style.width = `${panel.closest("table").parentElement.clientWidth}px`; });

// A row that leads to a treebank selects it for the whole page.

for (const button of all("[data-goes]")) {
  button.addEventListener("click", () => {
    const [name, value] = button.dataset.goes.split("="), select = selects.find((one) => one.dataset.choice === name);
    select.value = value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
    select.focus({ preventScroll: true });
    document.getElementById(button.dataset.to).scrollIntoView();
  });
}
