// What a window shows of a state, and what of that is another way than in the state before:
// from one state to the next few objects change, out of thousands.

import { arrivalsAt, objectsAt, versionAt } from "./state.js";
import { box, flows, path, route } from "./shapes.js";

const near = 64; // steps: behind more of them everything is looked at again
const long = 3000; // px: lines that are longer aren't dashed, for browsers draw each dash, seen or not

export class Scene {
  constructor(win) {
    this.win = win;
    this.k = -1;
    this.objects = new Map(); // id → {node, version}, of this state
    this.arrivals = []; // of this step
    this.places = new Map(win.nodes.map((node) => [node.id, node]));
    this.bends = new Map((win.bends ?? []).map((bend) => [`${bend.from}>${bend.to}`, bend.via]));
    this.turns = new Map(); // state → nodes that are another way in it than in the one before
    this.owners = new Map(); // id → ids of the nodes that refer to it, in one state or another
    this.routes = new WeakMap(); // version → its lines
    for (const node of win.nodes) this.index(node);
  }

  index(node) {
    for (const { from, until, edges } of node.versions) {
      add(this.turns, from, node);
      add(this.turns, until, node);
      for (const { to } of edges ?? []) add(this.owners, to, node.id);
    }
  }

  /** go goes to state k. It returns the ids of the objects that are another way, null if all may be. */
  go(k) {
    const { win } = this;
    const before = this.k;
    this.k = k;
    this.arrivals = arrivalsAt(win, k);
    if (before < 0 || Math.abs(k - before) > near) {
      this.objects = objectsAt(win, k);
      return null;
    }
    const changed = new Set();
    for (let i = Math.min(k, before) + 1; i <= Math.max(k, before); i++) {
      for (const node of this.turns.get(i) ?? []) changed.add(node.id);
    }
    for (const id of changed) {
      const node = this.places.get(id);
      const version = versionAt(node, k);
      if (version) this.objects.set(id, { node, version });
      else this.objects.delete(id);
    }
    return changed;
  }

  /** lines returns the lines of an object, by its edges: {edge, points, box, data, long}; null for what isn't in the window. */
  lines({ node, version }) {
    const known = this.routes.get(version);
    if (known) return known;
    const edges = version.edges ?? [];
    const lines = edges.map((edge, i) => {
      const to = this.places.get(edge.to);
      if (!to) return null;
      const [left, right] = flows(edge) ? [node, to] : [to, node];
      const via = this.bends.get(`${right.id}>${left.id}`);
      const points = flows(edge) ? route(left, right, 0, 1, via) : route(left, right, i, edges.length, via);
      const around = box(points);
      return { edge, points, box: around, data: path(points), long: around.x2 - around.x1 + around.y2 - around.y1 > long };
    });
    this.routes.set(version, lines);
    return lines;
  }

  /** headOf returns the place of the edge that an arrival goes along, −1 if there is none. */
  headOf({ from, to }) {
    const edges = this.objects.get(from)?.version.edges ?? [];
    return edges.findIndex((edge) => edge.to === to && edge.as === "head");
  }
}

function add(map, key, value) {
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}
