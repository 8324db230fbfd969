// The map: all objects of a state in small, and the part of the graph that is seen.

import { around } from "./focus.js";

/** drawMap draws the objects of a graph's state into a canvas, and a frame around what is seen. */
export function drawMap(canvas, { win, objects, view, step }) {
  if (!canvas.clientWidth) return;
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) Object.assign(canvas, { width: width * ratio, height: height * ratio });
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const all = around(win.nodes);
  if (!all) return;
  const { scale, left, top } = fitted(all, width, height);
  const style = getComputedStyle(canvas);
  const colours = { primal: style.caretColor, dual: style.outlineColor }; // see graph.css
  for (const { node, version } of objects.values()) {
    pen.fillStyle = node.id === step?.node ? style.textDecorationColor : colours[version.role];
    pen.fillRect(left + (node.x - node.w / 2) * scale, top + (node.y - node.h / 2) * scale, Math.max(1.5, node.w * scale), Math.max(1.5, node.h * scale));
  }
  const seen = view.seen(0);
  pen.strokeStyle = style.color;
  pen.strokeRect(left + seen.x1 * scale, top + seen.y1 * scale, (seen.x2 - seen.x1) * scale, (seen.y2 - seen.y1) * scale);
}

/** fitted is how a box lies in the canvas. */
function fitted(all, width, height) {
  const scale = Math.min(width / Math.max(1, all.x2 - all.x1), height / Math.max(1, all.y2 - all.y1));
  return { scale, left: (width - (all.x1 + all.x2) * scale) / 2, top: (height - (all.y1 + all.y2) * scale) / 2 };
}

/** placeAt returns the point of the graph that a point of the canvas stands for. */
export function placeAt(canvas, win, e) {
  const all = around(win.nodes);
  if (!all) return null;
  const { scale, left, top } = fitted(all, canvas.clientWidth, canvas.clientHeight);
  const frame = canvas.getBoundingClientRect();
  const x = (e.clientX - frame.left - left) / scale;
  const y = (e.clientY - frame.top - top) / scale;
  return { x1: x, x2: x, y1: y, y2: y };
}
