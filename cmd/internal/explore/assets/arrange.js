// Places for the objects of a window with groups: layers from left to right.

const gaps = { layer: 48, node: 22 }; // px
const letter = 7.3; // px
const sweeps = 8;

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
  for (const node of nodes.toReversed()) { // what more objects read than it reads itself is just before them
    if (node.after.length && node.after.length >= node.before.length) node.layer = Math.min(...node.after.map(({ layer }) => layer)) - 1;
  }
  const layers = [];
  for (const node of nodes) (layers[node.layer] ??= []).push(node);
  const filled = layers.filter(Boolean);
  for (const layer of filled) { // close together at first
    layer.sort((a, b) => a.at - b.at).forEach((node, i) => { node.at = i - layer.length / 2; });
    stack(layer);
  }
  for (let i = 0; i < sweeps; i++) { // forward, backward, and so on; from the third on both sides matter
    for (const layer of i % 2 ? filled.toReversed() : filled) {
      for (const node of layer) node.at = middle([...(i === 1 ? [] : node.before), ...(i === 0 ? [] : node.after)], node.at);
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
  const placed = nodes.map(({ before, after, layer, at, offset, ...node }) => node);
  return { ...win, nodes: placed, bends: [] };
}

/** join notes that a value goes between two objects, if that is from left to right. */
function join(from, to, back) {
  const [a, b] = back ? [to, from] : [from, to];
  if (!a || !b || a.x >= b.x || b.before.includes(a)) return;
  b.before.push(a);
  a.after.push(b);
}

/** middle is the median of where objects are: the line to one of them is straight. Without any it is at. */
function middle(beside, at) {
  if (!beside.length) return at;
  const places = beside.map((node) => node.at).sort((a, b) => a - b);
  const half = places.length >> 1;
  return places.length % 2 ? places[half] : (places[half - 1] + places[half]) / 2;
}

/** stack puts the objects of a layer below each other, near to where they should be: those that would overlap touch. */
function stack(layer) {
  layer.sort((a, b) => a.at - b.at);
  const blocks = []; // of objects that touch: the mean of where each would have the first one
  layer.forEach((node, i) => {
    node.offset = i ? layer[i - 1].offset + (layer[i - 1].h + node.h) / 2 + gaps.node : 0;
    let block = { sum: node.at - node.offset, n: 1 };
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).n > block.sum / block.n) {
      const { sum, n } = blocks.pop();
      block = { sum: block.sum + sum, n: block.n + n };
    }
    blocks.push(block);
  });
  let i = 0;
  for (const { sum, n } of blocks) {
    for (const end = i + n; i < end; i++) layer[i].at = sum / n + layer[i].offset;
  }
}

/** size is that of the box of a group: of its longest text. */
function size({ versions }) {
  const letters = Math.max(...versions.flatMap(({ label, value }) => [[...label].length, [...value].length + 2]));
  return { w: Math.min(Math.max(44, Math.ceil(18 + letter * letters)), 190), h: 44 };
}
