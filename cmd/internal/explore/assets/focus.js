// Which part of a state the reader is to see: what the step is about, with what is around it.

import { box } from "./shapes.js";
import { nodeNear } from "./state.js";

const looked = 60; // objects that are tried to be seen too, the nearest ones

/** around returns what surrounds nodes, null if there are none. */
export function around(nodes) {
  return nodes.length ? box(nodes.flatMap((n) => [[n.x - n.w / 2, n.y - n.h / 2], [n.x + n.w / 2, n.y + n.h / 2]])) : null;
}

const fits = (b, room) => b.x2 - b.x1 <= room.width && b.y2 - b.y1 <= room.height;

/**
 * subject returns what surrounds what a step is about: its redex, arrivals and operands, as far as they fit into a
 * room; null if nothing exists.
 */
export function subject({ win, k, objects, arrivals }, step, room) {
  const redex = [step?.node ?? -1];
  const sent = arrivals.flatMap((a) => [a.from, a.to]);
  const operands = step?.operands ?? [];
  const latest = operands.slice().sort((a, b) => b - a);
  const exists = (id) => objects.has(id);
  const groups = [[...redex, ...sent, ...operands], [...redex, ...sent], redex, ...latest.map((id) => [id]), [nodeNear(win, k, exists)]];
  const boxes = groups.map((ids) => around(ids.filter(exists).map((id) => objects.get(id).node))).filter(Boolean);
  const first = objects.values().next().value;
  return boxes.find((b) => fits(b, room)) ?? boxes[0] ?? (first ? around([first.node]) : null);
}

/** wider returns a box with as many of the objects nearest to it as fit into a room. */
export function wider(core, objects, room) {
  const x = (core.x1 + core.x2) / 2;
  const y = (core.y1 + core.y2) / 2;
  const far = ({ node }) => Math.hypot(node.x - x, node.y - y);
  const nearest = [...objects.values()].map((object) => [far(object), object.node]).sort(([a], [b]) => a - b).slice(0, looked);
  let out = core;
  for (const [, node] of nearest) {
    const own = around([node]);
    const both = box([[out.x1, out.y1], [out.x2, out.y2], [own.x1, own.y1], [own.x2, own.y2]]);
    if (fits(both, room)) out = both;
  }
  return out;
}
