// Places for the objects of a recorded window whose groups the reader has opened or closed: layers from left to right.

const gaps = { layer: 48, node: 22 }; // px
const letter = 7.3; // px
const sweeps = 4;

/**
 * arrange places the objects of a window. They have the places that they, or the objects of a group on the average, have in
 * the picture of all objects: what is left there refers to nothing that is right of it.
 */
export function arrange(win) {
  const nodes = win.nodes.map((node) => ({ ...node, ...(node.group ? size(node) : {}), before: [], after: [], layer: 0, at: node.y }));
  nodes.sort((a, b) => a.x - b.x);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) {
    const edges = node.group ? node.versions.flatMap((version) => version.edges) : node.versions[0]?.edges ?? [];
    for (const { to, as } of edges) join(byId.get(to), node, ["waits", "binds", "arrived"].includes(as));
  }
  for (const node of nodes) node.layer = 1 + Math.max(-1, ...node.before.map(({ layer }) => layer));
  for (const node of nodes.toReversed()) {
    if (node.after.length) node.layer = Math.min(...node.after.map(({ layer }) => layer)) - 1;
  }
  const layers = [];
  for (const node of nodes) (layers[node.layer] ??= []).push(node);
  const filled = layers.filter(Boolean);
  for (const layer of filled) { // close together at first
    layer.sort((a, b) => a.at - b.at).forEach((node, i) => { node.at = i - layer.length / 2; });
    stack(layer);
  }
  for (let i = 0; i < sweeps; i++) {
    for (const layer of i % 2 ? filled.toReversed() : filled) {
      for (const node of layer) {
        const beside = i % 2 ? node.after : node.before;
        if (beside.length) node.at = beside.reduce((sum, { at }) => sum + at, 0) / beside.length;
      }
      stack(layer);
    }
  }
  const top = Math.min(0, ...nodes.map(({ at, h }) => at - h / 2));
  let left = 0;
  for (const layer of filled) {
    const width = Math.max(...layer.map(({ w }) => w));
    for (const node of layer) Object.assign(node, { x: left + width / 2, y: node.at - top });
    left += width + gaps.layer;
  }
  const placed = nodes.map(({ before, after, layer, at, ...node }) => node);
  return { ...win, nodes: placed, bends: [] };
}

/** join notes that a value goes between two objects, if that is from left to right. */
function join(from, to, back) {
  const [a, b] = back ? [to, from] : [from, to];
  if (!a || !b || a.x >= b.x || b.before.includes(a)) return;
  b.before.push(a);
  a.after.push(b);
}

/** stack puts the objects of a layer below each other, near to where they should be. */
function stack(layer) {
  layer.sort((a, b) => a.at - b.at);
  const wanted = layer.map(({ at }) => at);
  let low = -Infinity;
  for (const node of layer) {
    node.at = Math.max(node.at, low + node.h / 2);
    low = node.at + node.h / 2 + gaps.node;
  }
  const shift = layer.reduce((sum, { at }, i) => sum + at - wanted[i], 0) / layer.length;
  for (const node of layer) node.at -= shift;
}

/** size is that of the box of a group: of its longest text. */
function size({ versions }) {
  const letters = Math.max(...versions.flatMap(({ label, value }) => [[...label].length, [...value].length + 2]));
  return { w: Math.min(Math.max(44, Math.ceil(18 + letter * letters)), 190), h: 44 };
}
