// Groups of objects in a recorded page, as the server makes them.

import { versionAt } from "./state.js";

const first = 2 ** 30; // the least number of a group: a run has fewer objects

/** regroup returns a recorded window, which has all objects, with those in groups that are not open; "*" opens all. */
export function regroup(win, open) {
  if (!win.levels || open.includes("*")) return { ...win, open };
  const sizes = new Map();
  for (const { key } of win.levels.flat()) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  const groups = new Map(); // key → a group that is closed
  const places = new Map(); // id → the id of what stands for the object
  win.nodes.forEach((node, i) => {
    const level = win.levels[i].find(({ key }) => sizes.get(key) > 1 && !open.includes(key));
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
    if (to === from || (edge.as === "waits" && to === number("inputs"))) continue;
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
