// Matrices and vectors as heat maps.

import { el, shape } from "./dom.js";

const side = 16; // px of a square
const widest = 240; // px of a map

/** heat draws rows of numbers: blue above zero, red below, the stronger the larger. A text is no finite number. */
export function heat(name, rows) {
  const columns = Math.max(...rows.map((row) => row.length));
  const most = Math.max(0, ...rows.flat().filter(Number.isFinite).map((v) => Math.abs(v))) || 1;
  const size = Math.min(side, widest / columns);
  const label = `${name}: ${rows.length} by ${columns} numbers, at most ${most.toPrecision(3)} in magnitude`;
  const squares = rows.flatMap((row, i) => row.map((v, j) => shape("rect", {
    x: j * size, y: i * size, width: size, height: size, class: !Number.isFinite(v) ? "none" : v < 0 ? "below" : "above",
    "fill-opacity": !Number.isFinite(v) ? 1 : (Math.abs(v) / most).toFixed(3),
  }, shape("title", {}, `${name}${rows.length > 1 ? `.(${i})` : ""}.(${j}) = ${Number.isFinite(v) ? v : "not finite"}`))));
  const map = shape("svg", { class: "heat", role: "img", "aria-label": label, width: columns * size, height: rows.length * size }, ...squares);
  return el("div", { class: "heat-map" }, map, el("span", { class: "hint" }, `±${most.toPrecision(3)}`));
}
