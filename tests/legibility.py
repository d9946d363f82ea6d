"""What is hard to read on a page in a browser: too little contrast (WCAG 2.1, 1.4.3 and 1.4.11), too wide, too loud."""

from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page

from conftest import one_in

LOOKS = one_in(
    2, [(1400, "light", "screen"), (1400, "dark", "screen"), (400, "dark", "screen"), (400, "light", "screen"),
        (718, "dark", "print")]
)  # fmt: skip
"""Widths in pixels, the color scheme of the reader and the medium; A4 with its margins has 718 pixels."""

FAINT = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true }), known = new Map();
  const parse = (paint) => {  // red, green, blue from 0 to 255, and alpha
    if (!known.has(paint)) {
      pen.clearRect(0, 0, 1, 1); pen.fillStyle = paint; pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      known.set(paint, [r, g, b, a / 255]);
    }
    return known.get(paint);
  };
  const over = ([r, g, b, a], under, opacity = 1) => {
    const share = a * opacity;
    return [r, g, b].map((part, i) => share * part + (1 - share) * under[i]);
  };
  const light = (color) => {
    const [r, g, b] = color.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => (Math.max(light(one), light(other)) + 0.05) / (Math.min(light(one), light(other)) + 0.05);
  const opacities = new Map([[null, 1]]), papers = new Map([[null, [255, 255, 255]]]);
  const opacity = (node) => {
    if (!opacities.has(node)) opacities.set(node, opacity(node.parentElement) * Number(getComputedStyle(node).opacity));
    return opacities.get(node);
  };
  const behind = (node) => {
    if (!papers.has(node)) papers.set(node, over(parse(getComputedStyle(node).backgroundColor), behind(node.parentElement)));
    return papers.get(node);
  };
  const inside = (box, x, y) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
  const drawnBehind = (node, paper) => {  // shapes that were drawn before text, where its middle is
    const box = node.getBoundingClientRect(), x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
    let under = paper;
    for (const shape of node.ownerSVGElement.querySelectorAll("rect, path, circle")) {
      if (!(shape.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      const style = getComputedStyle(shape);
      if (style.fill !== "none" && inside(shape.getBoundingClientRect(), x, y)) under = over(parse(style.fill), under, opacity(shape));
    }
    return under;
  };
  const faint = [], visible = { checkVisibilityCSS: true, visibilityProperty: true };
  const say = (node, ratio, least) => {
    const name = `${node.tagName}.${node.getAttribute("class") || ""}`, text = (node.textContent || "").trim().slice(0, 30);
    if (ratio < least - 0.005) faint.push(`${name} ${ratio.toFixed(2)} ${text}`);
  };
  for (const node of document.body.querySelectorAll("*")) {
    const own = [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    if (!own || !node.checkVisibility(visible) || ["SCRIPT", "STYLE", "TITLE", "OPTION"].includes(node.tagName)) continue;
    const box = node.getBoundingClientRect(), style = getComputedStyle(node), size = parseFloat(style.fontSize);
    if (box.width <= 1 || box.height <= 1 || node.closest("[aria-disabled=true]")) continue;
    const svg = node.ownerSVGElement, paper = behind(svg || node), under = svg ? drawnBehind(node, paper) : paper;
    const color = over(parse(svg ? style.fill : style.color), under, opacity(node));
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    say(node, contrast(color, under), large ? 3 : 4.5);
  }
  for (const node of document.querySelectorAll("input[placeholder]")) {
    if (node.checkVisibility(visible)) say(node, contrast(parse(getComputedStyle(node, "::placeholder").color).slice(0, 3), behind(node)), 4.5);
  }
  // Marks that carry a value: of bars, points and lines of intervals; bands and grids only help to read them.
  const marks = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `svg .s${i}:is(path, circle, rect):not(.soft, .interval)`);
  for (const node of document.querySelectorAll([...marks, "svg .whisker"].join(", "))) {
    if (!node.checkVisibility(visible) || node.classList.contains("l0")) continue;
    const style = getComputedStyle(node), paper = behind(node.closest("svg"));
    if (node.classList.contains("whisker")) say(node, contrast(over(parse(style.stroke), paper, opacity(node)), paper), 3);
    else say(node, contrast(over(parse(style.fill), paper, opacity(node)), paper), 3);
  }
  return [...new Set(faint)];
}"""
"""Texts and marks with too little contrast; 4.5 to 1 for text, 3 to 1 for large text and marks of charts."""

WIDE = """() => {
  const excess = document.documentElement.scrollWidth - innerWidth;
  if (excess <= 0) return [];
  const names = [...document.body.querySelectorAll("*")].filter((node) => node.getBoundingClientRect().right > innerWidth + 1);
  return [`${excess} px too wide: ${names.slice(-3).map((node) => `${node.tagName}.${node.className}`).join(", ")}`];
}"""
"""What makes the whole page scroll sideways."""


def found_on(page: Page) -> Iterator[str]:
    """Give what is hard to read on an open page in any size and look."""
    for width, scheme, media in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme, media=media)
        found = (*page.evaluate(FAINT), *page.evaluate(WIDE))
        yield from (f"{width} px, {media}, {scheme}: {one}" for one in found)


class Quiet:
    """A page of a file that may say nothing and load nothing but itself."""

    def __init__(self, browser: Browser, path: Path) -> None:
        self.page, self.said = browser.new_page(), []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        own = ("data:", path.as_uri())
        self.page.on("request", lambda request: None if request.url.startswith(own) else self.said.append(request.url))
        self.page.goto(path.as_uri())

    def close(self) -> list[str]:
        """Close the page; give what it said and loaded."""
        self.page.close()
        return self.said
