// The line between the program and the graph: it is dragged, or moved by the arrow keys.

import { by } from "./dom.js";

const least = 240; // px
const step = 24; // px, by key

/** split lets the reader choose the width of the program's column. */
export function split(handle) {
  const main = by("main");
  const most = () => Math.max(least, main.clientWidth * 0.7);
  const width = () => by("panel-program").getBoundingClientRect().width;
  const set = (px) => {
    const to = Math.round(Math.min(most(), Math.max(least, px)));
    main.style.setProperty("--column", `${to}px`);
    tell();
  };
  const tell = () => {
    handle.setAttribute("aria-valuemin", String(least));
    handle.setAttribute("aria-valuemax", String(Math.round(most())));
    handle.setAttribute("aria-valuenow", String(Math.round(width())));
  };
  handle.addEventListener("pointerdown", (e) => {
    e.preventDefault();
    handle.setPointerCapture(e.pointerId);
  });
  handle.addEventListener("pointermove", (e) => handle.hasPointerCapture(e.pointerId) && set(e.clientX - main.getBoundingClientRect().left));
  handle.addEventListener("dblclick", () => {
    main.style.removeProperty("--column");
    tell();
  });
  handle.addEventListener("keydown", (e) => {
    const by = { ArrowLeft: -step, ArrowRight: step }[e.key];
    if (!by) return;
    e.preventDefault();
    set(width() + by);
  });
  new ResizeObserver(tell).observe(main);
}
