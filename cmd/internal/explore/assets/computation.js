// What happens when in a graph of operations, what belongs together in it, and where it is drawn: pure functions.

const size = { w: 96, h: 60 };
const wide = 112; // of a box that stands for many nodes
const gap = { across: 56, down: 14, frame: 30 };

/** events returns the nodes with the steps at which each value is there, each dual fires, and each derivative has come. */
export function events({ nodes, output, events: all }, steps, backward) {
  const out = nodes.map((node, i) => ({ ...node, id: i, of: node.of ?? [], number: node.value, slope: node.derivative, valueAt: 0, firesAt: null, derivedAt: Infinity, merges: [], reached: false, uses: [] }));
  const live = [out[output]];
  while (live.length) {
    const node = live.pop();
    if (node.reached || node.kind === "numeral") continue;
    node.reached = true;
    live.push(...node.of.map((i) => out[i]));
  }
  const place = ({ line, column }) => `${line}:${column}`;
  const at = new Map();
  for (const node of out) if (node.kind === "operation") at.set(place(node), [...(at.get(place(node)) ?? []), node]);
  const of = (as, key) => all.filter((e) => e.as === as && place(e) === key).map(({ step }) => step);
  for (const [key, list] of at) {
    const values = all.filter((e) => e.as === "value" && place(e) === key);
    for (const known of [true, false]) { // steps of the same value, and then those whose value is not known, in their order
      for (const node of list) {
        const i = node.valueAt ? -1 : values.findIndex(({ value }) => (known ? value === node.number : !value));
        if (i >= 0) node.valueAt = values.splice(i, 1)[0].step;
      }
    }
    const fires = of("fires", key);
    const duals = list.filter(({ reached }) => reached).sort((a, b) => b.valueAt - a.valueAt);
    duals.forEach((node, i) => { node.firesAt = fires[i] ?? fires.at(-1) ?? null; });
  }
  for (const node of out) node.valueAt ||= Math.max(0, ...node.of.map((i) => out[i].valueAt));
  const order = out.filter(({ kind, reached }) => kind === "operation" && reached).sort((a, b) => (a.firesAt ?? steps) - (b.firesAt ?? steps));
  const factors = all.filter(({ as }) => as === "factor").map(({ step }) => step);
  order.forEach((node, i) => {
    node.firesAt ??= steps;
    const end = (order[i + 1]?.firesAt ?? steps + 1) - 1;
    for (const id of node.of) {
      const to = out[id];
      if (to.kind === "numeral") continue;
      if (to.uses.length && factors.length && factors[0] <= Math.max(end, node.firesAt)) to.merges.push(factors.shift());
      to.uses.push({ from: node, at: node.firesAt });
      to.derivedAt = Math.min(Math.max(end, node.firesAt), steps);
    }
  });
  if (backward) out[output].derivedAt = backward;
  for (const node of out) {
    if (node.firesAt !== null) node.derivedAt = Math.min(node.derivedAt, node.firesAt);
    node.turns = [node.valueAt, node.firesAt, ...node.merges].filter(Boolean);
  }
  return { nodes: out, output };
}

/** groups returns what belongs together: what one use of a def or of a line has made, as a time step. A group of a def or of a line that is used
 * once is whole. */
function groups(nodes, lets) {
  const out = [];
  const lines = new Map();
  for (const node of nodes) {
    if (node.kind !== "operation" || !node.line) continue;
    const key = node.def ? `def ${node.def}` : `line ${node.line}`;
    lines.set(key, [...(lines.get(key) ?? []), node]);
  }
  for (const [key, list] of lines) {
    const counts = new Map();
    for (const { line, column } of list) counts.set(`${line}:${column}`, (counts.get(`${line}:${column}`) ?? 0) + 1);
    const times = Math.min(...counts.values());
    if (times < 2 || list.length < 2 * times) {
      if (list.length > 1) out.push({ name: list[0].def || lets.get(list[0].line) || key, members: list, whole: true });
      continue;
    }
    const rare = list.filter(({ line, column }) => counts.get(`${line}:${column}`) === times);
    const { line, column } = rare.reduce((a, b) => (b.valueAt > a.valueAt ? b : a)); // the last operation of each use
    const ends = rare.filter((node) => node.line === line && node.column === column).sort((a, b) => a.valueAt - b.valueAt);
    const taken = new Set(ends.map(({ id }) => id));
    const parts = ends.map((end) => { // what goes into it
      const members = [end];
      for (let i = 0; i < members.length; i++) {
        for (const id of members[i].of) {
          if (taken.has(id) || !list.includes(nodes[id])) continue;
          taken.add(id);
          members.push(nodes[id]);
        }
      }
      return members.sort((a, b) => a.id - b.id);
    });
    const part = new Map(parts.flatMap((members, i) => members.map((node) => [node.id, i])));
    const chained = parts.every((members, i) => i === 0 || members.some((node) => node.of.some((id) => part.get(id) === i - 1)));
    const name = key.startsWith("def ") ? key.slice(4) : chained ? "time step" : "element";
    parts.forEach((members, i) => out.push({ name: `${name} ${i + 1}`, members }));
  }
  return out;
}

/** names returns what lets name, by their lines. */
function names(source) {
  const lines = source.split("\n").map((text, i) => [i + 1, /\blet ([\w']+)[^=]*=/.exec(text)?.[1]]);
  return new Map(lines.filter(([, name]) => name));
}

/** convex tells whether no way leads out of a part and back into it. */
function convex({ members }, nodes) {
  const own = new Set(members.map(({ id }) => id));
  const seen = new Set(own);
  const live = members.flatMap(({ of }) => of);
  while (live.length) {
    const id = live.pop();
    if (seen.has(id)) continue;
    seen.add(id);
    if (nodes[id].of.some((to) => own.has(to))) return false;
    live.push(...nodes[id].of);
  }
  return true;
}

/** folded returns the nodes with one in place of all members of a part. Parts stay as they are where that would lead in a circle. */
function folded(nodes, parts) {
  const place = new Map();
  for (const part of parts) for (const { id } of part.members) place.set(id, part);
  const stands = new Map(); // part, or id → node
  for (const node of nodes) {
    const part = place.get(node.id);
    if (!part) stands.set(node.id, { ...node });
    else if (!stands.has(part)) stands.set(part, box(part));
    if (part) stands.set(node.id, stands.get(part));
  }
  const all = [...new Set(stands.values())];
  const operands = new Map(all.map((node) => [node, node.members
    ? [...new Set(node.members.flatMap(({ of }) => of.map((id) => stands.get(id))))].filter((one) => one !== node)
    : node.of.map((id) => stands.get(id))]));
  const order = [];
  const ready = new Set();
  for (let found = true; found;) {
    const next = all.filter((node) => !ready.has(node) && operands.get(node).every((one) => ready.has(one)));
    for (const node of next) ready.add(node);
    order.push(...next);
    found = next.length > 0;
  }
  const left = parts.filter((part) => !ready.has(stands.get(part)));
  if (left.length) return folded(nodes, parts.filter((part) => !left.includes(part)));
  order.forEach((node, i) => { node.id = i; });
  for (const node of order) node.of = operands.get(node).map(({ id }) => id);
  return { nodes: order, ids: stands };
}

/** box is the node of a part: it has its value, and its derivative, when all members have theirs. */
function box({ name, members }) {
  const last = (of) => Math.max(...members.filter(({ reached }) => reached).map(of));
  const outside = members.filter(({ uses }) => uses.some(({ from }) => !members.includes(from)));
  return {
    kind: members[0].kind === "input" ? "input" : "part", name, members, reached: members.some(({ reached }) => reached),
    valueAt: Math.max(...members.map(({ valueAt }) => valueAt)), firesAt: last(({ firesAt }) => firesAt ?? 0) || null,
    derivedAt: last(({ derivedAt }) => derivedAt), merges: outside.flatMap(({ merges }) => merges),
    turns: members.flatMap(({ turns }) => turns).sort((a, b) => a - b),
  };
}

/** laid places the nodes: inputs are left, an operation is right of its operands, and parts that are not one after the other are below each other.
 * With open, a set of names, one box stands for each part that is not open, and for the components of an input. */
export function laid(graph, source, open) {
  const lets = names(source);
  const inputs = new Map();
  for (const node of open ? graph.nodes : []) {
    const name = node.kind === "input" && node.name.split(".")[0];
    if (name) inputs.set(name, [...(inputs.get(name) ?? []), node]);
  }
  const every = [...groups(graph.nodes, lets).filter(({ whole }) => open || !whole), ...[...inputs].map(([name, members]) => ({ name, members }))];
  const closed = every.filter((part) => open && !open.has(part.name) && part.members.length > 1 && convex(part, graph.nodes));
  const { nodes, ids } = folded(graph.nodes, closed);
  const parts = every.map(({ name, members }) => ({ name, members: members.map(({ id }) => ids.get(id)) })).filter(({ members }) => !members[0].members);
  const layers = [];
  for (const { name, members } of parts) {
    const seen = new Map();
    for (const node of members) {
      const key = `${node.line}:${node.column}`;
      seen.set(key, [...(seen.get(key) ?? []), node]);
      node.part = name;
    }
    for (const same of seen.values()) {
      if (same.length < 2 || !/^[a-z]/.test(same[0].symbol)) continue;
      same.forEach((node, i) => { node.unit = i + 1; });
      if (same.every(({ of }) => !of.some((id) => same.includes(nodes[id])))) layers.push({ name: `layer: ${same.length} ${same[0].symbol}`, members: same });
    }
  }
  const drawn = nodes.filter(({ kind }) => kind !== "numeral");
  for (const node of drawn) node.depth = node.of.length ? 1 + Math.max(0, ...node.of.map((id) => nodes[id].depth ?? 0)) : 0;
  const users = new Map(drawn.map((node) => [node.id, []]));
  for (const node of drawn) for (const id of node.of) users.get(id)?.push(node);
  for (const node of drawn.toReversed()) { // near to what uses it, if it uses inputs only
    const next = users.get(node.id);
    if (node.kind === "operation" && next.length && node.of.every((id) => !nodes[id].of.length)) node.depth = Math.min(...next.map(({ depth }) => depth)) - 1;
  }
  const grouped = new Set(parts.flatMap(({ members }) => members));
  const items = [...parts.filter(({ members }) => members[0].kind !== "input"), ...drawn.filter((node) => node.kind !== "input" && !grouped.has(node)).map((node) => ({ members: [node] }))];
  for (const item of items) {
    item.from = Math.min(...item.members.map(({ depth }) => depth));
    item.to = Math.max(...item.members.map(({ depth }) => depth));
  }
  const rows = [];
  for (const item of items.sort((a, b) => a.from - b.from)) {
    let row = rows.find((one) => one.every((other) => other.to < item.from || other.from > item.to));
    if (!row) rows.push(row = []);
    row.push(item);
  }
  let top = 0;
  for (const row of rows) {
    const tall = Math.max(...row.map(({ members }) => most(members)));
    const height = tall * (size.h + gap.down) + (row.some(({ name }) => name) ? gap.frame : 0);
    for (const { members } of row) stack(members, top + height / 2);
    top += height + gap.down;
  }
  stack(drawn.filter(({ kind }) => kind === "input"), Math.max(top, size.h) / 2);
  for (const node of drawn) Object.assign(node, size, { x: node.depth * (size.w + gap.across), label: label(node, nodes) }, node.members && { w: wide });
  for (const { members } of parts) { // what a let names in a part
    for (const [line, name] of lets) {
      const own = members.filter((node) => node.line === line);
      if (own.length > 1 && own.length < members.length) layers.push({ name, members: own });
    }
  }
  const framed = ({ name, members }, margin, top, layer) => {
    const box = around(members, margin);
    return { name, layer, ...box, y1: box.y1 - top };
  };
  const frames = parts.filter(({ members }) => members.length > 1)
    .map((part) => framed(part, 10, layers.some(({ members }) => part.members.includes(members[0])) ? 12 : 0, false));
  frames.push(...layers.map((layer) => framed(layer, 5, 0, true)));
  const edges = [];
  for (const to of drawn) {
    to.of.forEach((id, i) => {
      const from = nodes[id];
      if (from.kind === "numeral") return;
      const twins = to.of.filter((one) => one === id).length;
      const off = twins > 1 ? (i - (to.of.length - 1) / 2) * 14 : 0;
      edges.push(edge(from, to, off));
    });
  }
  for (const node of drawn) node.trunkPath = `M${node.x + node.w / 2 + 26} ${node.y + 10}L${node.x + node.w / 2 + 3} ${node.y + 10}`;
  return { nodes, edges, frames, box: around(drawn, 34) };
}

/** edge is drawn forth from an operand to what uses it, and back beside that, or to where arrows have been joined. */
function edge(from, to, off) {
  const [x0, y0, x1, y1] = [from.x + from.w / 2, from.y + off, to.x - to.w / 2, to.y + off];
  const d = Math.max(Math.abs(x1 - x0) / 2, 16);
  const curve = (a, b, c, e, bend) => `M${a} ${b}C${a + bend} ${b} ${c - bend} ${e} ${c} ${e}`;
  const back = (c, e) => curve(x1, y1 + 6, c, e, -Math.min(d, Math.abs(x1 - c) / 2 + 8));
  return { from, to, path: curve(x0, y0, x1, y1, d), apart: back(x0 + 3, y0 + 6), joint: back(x0 + 26, from.y + 10), backAt: to.firesAt ?? Infinity, joinAt: from.merges };
}

function stack(members, middle) {
  const layers = new Map();
  for (const node of members) layers.set(node.depth, [...(layers.get(node.depth) ?? []), node]);
  for (const layer of layers.values()) layer.forEach((node, i) => { node.y = middle + (i - (layer.length - 1) / 2) * (size.h + gap.down); });
}

function most(members) {
  const counts = new Map();
  for (const { depth } of members) counts.set(depth, (counts.get(depth) ?? 0) + 1);
  return Math.max(...counts.values());
}

function around(nodes, margin = 0) {
  const xs = nodes.flatMap(({ x, w }) => [x - w / 2, x + w / 2]);
  const ys = nodes.flatMap(({ y, h }) => [y - h / 2, y + h / 2]);
  return { x1: Math.min(...xs) - margin, y1: Math.min(...ys) - margin, x2: Math.max(...xs) + margin, y2: Math.max(...ys) + margin };
}

/** label is the name of a node and what it computes, with its numerals. */
function label({ kind, name, symbol, of, unit }, nodes) {
  if (kind !== "operation") return name;
  const numerals = of.filter((id) => nodes[id].kind === "numeral").map((id) => nodes[id].value);
  const what = [symbol, ...numerals].join(" ") + (unit ? ` (${unit})` : "");
  const whole = name ? `${name} = ${what}` : what;
  return whole.length > 15 ? `${whole.slice(0, 14)}…` : whole;
}
