// Terms: the definition of a term is shown below it, until Escape is pressed or something else is clicked.

for (const one of all("[popover]")) {
  one.addEventListener("toggle", (event) => {
    if (event.newState !== "open") return;
    const term = all(`[popovertarget="${one.id}"]`).find((other) => other === document.activeElement || other.matches(":hover")) || document.querySelector(`[popovertarget="${one.id}"]`);
    const place = term.getBoundingClientRect(), below = place.bottom + 6, width = one.offsetWidth;
    one.style.inset = "auto";
    one.style.margin = "0";
    one.style.left = `${Math.max(16, Math.min(place.left, innerWidth - width - 16))}px`;
    one.style.top = `${below + one.offsetHeight > innerHeight ? Math.max(8, place.top - one.offsetHeight - 6) : below}px`;
  });
}
