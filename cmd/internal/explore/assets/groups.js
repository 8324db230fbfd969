// Groups of objects: those of a def, in it those of a line, and in a line those that one step has made, an iteration.

import { arrange } from "./arrange.js";
import { versionAt } from "./state.js";

const most = 50; // objects that are shown one by one in a state
const first = 2 ** 30; // the least number of a group: a run has fewer objects
const inputs = "inputs"; // the key of the group of what has no place in the source

/**
 * inGroups returns a window with groups in place of objects, if a state has more than 50. defs are the names of defs by
 * their lines, and open the keys of the groups that are open: "*" opens all, and null as many as leave 50 objects. Then
 * whole is the window with all objects.
 */
export function inGroups(win, open, defs = {}) {
  if (!crowded(win.nodes.flatMap(({ versions }) => versions))) return win;
  if (open?.includes("*")) return { ...win, open, whole: win };
  const levels = win.nodes.map((node) => levelsOf(node, defs));
  const sizes = new Map();
  for (const { key } of levels.flat()) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  const closed = (i, opened) => levels[i].find(({ key }) => sizes.get(key) > 1 && !opened.includes(key)); // the group that hides an object
  return { ...arrange(regroup(win, open ?? chosen(win, levels, closed), closed)), whole: win };
}

/** crowded tells whether more are there at once than are shown one by one: each in the states from ≤ k < until. */
function crowded(all) {
  const turns = new Map();
  for (const { from, until } of all) {
    turns.set(from, (turns.get(from) ?? 0) + 1);
    turns.set(until, (turns.get(until) ?? 0) - 1);
  }
  let now = 0;
  return [...turns].sort(([a], [b]) => a - b).some(([, more]) => (now += more) > most);
}

/** levelsOf returns the groups that an object may be in, the largest first. */
function levelsOf({ made = 0, versions }, defs) {
  const line = versions[0]?.line;
  if (!line) return [{ key: inputs, label: "inputs, result", text: "The inputs and what waits for the result" }];
  const def = defs[line] && `def ${defs[line]}`;
  const key = `${def ? `${def}, ` : ""}line ${line}`;
  return [
    ...(def ? [{ key: def, label: def, text: `The ${def}` }] : []),
    { key, label: `line ${line}`, text: `Line ${line}` },
    { key: `${key}, step ${made}`, label: `line ${line}, step ${made}`, text: `What step ${made} made of line ${line}` },
  ];
}

/** chosen returns the keys of groups that may be open: the largest first, and those of the latest objects before others. */
function chosen({ nodes }, levels, closed) {
  let open = [];
  for (let depth = 0; depth < 3; depth++) {
    const tried = new Set();
    for (let i = nodes.length - 1; i >= 0; i--) {
      const group = closed(i, open);
      if (!group || levels[i].indexOf(group) !== depth || tried.has(group.key)) continue;
      tried.add(group.key);
      const wider = [...open, group.key];
      const drawn = new Map(); // what would stand for the objects, as long as one of them is there
      nodes.forEach(({ id, versions }, k) => {
        if (!versions.length) return;
        const name = closed(k, wider)?.key ?? id;
        const { from, until } = drawn.get(name) ?? { from: Infinity, until: 0 };
        drawn.set(name, { from: Math.min(from, versions[0].from), until: Math.max(until, versions.at(-1).until) });
      });
      if (!crowded(drawn.values())) open = wider;
    }
  }
  return open;
}

/** regroup returns a window with groups in place of the objects that are in a closed one. */
function regroup(win, open, closed) {
  const groups = new Map(); // key → a group that is closed
  const places = new Map(); // id → the id of what stands for the object
  win.nodes.forEach((node, i) => {
    const level = closed(i, open);
    if (!level) {
      places.set(node.id, node.id);
      return;
    }
    if (!groups.has(level.key)) groups.set(level.key, { ...level, id: number(level.key), members: [] });
    groups.get(level.key).members.push(node);
    places.set(node.id, groups.get(level.key).id);
  });
  const single = win.nodes.filter(({ id }) => places.get(id) === id).map((node) => ({
    ...node,
    versions: node.versions.map((version) => ({ ...version, edges: moved(node.id, version.edges ?? [], places) })),
  }));
  return {
    ...win,
    open: open.toSorted(),
    nodes: [...single, ...[...groups.values()].map((group) => standing(group, places))],
    steps: win.steps.map((step) => about(step, places)),
    arrivals: win.arrivals.map((a) => ({ ...a, from: places.get(a.from), to: places.get(a.to) })).filter(({ from, to }) => from !== to),
  };
}

/** number returns the id of a group, which depends on its key alone. */
function number(key) {
  let hash = 0x811c9dc5; // FNV-1a
  for (const byte of new TextEncoder().encode(key)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return first + (hash >>> 3);
}

/** standing is the object that stands for a group, with a version for each way in which its members are. */
function standing({ id, key, label, text, members }, places) {
  const turns = new Set(members.flatMap(({ versions }) => versions.flatMap(({ from, until }) => [from, until])));
  const versions = [];
  let before = "";
  [...turns].sort((a, b) => a - b).forEach((from, i, all) => {
    const there = members.map((member) => versionAt(member, from)).filter(Boolean);
    if (!there.length) return;
    const waiting = there.filter(({ waits }) => waits).length;
    const placed = there.find(({ line }) => line);
    const value = there.length === 1 ? "1 object" : `${there.length} objects`;
    const how = {
      kind: "group",
      role: there.some(({ role }) => role === "primal") ? "primal" : "dual",
      waits: waiting === there.length,
      label,
      value,
      text: `${text}: ${value}, ${waiting} of them waiting. Open it to see them.`,
      line: placed?.line,
      column: placed?.column,
      root: there.some(({ root }) => root),
      edges: moved(id, there.flatMap(({ edges }) => edges ?? []), places),
    };
    const now = JSON.stringify(how);
    if (now === before && versions.at(-1).until === from) versions.at(-1).until = all[i + 1];
    else versions.push({ from, until: all[i + 1], ...how });
    before = now;
  });
  const { x, y } = members.reduce((sum, node) => ({ x: sum.x + node.x / members.length, y: sum.y + node.y / members.length }), { x: 0, y: 0 });
  return { id, group: key, versions, x, y };
}

/** moved are the edges of an object with their ends moved to what stands for them: one between two groups, and one for calls. */
function moved(from, edges, places) {
  const out = [];
  for (const edge of edges) {
    const to = places.get(edge.to);
    if (to === from || (edge.as === "waits" && to === number(inputs))) continue;
    const merged = to !== edge.to || from >= first;
    if (!merged || !out.some((o) => o.to === to && (o.as === "head") === (edge.as === "head"))) out.push({ ...edge, to });
  }
  return out;
}

/** about is a step, about what stands for its objects. */
function about(step, places) {
  const node = step.node < 0 ? step.node : places.get(step.node);
  const operands = new Set((step.operands ?? []).map((id) => places.get(id)));
  operands.delete(node);
  return { ...step, node, operands: [...operands] };
}
