// Trees: gold arcs above the words, system arcs below; gray where they agree.

const pen = document.createElement("canvas").getContext("2d");
const family = getComputedStyle(document.body).fontFamily;

function widthOf(text, size) {
  pen.font = `${size}px ${family}`;
  return pen.measureText(text).width;
}

function columnsOf(sentence, tree) {
  const aligned = tree.a || sentence.f.map((_, i) => i);
  const ofGold = new Map(aligned.map((gold, system) => [gold, system]));
  const columns = [];
  let gold = 0;
  aligned.forEach((at, system) => {
    while (at >= 0 && gold < at) columns.push({ gold: gold++ });
    if (at >= 0) columns.push({ gold: gold++, system });
    else if (gold < sentence.f.length && !ofGold.has(gold)) columns.push({ gold: gold++, system, apart: true });
    else columns.push({ system, apart: true });
  });
  while (gold < sentence.f.length) columns.push({ gold: gold++ });
  for (const column of columns) column.apart ||= column.gold === undefined || column.system === undefined;
  return columns;
}

function levels(arcs) {
  arcs.sort((one, other) => one.to - one.from - (other.to - other.from) || one.from - other.from);
  arcs.forEach((arc, i) => {
    const below = arcs.slice(0, i).filter((other) => other.from < arc.to && arc.from < other.to);
    arc.level = 1 + Math.max(0, ...below.map((other) => other.level));
  });
  return Math.max(0, ...arcs.map((arc) => arc.level));
}

function arcsOf(heads, labels, places, kinds, columns) {
  const arcs = heads.map((head, i) => {
    const own = places[i], other = head > 0 ? places[head - 1] : own, far = columns[other].gap ? " far" : "";
    return { own, other, from: Math.min(own, other), to: Math.max(own, other), label: labels[i], kind: kinds[i] + far, head };
  });
  return arcs.filter((arc) => !columns[arc.own].gap);
}

const STEP = 19, FIRST = 12;

function drawArcs(svg, arcs, x, base, direction, top) {
  const y = (height) => base - direction * height;
  for (const arc of arcs.filter((one) => one.head > 0)) {
    const group = make("svg:g", { class: arc.kind });
    const height = FIRST + STEP * arc.level;
    const start = x(arc.own), towards = Math.sign(x(arc.other) - start), end = x(arc.other) - 5 * towards;
    const bend = Math.min(12, Math.abs(end - start) / 2) * towards, low = y(height - Math.abs(bend));
    group.append(
      make("svg:path", { d: `M${start} ${y(3)}V${low}Q${start} ${y(height)} ${start + bend} ${y(height)}H${end - bend}Q${end} ${y(height)} ${end} ${low}V${y(0)}` }),
      make("svg:path", { class: "head", d: `M${start} ${y(-1)}l-3.5 ${-direction * 7}h7z` }),
      make("svg:text", { class: "label", x: (start + end) / 2, y: y(height) + 4 }, arc.label),
    );
    svg.append(group);
  }
  for (const arc of arcs.filter((one) => one.head <= 0)) {
    const group = make("svg:g", { class: arc.head < 0 ? `${arc.kind} out` : arc.kind }), at = x(arc.own);
    group.append(
      make("svg:path", { d: `M${at} ${y(3)}V${y(top)}` }),
      make("svg:path", { class: "head", d: `M${at} ${y(-1)}l-3.5 ${-direction * 7}h7z` }),
      make("svg:text", { class: "label", x: at, y: y(top) + 4 }, arc.label),
    );
    svg.append(group);
  }
}

const SIDES = ["gold", "system"];
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const KINDS = { o: "", l: "mislabeled", h: "wrong", b: "wrong", u: "wrong" };

function drawTree(sentence, tree, asked, kept) {
  const [columns, placeOf] = folded(columnsOf(sentence, tree), kept);
  const forms = tree.f || sentence.f, twoRows = Boolean(tree.f);
  const ofGold = [], ofSystem = [], missed = sentence.f.map(() => "gold");
  columnsOf(sentence, tree).forEach(({ gold, system, apart }, i) => {
    if (gold !== undefined) ofGold[gold] = placeOf[i];
    if (system !== undefined) ofSystem[system] = placeOf[i];
    const paired = gold !== undefined && system !== undefined && !apart;
    if (paired && "ol".includes(tree.e[system])) missed[gold] = tree.e[system] === "o" ? "" : "gold";
  });
  const start = twoRows ? Math.max(...(sentence.k || SIDES).map((side) => widthOf(side, 11))) + 12 : 4;
  let end = start;
  const middles = columns.map(({ gold, system, gap }) => {
    const words = [gap ? gapText(gap) : gold === undefined ? "" : sentence.f[gold], system === undefined ? "" : forms[system]];
    const labels = [gold === undefined ? "" : sentence.d[gold], system === undefined ? "" : tree.d[system]];
    const width = Math.max(...words.map((word) => widthOf(word, 15)), ...labels.map((label) => widthOf(label, 11) + 6), 22) + 18;
    end += width;
    return end - width / 2;
  });
  const x = (column) => (sentence.r ? end - middles[column] + start : middles[column]);
  const above = arcsOf(sentence.h, sentence.d, ofGold, missed, columns);
  const below = arcsOf(tree.h, tree.d, ofSystem, [...tree.e].map((letter) => KINDS[letter]), columns);
  const [up, down] = [above, below].map((arcs) => FIRST + STEP * (1 + levels(arcs.filter((arc) => arc.head > 0))));
  const first = up + 26, second = twoRows ? first + 30 : first, height = second + down + 24;
  const svg = make("svg:svg", { width: Math.ceil(end + 8), height, role: "img", "aria-label": `Trees of: ${sentence.t.replace(/[.。।]$/, "")}. ${capital((sentence.k || SIDES)[0])} above, ${tree.n} below.` });
  const place = (column, form, y, marked) => {
    const width = widthOf(form, 15) + 10, box = { x: x(column) - width / 2, y: y - 17, width, height: 23, rx: 4 };
    if (marked) svg.append(make("svg:rect", { ...box, class: "asked" }));
    if (columns[column].apart) svg.append(make("svg:rect", { ...box, class: "token" }));
    svg.append(make("svg:text", { x: x(column), y }, form));
  };
  const shown = (column) => !columns[column].gap;
  ofGold.forEach((column, word) => { if (shown(column)) place(column, sentence.f[word], first, word === asked); });
  if (twoRows) {
    ofSystem.forEach((column, word) => { if (shown(column)) place(column, forms[word], second, tree.a[word] === asked && asked >= 0); });
    const [upper, lower] = sentence.k || SIDES;
    svg.append(make("svg:text", { class: "row", x: 0, y: first }, upper), make("svg:text", { class: "row", x: 0, y: second }, lower));
  }
  columns.forEach(({ gap }, column) => {
    if (!gap) return;
    const group = make("svg:g", { class: "gap" }), width = widthOf(gapText(gap), 12) + 14, middle = (first + second) / 2;
    group.append(make("svg:rect", { x: x(column) - width / 2, y: middle - 16, width, height: 22, rx: 11 }), make("svg:text", { x: x(column), y: middle - 1 }, gapText(gap)));
    svg.append(group);
  });
  drawArcs(svg, above, x, first - 20, 1, up);
  drawArcs(svg, below, x, second + 10, -1, down);
  if (asked >= 0) svg.dataset.at = x(ofGold[asked]);
  return svg;
}

// A long sentence is folded around the requested word, or around the errors: words far from them, their heads and their
// dependents are hidden.

const FOLDED_FROM = 18, NEAR = 3;

const gapText = (n) => `⋯ ${n} words`;

function keptWords(sentence, asked) {
  const n = sentence.f.length, kept = new Set();
  if (n < FOLDED_FROM) return null;
  const keep = (word, around) => { for (let i = Math.max(0, word - around); i <= Math.min(n - 1, word + around); i++) kept.add(i); };
  const wrong = new Set(asked >= 0 ? [asked] : []);
  const trees = sentence.s.map((tree) => ({ heads: headsOf(sentence, tree), tree }));
  if (asked < 0) for (const { tree } of trees) [...tree.e].forEach((letter, i) => { const at = tree.a ? tree.a[i] : i; if (letter !== "o" && at >= 0) wrong.add(at); });
  for (const word of wrong) {
    keep(word, asked >= 0 ? NEAR : 1);
    if (sentence.h[word] > 0) keep(sentence.h[word] - 1, 1);
    for (const { heads } of trees) if (heads[word] >= 0) keep(heads[word], 1);
    if (asked >= 0) for (let i = 0; i < n; i++) if (sentence.h[i] - 1 === word || trees.some(({ heads }) => heads[i] === word)) keep(i, 0);
  }
  for (let i = 1; i < n - 1; i++) if (!kept.has(i) && kept.has(i - 1) && kept.has(i + 1)) kept.add(i);
  return kept.size === 0 || kept.size > n - 4 ? null : kept;
}

// For each gold word, the gold word aligned with its head in the system's tree; -1 if there is none.

function headsOf(sentence, tree) {
  const aligned = tree.a || sentence.f.map((_, i) => i), heads = sentence.f.map(() => -1);
  tree.h.forEach((head, i) => { if (aligned[i] >= 0) heads[aligned[i]] = head > 0 ? aligned[head - 1] : -1; });
  return heads;
}

function folded(columns, kept) {
  const shown = [], placeOf = [];
  columns.forEach((column, i) => {
    const near = column.gold === undefined ? columns[i - 1]?.gold ?? columns[i + 1]?.gold : column.gold;
    if (!kept || near === undefined || kept.has(near)) shown.push(column);
    else if (shown.at(-1)?.gap) shown.at(-1).gap += column.gold === undefined ? 0 : 1;
    else shown.push({ gap: 1 });
    placeOf[i] = shown.length - 1;
  });
  return [shown, placeOf];
}

function saidOf(sentence, tree, asked) {
  const aligned = tree.a || sentence.f.map((_, i) => i), at = aligned.indexOf(asked);
  const said = (name, relation, head, form) => {
    const part = make("span", {}, `${name}: `);
    if (relation === undefined) return part.append("no such word"), part;
    part.append(make("b", {}, relation), head > 0 ? " of " : head === 0 ? "" : " of a word outside the sentence", head > 0 ? make("bdi", {}, form) : "");
    return part;
  };
  const head = sentence.h[asked], other = at < 0 ? undefined : tree.h[at], forms = tree.f || sentence.f;
  return [said((sentence.k || SIDES)[0], sentence.d[asked], head, sentence.f[head - 1]), said(tree.n, at < 0 ? undefined : tree.d[at], other, forms[other - 1])];
}

let nSaid = 0;

function figureOf(sentence, asked = -1) {
  const figure = make("figure"), caption = make("figcaption"), kept = keptWords(sentence, asked), boxes = [];
  caption.append(make("bdi", { dir: sentence.r ? "rtl" : "auto" }, sentence.t), " ", make("small", {}, sentence.i));
  figure.append(caption);
  let folds = Boolean(kept), described = "";
  const draw = () => boxes.forEach(([box, tree]) => {
    const svg = drawTree(sentence, tree, asked, folds ? kept : null);
    if (described) svg.setAttribute("aria-describedby", described);
    box.replaceChildren(svg);
  });
  if (asked >= 0) {
    described = `said-${++nSaid}`;
    const line = make("p", { class: "said", id: described });
    line.append(make("mark", {}, sentence.f[asked]), ...sentence.s.flatMap((tree, i) => saidOf(sentence, tree, asked).slice(i ? 1 : 0)));
    figure.append(line);
  }
  for (const tree of sentence.s) {
    const box = make("div", { class: "tree", tabindex: "0", role: "group", "aria-label": `Trees, ${(sentence.k || SIDES)[0]} and ${tree.n}` });
    if (sentence.s.length > 1) {
      const right = [...tree.e].filter((letter) => letter === "o").length, how = sentence.k ? "identical" : "correct";
      const name = make("p", { class: "system" }), of = make("span", {}, ` ${right} of ${sentence.f.length} words ${how}`);
      name.append(make("b", {}, tree.n), of);
      figure.append(name);
    }
    boxes.push([box, tree]);
    figure.append(box);
  }
  draw();
  if (kept) {
    const button = make("button", { type: "button", class: "fold", "aria-expanded": "false" }, `Show all ${sentence.f.length} words`);
    const turn = () => {
      folds = !folds;
      button.textContent = folds ? `Show all ${sentence.f.length} words` : "Show fewer words";
      button.setAttribute("aria-expanded", String(!folds));
      draw();
      settle(figure);
    };
    button.addEventListener("click", turn);
    figure.addEventListener("click", (event) => { if (event.target.closest(".gap")) turn(); });
    figure.append(button);
  }
  requestAnimationFrame(() => settle(figure));
  return figure;
}

// Scroll to the requested word; without one, to the beginning of the sentence (at the right in right-to-left text).

function settle(inside) {
  for (const box of all(".tree", inside)) {
    const svg = box.firstElementChild, at = svg?.dataset.at;
    if (at !== undefined) box.scrollLeft = at - box.clientWidth / 2;
    else if (inside.querySelector("bdi[dir=rtl]")) box.scrollLeft = box.scrollWidth;
  }
}

function legend(sentence) {
  const [upper, lower] = (sentence && sentence.k) || SIDES;
  const line = make("p", { class: "legend" }, `${capital(upper)} above the words, ${lower} below. Gray: they agree. `);
  line.append(make("b", { class: "g" }, `${capital(upper)} only`), ", ", make("b", { class: "w" }, `${lower} only`), ", ", make("b", { class: "t" }, "words segmented differently"), ". Dashed: no head in this sentence. Dotted: arc to a hidden word.");
  return line;
}

function drawSentences(block) {
  const own = data[block.dataset.sentences], box = block.querySelector(".trees");
  if (!own || !box || box.childElementCount) return;
  if (!block.closest("section").querySelector("p.legend")) box.append(legend(own.sentences[0]));
  box.append(...own.sentences.map((sentence) => figureOf(sentence, sentence.m)));
}

onShow.push(drawSentences);
