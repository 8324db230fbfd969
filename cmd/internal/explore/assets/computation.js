// What happens when in a graph of operations, what belongs together in it, and where it is drawn: pure functions.

const size = { w: 96, h: 60 };
const wide = { least: 112, most: 140, letter: 7.3, margin: 18 }; // px: of a box that stands for many nodes
const gap = { across: 56, down: 14, frame: 30 };
export const many = [10, 4, 1]; // parts of one kind that are drawn one by one: fewer, where that is not legible
const few = 40; // nodes of a part that are drawn one by one
const most = 300; // nodes that are drawn

/** events returns the nodes with the steps at which each value is there, each dual fires, and each derivative has come. */
export function events({ nodes, places, inputs, output, factors = [] }, steps, backward) {
  const out = nodes.map(({ at, name, symbol, of = [], value, derivative }, id) => {
    const { text, line, column, def } = places[at] ?? {};
    const kind = at >= 0 ? "operation" : id < inputs ? "input" : "numeral";
    return { id, at, kind, name, symbol, of, text, line, column, def, number: value, slope: derivative, valueAt: 0, firesAt: null, derivedAt: Infinity, merges: [], reached: false, uses: [], turns: null };
  });
  const live = [out[output]];
  while (live.length) {
    const node = live.pop();
    if (node.reached || node.kind === "numeral") continue;
    node.reached = true;
    for (const id of node.of) live.push(out[id]);
  }
  for (const [at, list] of by(out.filter(({ kind }) => kind === "operation"), (node) => node.at)) {
    const { values = [], numbers, fires = [] } = places[at];
    const left = by(values.map((_, i) => values.length - 1 - i), (i) => numbers[i]); // the last one is the first in order
    for (const known of [true, false]) { // steps of the same value, and then those whose value is not known, in their order
      for (const node of list) node.valueAt ||= values[left.get(known ? node.number : "")?.pop()] ?? 0;
    }
    const duals = list.filter(({ reached }) => reached).sort((a, b) => b.valueAt - a.valueAt);
    duals.forEach((node, i) => { node.firesAt = fires[i] ?? fires.at(-1) ?? null; });
  }
  for (const node of out) node.valueAt ||= largest(node.of, (i) => out[i].valueAt);
  const order = out.filter(({ kind, reached }) => kind === "operation" && reached).sort((a, b) => (a.firesAt ?? steps) - (b.firesAt ?? steps));
  let merged = 0;
  order.forEach((node, i) => {
    node.firesAt ??= steps;
    const end = (order[i + 1]?.firesAt ?? steps + 1) - 1;
    for (const id of node.of) {
      const to = out[id];
      if (to.kind === "numeral") continue;
      if (to.uses.length && factors[merged] <= Math.max(end, node.firesAt)) to.merges.push(factors[merged++]);
      to.uses.push({ from: node, at: node.firesAt });
      to.derivedAt = Math.min(Math.max(end, node.firesAt), steps);
    }
  });
  if (backward) out[output].derivedAt = backward;
  for (const node of out) {
    if (node.firesAt !== null) node.derivedAt = Math.min(node.derivedAt, node.firesAt);
    node.turns = sorted([node.valueAt, node.firesAt, ...node.merges].filter(Boolean));
  }
  return { nodes: out, output };
}

/** upto returns how many of some numbers in order are at most k. */
export function upto(numbers, k) {
  let low = 0;
  for (let high = numbers.length; low < high;) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= k) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** by returns the lists of things that have the same key: key → list. */
function by(all, key) {
  const out = new Map();
  all.forEach((one, i) => {
    const list = out.get(key(one, i));
    if (list) list.push(one);
    else out.set(key(one, i), [one]);
  });
  return out;
}

const sorted = (numbers) => numbers.sort((a, b) => a - b);
const largest = (all, of) => all.reduce((found, one) => Math.max(found, of(one)), 0);

/** groups returns what belongs together: what one use of a def or of a line has made, as a time step. A group of a def or of a line that is used
 * once is whole. */
function groups(nodes, lets) {
  const out = [];
  const lines = by(nodes.filter(({ kind, line }) => kind === "operation" && line), ({ def, line }) => (def ? `def ${def}` : `line ${line}`));
  for (const [key, list] of lines) {
    const parts = uses(nodes, list, key);
    if (parts.length) out.push(...parts);
    else if (list.length > 1) out.push({ key, name: list[0].def || lets.get(list[0].line) || key, members: list, whole: true });
  }
  return out;
}

/** uses returns what the uses of a def or of a line have made, or nothing if it is used once. */
function uses(nodes, list, key) {
  const places = [...by(list, ({ at }) => at).values()];
  const times = Math.min(...places.map(({ length }) => length));
  if (times < 2 || list.length < 2 * times) return [];
  const last = (place) => largest(place, ({ valueAt }) => valueAt); // the last operation of each use is what it ends with
  const ends = places.filter(({ length }) => length === times).reduce((a, b) => (last(b) > last(a) ? b : a));
  const all = new Set(list);
  for (const node of ends) all.delete(node);
  const parts = ends.map((end) => { // what goes into it
    const members = [end];
    for (let i = 0; i < members.length; i++) {
      for (const id of members[i].of) if (all.delete(nodes[id])) members.push(nodes[id]);
    }
    return members;
  });
  const part = new Map(parts.flatMap((members, i) => members.map(({ id }) => [id, i])));
  const needs = parts.map((members, i) => new Set(members.flatMap(({ of }) => of.map((id) => part.get(id)).filter((j) => j >= 0 && j !== i))));
  const chains = chainsOf(needs);
  const components = componentsOf(needs);
  const order = parts.map((_, i) => i).sort((a, b) => chains[a] - chains[b] || a - b);
  const whole = order.flatMap((_, i) => (i % components ? [] : [order.slice(i, i + components)]));
  if (whole.length < 2) return [];
  const chained = whole.every((own, i) => i === 0 || own.some((one) => whole[i - 1].some((before) => needs[one].has(before))));
  const kind = key.startsWith("def ") ? key.slice(4) : chained ? "time step" : "element";
  return whole.map((own, i) => ({ key: `${key} ${i + 1}`, name: `${kind} ${i + 1}`, kind, members: own.flatMap((one) => parts[one]).sort((a, b) => a.id - b.id) }));
}

/** chainsOf returns for each part the first one of those that are joined to it. */
function chainsOf(needs) {
  const first = needs.map((_, i) => i);
  const root = (i) => {
    while (first[i] !== i) i = first[i] = first[first[i]];
    return i;
  };
  needs.forEach((parts, i) => {
    for (const j of parts) {
      const [a, b] = [root(i), root(j)];
      first[Math.max(a, b)] = Math.min(a, b);
    }
  });
  return first.map((_, i) => root(i));
}

/** componentsOf returns how many parts in a row are the components of one vector: as many as need the same other parts. */
function componentsOf(needs) {
  const divisor = (a, b) => (b ? divisor(b, a % b) : a);
  const same = by(needs.filter(({ size }) => size), (parts) => [...parts].sort().join());
  return [...same.values()].reduce((n, { length }) => divisor(length, n), 0) || 1;
}

/** ranged puts parts of one kind together, some that follow one another in one, so that at most so many are left. */
function ranged(parts, kind, first = 1, left = many[0]) {
  if (parts.length <= left) return parts;
  let step = 2;
  while (parts.length > left * step) step *= /^2/.test(step) ? 2.5 : 2;
  return Array.from({ length: Math.ceil(parts.length / step) }, (_, i) => {
    const own = parts.slice(i * step, (i + 1) * step);
    const from = first + i * step;
    const name = `${kind} ${from}–${from + own.length - 1}`;
    return { key: `${own[0].key} to ${own.at(-1).key}`, name, members: own.flatMap(({ members }) => members), inner: ranged(own, kind, from) };
  });
}

/** inner returns the parts of a part: those of its lines; of one line what its uses have made; of one use those of its operations. */
function inner(part, nodes, lets) {
  if (part.inner) return part.inner;
  const { key, name, members } = part;
  const single = (node) => ({ key: `${key}/${node.id}`, members: [node] });
  const divided = (of, title) => [...by(members, of)].map(([one, own]) => ({ key: `${key}/${one}`, name: title(own[0]), members: own }));
  if (members.length <= few) return (part.inner = []);
  if (members[0].kind === "input") {
    const upTo = name.split(".").length + 1;
    return (part.inner = ranged(divided((node) => node.name.split(".", upTo).join("."), (node) => node.name.split(".", upTo).join(".")), name, 0));
  }
  const lines = divided(({ line }) => line, ({ line }) => lets.get(line) || `line ${line}`);
  if (lines.length > 1) return (part.inner = lines);
  const parts = uses(nodes, members, `${key}/`);
  if (parts.length) return (part.inner = ranged(parts, parts[0].kind));
  const symbols = divided(({ at, symbol }) => `${at} ${symbol}`, ({ symbol }) => symbol);
  return (part.inner = symbols.length > 1 ? symbols : ranged(members.map(single), name));
}

/** names returns what lets name, by their lines. */
function names(source) {
  const lines = source.split("\n").map((text, i) => [i + 1, /\blet ([\w']+)[^=]*=/.exec(text)?.[1]]);
  return new Map(lines.filter(([, name]) => name));
}

/** convex tells whether no way leads out of a part and back into it. */
function convex(part, nodes) {
  if (part.convex !== undefined) return part.convex;
  const own = new Set(part.members.map(({ id }) => id));
  const first = part.members.reduce((least, { id }) => Math.min(least, id), Infinity); // operands have lower ids
  const seen = new Set();
  const live = part.members.flatMap(({ of }) => of.filter((id) => !own.has(id)));
  part.convex = true;
  while (live.length && part.convex) {
    const id = live.pop();
    if (id < first || seen.has(id)) continue;
    seen.add(id);
    part.convex = !nodes[id].of.some((to) => own.has(to));
    live.push(...nodes[id].of);
  }
  return part.convex;
}

/** folded returns the nodes with one in place of all members of a part; or only, as circles, the parts where that leads in a circle. */
function folded(nodes, parts) {
  const place = new Map(parts.flatMap((part) => part.members.map(({ id }) => [id, part])));
  const stands = new Map(); // part, or id → node
  for (const node of nodes) {
    const part = place.get(node.id);
    if (!part) stands.set(node.id, { ...node, self: node });
    else if (!stands.has(part)) stands.set(part, { ...(part.box ??= box(part)) });
    if (part) stands.set(node.id, stands.get(part));
  }
  const all = [...new Set(stands.values())];
  const operands = new Map(all.map((node) => [node, node.members
    ? [...new Set(node.members.flatMap(({ of }) => of.map((id) => stands.get(id))))].filter((one) => one !== node)
    : node.of.map((id) => stands.get(id))]));
  all.forEach((node, i) => { node.id = i; node.waits = operands.get(node).length; node.users = []; });
  for (const node of all) for (const one of operands.get(node)) one.users.push(node);
  const order = [];
  for (let next = all.filter(({ waits }) => !waits); next.length;) {
    order.push(...next);
    const ready = next.flatMap(({ users }) => users.filter((node) => --node.waits === 0));
    next = ready.sort((a, b) => a.id - b.id);
  }
  const left = new Set(all.filter(({ waits }) => waits)); // what is in a circle, between two, or behind one
  for (const node of all.toReversed()) if (!node.users.some((one) => left.has(one))) left.delete(node);
  const circles = parts.filter((part) => left.has(stands.get(part)));
  if (circles.length) return { circles };
  order.forEach((node, i) => { node.id = i; });
  for (const node of order) node.of = operands.get(node).map(({ id }) => id);
  return { nodes: order, ids: stands, circles };
}

/** box is the node of a part: it has its value, and its derivative, when all members have theirs. */
function box({ key, name, members }) {
  const own = new Set(members);
  const reached = members.filter((node) => node.reached);
  const outside = members.filter(({ uses }) => uses.some(({ from }) => !own.has(from)));
  const [values, derivatives] = [sorted(members.map(({ valueAt }) => valueAt)), sorted(reached.map(({ derivedAt }) => derivedAt))];
  return {
    kind: members[0].kind === "input" ? "input" : "part", key, name, members, values, derivatives, reached: reached.length > 0,
    valueAt: values.at(-1), firesAt: largest(reached, ({ firesAt }) => firesAt ?? 0) || null, derivedAt: derivatives.at(-1) ?? -Infinity,
    merges: sorted(outside.flatMap(({ merges }) => merges)), turns: sorted(members.flatMap(({ turns }) => turns)),
  };
}

/** parted returns the parts for which a box stands, those that are not open, and those whose nodes or parts are drawn, outer ones first. */
function parted(parts, open, nodes, lets) {
  const closed = [];
  const framed = [];
  const visit = (all, outer) => {
    for (const part of all.filter(({ members }) => members.length > 1)) {
      if (!open.has(part.key) && convex(part, nodes)) closed.push(part);
      else {
        framed.push({ ...part, outer });
        visit(inner(part, nodes, lets), false);
      }
    }
  };
  visit(parts, true);
  return { closed, framed };
}

/** fitting folds a graph, with parts that are folded already; one in a circle is drawn by its own parts. */
function fitting(parts, open, nodes, lets, before) {
  for (;;) {
    const { closed, framed } = parted(parts, open, nodes, lets);
    const fold = folded(nodes, [...before, ...closed]);
    if (!fold.circles.length) return { fold: { ...fold, parts: [...before, ...closed] }, framed };
    for (const part of fold.circles) part.convex = false;
    before = before.filter(({ convex }) => convex);
  }
}

/** rest returns what would be too many nodes, which are in no part, as parts: nodes that follow one another in a graph. */
function rest({ nodes }) {
  const runs = [[]];
  for (const node of nodes) {
    if (node.members) runs.push([]);
    else if (node.kind === "operation") runs.at(-1).push({ key: `operation ${node.self.id}`, members: [node.self] });
  }
  return runs.filter((run) => run.length > 1).map((run, i) => ({ key: `rest ${run[0].key}`, name: `operations (${i + 1})`, members: run.flatMap(({ members }) => members), inner: ranged(run, "operations"), convex: true }));
}

/** tree returns the parts of a graph, at most so many of one kind, and the components of its inputs. */
function tree(graph, left) {
  const kinds = by(graph.parts, ({ kind, key }) => (kind ? key.replace(/ \d+$/, "") : key));
  const inputs = by(graph.nodes.filter(({ kind }) => kind === "input"), ({ name }) => name.split(".")[0]);
  return [...[...kinds.values()].flatMap((same) => ranged(same, same[0].kind, 1, left)), ...[...inputs].map(([name, members]) => ({ key: `input ${name}`, name, members }))];
}

/** laid places the nodes: inputs are left, an operation is right of its operands, and parts that are not one after the other are below each other.
 * With open, a set of keys, one box stands for each part that is not open, of which at most so many are left, and for the components of an input. */
export function laid(graph, source, open, left = many[0]) {
  const lets = names(source);
  const all = graph.nodes;
  graph.parts ??= groups(all, lets);
  graph.trees ??= {};
  const whole = graph.parts.filter(({ whole }) => !whole).map((part) => ({ ...part, outer: true }));
  let { fold, framed } = open ? fitting((graph.trees[left] ??= tree(graph, left)), open, all, lets, []) : { fold: folded(all, []), framed: whole };
  if (open && fold.nodes.filter(({ kind }) => kind !== "numeral").length > most) {
    const more = fitting(rest(fold), open, all, lets, fold.parts);
    framed = [...framed, ...more.framed];
    fold = more.fold;
  }
  const { nodes, ids } = fold;
  const parts = framed.map(({ key, name, members, outer }) => ({ key, name, outer, members: [...new Set(members.map(({ id }) => ids.get(id)))] }));
  const layers = [];
  for (const { name, members } of parts) {
    for (const node of members) node.part = name;
    for (const same of by(members.filter((node) => !node.members), ({ at, symbol }) => `${at} ${symbol}`).values()) {
      if (same.length < 2 || !/^[a-z]/.test(same[0].symbol)) continue;
      same.forEach((node, i) => { node.unit = i + 1; });
      if (same.every(({ of }) => !of.some((id) => same.includes(nodes[id])))) layers.push({ name: `layer: ${same.length} ${same[0].symbol}`, members: same });
    }
  }
  const drawn = nodes.filter(({ kind }) => kind !== "numeral");
  for (const node of drawn) node.depth = node.of.length ? 1 + largest(node.of, (id) => nodes[id].depth ?? 0) : 0;
  for (const node of drawn.toReversed()) { // near to what uses it, if it uses inputs only
    if (node.kind === "operation" && node.users.length && node.of.every((id) => !nodes[id].of.length)) node.depth = Math.min(...node.users.map(({ depth }) => depth)) - 1;
  }
  const outer = parts.filter((part) => part.outer && part.members[0].kind !== "input");
  const grouped = new Set(outer.flatMap(({ members }) => members));
  const items = [...outer, ...drawn.filter((node) => node.kind !== "input" && !grouped.has(node)).map((node) => ({ members: [node] }))];
  for (const item of items) {
    item.from = Math.min(...item.members.map(({ depth }) => depth));
    item.to = largest(item.members, ({ depth }) => depth);
  }
  const rows = [];
  for (const item of items.sort((a, b) => a.from - b.from)) {
    let row = rows.find((one) => one.every((other) => other.to < item.from || other.from > item.to));
    if (!row) rows.push(row = []);
    row.push(item);
  }
  let top = 0;
  for (const row of rows) {
    const tall = largest(row, ({ members }) => largest([...by(members, ({ depth }) => depth).values()], ({ length }) => length));
    const height = tall * (size.h + gap.down) + (row.some(({ name }) => name) ? gap.frame : 0);
    for (const { members } of row) stack(members, top + height / 2);
    top += height + gap.down;
  }
  stack(drawn.filter(({ kind }) => kind === "input"), Math.max(top, size.h) / 2);
  for (const node of drawn) {
    const letters = node.members && Math.max(node.name.length, count(node).length);
    const w = node.members ? Math.min(Math.max(wide.least, wide.margin + wide.letter * letters), wide.most) : size.w;
    Object.assign(node, size, { w, x: node.depth * (size.w + gap.across), label: label(node, nodes) });
  }
  for (const { members } of parts) { // what a let names in a part
    for (const [line, name] of lets) {
      const own = members.filter((node) => node.line === line);
      if (own.length > 1 && own.length < members.length) layers.push({ name, members: own });
    }
  }
  const framing = ({ key, name, members }, margin, top, layer) => {
    const box = around(members, margin);
    return { key, name, layer, ...box, y1: box.y1 - top };
  };
  const frames = parts.filter(({ members }) => members.length > 1)
    .map((part) => framing(part, part.outer ? 10 : 7, layers.some(({ members }) => part.members.includes(members[0])) ? 12 : 0, false));
  frames.push(...layers.map((layer) => framing(layer, 5, 0, true)));
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
  for (const layer of by(members, ({ depth }) => depth).values()) layer.forEach((node, i) => { node.y = middle + (i - (layer.length - 1) / 2) * (size.h + gap.down); });
}

function around(nodes, margin = 0) {
  const xs = nodes.flatMap(({ x, w }) => [x - w / 2, x + w / 2]);
  const ys = nodes.flatMap(({ y, h }) => [y - h / 2, y + h / 2]);
  return { x1: Math.min(...xs) - margin, y1: Math.min(...ys) - margin, x2: Math.max(...xs) + margin, y2: Math.max(...ys) + margin };
}

/** count is how many nodes a box stands for. */
export function count({ kind, members }) {
  return `${members.length} ${kind === "input" ? "inputs" : members.length > 1 ? "operations" : "operation"}`;
}

/** label is the name of a node and what it computes, with its numerals. */
function label({ kind, name, symbol, of, unit }, nodes) {
  if (kind !== "operation") return name;
  const numerals = of.filter((id) => nodes[id].kind === "numeral").map((id) => nodes[id].number);
  const what = [symbol, ...numerals].join(" ") + (unit ? ` (${unit})` : "");
  const whole = name ? `${name} = ${what}` : what;
  return whole.length > 15 ? `${whole.slice(0, 14)}…` : whole;
}
