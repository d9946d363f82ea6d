// Trees: gold's arcs above the words, the system's below; grey where they agree.

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

function arcsOf(heads, labels, places, kinds) {
  return heads.map((head, i) => {
    const own = places[i], other = head > 0 ? places[head - 1] : own;
    return { own, other, from: Math.min(own, other), to: Math.max(own, other), label: labels[i], kind: kinds[i], head };
  });
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

function drawTree(sentence, tree, asked) {
  const columns = columnsOf(sentence, tree), forms = tree.f || sentence.f, twoRows = Boolean(tree.f);
  const ofGold = [], ofSystem = [], missed = sentence.f.map(() => "gold");
  columns.forEach(({ gold, system }, i) => {
    if (gold !== undefined) ofGold[gold] = i;
    if (system !== undefined) ofSystem[system] = i;
    const paired = gold !== undefined && system !== undefined && !columns[i].apart;
    if (paired && "ol".includes(tree.e[system])) missed[gold] = tree.e[system] === "o" ? "" : "gold";
  });
  let end = twoRows ? 52 : 4;
  const middles = columns.map(({ gold, system }) => {
    const words = [gold === undefined ? "" : sentence.f[gold], system === undefined ? "" : forms[system]];
    const labels = [gold === undefined ? "" : sentence.d[gold], system === undefined ? "" : tree.d[system]];
    const width = Math.max(...words.map((word) => widthOf(word, 15)), ...labels.map((label) => widthOf(label, 11) + 6), 22) + 18;
    end += width;
    return end - width / 2;
  });
  const x = (column) => (sentence.r ? end - middles[column] + (twoRows ? 52 : 4) : middles[column]);
  const above = arcsOf(sentence.h, sentence.d, ofGold, missed);
  const below = arcsOf(tree.h, tree.d, ofSystem, [...tree.e].map((letter) => KINDS[letter]));
  const [up, down] = [above, below].map((arcs) => FIRST + STEP * (1 + levels(arcs.filter((arc) => arc.head > 0))));
  const first = up + 26, second = twoRows ? first + 30 : first, height = second + down + 24;
  const svg = make("svg:svg", { width: Math.ceil(end + 8), height, role: "img", "aria-label": `Trees of: ${sentence.t}. ${capital((sentence.k || SIDES)[0])} above, ${tree.n} below.` });
  const place = (column, form, y, marked) => {
    const width = widthOf(form, 15) + 10, box = { x: x(column) - width / 2, y: y - 17, width, height: 23, rx: 4 };
    if (marked) svg.append(make("svg:rect", { ...box, class: "asked" }));
    if (columns[column].apart) svg.append(make("svg:rect", { ...box, class: "token" }));
    svg.append(make("svg:text", { x: x(column), y }, form));
  };
  ofGold.forEach((column, word) => place(column, sentence.f[word], first, word === asked));
  if (twoRows) {
    ofSystem.forEach((column, word) => place(column, forms[word], second, tree.a[word] === asked && asked >= 0));
    const [upper, lower] = sentence.k || SIDES;
    svg.append(make("svg:text", { class: "row", x: 0, y: first }, upper), make("svg:text", { class: "row", x: 0, y: second }, lower));
  }
  drawArcs(svg, above, x, first - 20, 1, up);
  drawArcs(svg, below, x, second + 10, -1, down);
  return svg;
}

function figureOf(sentence, asked = -1) {
  const figure = make("figure"), caption = make("figcaption");
  const text = make("bdi", { dir: sentence.r ? "rtl" : "auto" }, sentence.t);
  caption.append(text, " ", make("small", {}, sentence.i));
  figure.append(caption);
  for (const tree of sentence.s) {
    const box = make("div", { class: "tree", tabindex: "0" });
    if (sentence.s.length > 1) figure.append(make("p", { class: "legend" }, tree.n));
    box.append(drawTree(sentence, tree, asked));
    figure.append(box);
    if (sentence.r) requestAnimationFrame(() => { box.scrollLeft = box.scrollWidth; });
  }
  return figure;
}

function legend(sentence) {
  const [upper, lower] = (sentence && sentence.k) || SIDES;
  const line = make("p", { class: "legend" }, `${capital(upper)} above the words, ${lower} below. Grey: they agree. `);
  line.append(make("b", { class: "g" }, `${capital(upper)} only`), ", ", make("b", { class: "w" }, `${lower} only`), ", ", make("b", { class: "t" }, "words cut differently"), ". Dashed: no head in this sentence.");
  return line;
}

function drawSentences(block) {
  const own = data[block.dataset.sentences], box = block.querySelector(".trees");
  if (own && box && !box.childElementCount) box.append(legend(own.sentences[0]), ...own.sentences.map((sentence) => figureOf(sentence)));
}

onShow.push(drawSentences);
