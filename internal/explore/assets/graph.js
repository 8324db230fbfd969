// The graph of a state, in SVG: only what is seen is there, only what has changed is touched.

import { calm, grouped, put, set, shape } from "./dom.js";
import { ObjectView } from "./object.js";
import { box, boxOf, ends, meets, path, route } from "./shapes.js";
import { arrivalsAt, nodeNear, objectsAt } from "./state.js";
import { View } from "./view.js";

const margin = 120; // px around what is seen that are drawn too
const legible = 0.72; // scale: a window that is legible as a whole is shown as a whole
const lift = 22; // px above its edge that a value stands, so that the arrow is seen
const far = 0.42; // scale: below it labels go

export class Graph {
  /** parts are the elements graph, world, edges, nodes, chips, left, empty; pick is called with a version that was chosen. */
  constructor(parts, tip, pick) {
    Object.assign(this, parts, { tip, pick, svg: parts.graph });
    this.drawn = new Map(); // id → ObjectView
    this.lines = new Map(); // owner and place → {path, …}
    this.objects = new Map();
    this.follow = true;
    this.focus = null; // the id of the object that the keyboard is at
    this.view = new View(this.svg, this.world, () => this.later());
    this.view.onresize = (first) => this.win && (first ? this.arrange() : this.fitWhole());
    this.listen();
  }

  listen() {
    const of = (e) => {
      const group = e.target.closest?.(".object");
      return group ? this.drawn.get(Number(group.dataset.id)) : null;
    };
    this.nodes.addEventListener("pointerover", (e) => e.pointerType === "mouse" && this.tell(of(e)));
    this.nodes.addEventListener("pointerout", () => this.tip.hide());
    this.nodes.addEventListener("focusin", (e) => {
      const object = of(e);
      if (!object) return;
      this.focus = object.id;
      if (e.target.matches(":focus-visible")) this.tell(object);
    });
    this.nodes.addEventListener("focusout", () => this.tip.hide());
    this.nodes.addEventListener("click", (e) => {
      const object = of(e);
      if (!object) return;
      this.tell(object, true);
      this.pick(object.version);
    });
  }

  tell(object, pin = false) {
    if (object) this.tip.show(object.id, object.version, object.group, pin);
  }

  /** show draws state k of a window. step has led to it, null before the first. */
  show(win, k, step) {
    const old = this.win;
    const anchor = old && old !== win && this.anchor(win);
    if (old !== win) this.bends = new Map((win.bends ?? []).map((bend) => [`${bend.from}>${bend.to}`, bend.via]));
    Object.assign(this, { win, k, step });
    this.objects = objectsAt(win, k);
    this.arrivals = arrivalsAt(win, k);
    if (this.tip.shown !== null && !this.objects.has(this.tip.shown)) this.tip.hide(true);
    if (this.view.width && old !== win) this.arrange(anchor);
    else if (this.follow) this.toRedex();
    this.draw();
    this.chip();
    this.note();
  }

  /** anchor is an object that two windows have, and where it is seen now. */
  anchor(win) {
    const places = new Map(win.nodes.map((node) => [node.id, node]));
    const ids = [this.step?.node, ...(this.step?.operands ?? []), ...this.drawn.keys()];
    const id = ids.find((i) => places.has(i) && this.drawn.has(i));
    return id === undefined ? null : { was: this.drawn.get(id).node, is: places.get(id) };
  }

  /** fitWhole shows all of a window, where that is legible and the reader hasn't chosen otherwise. */
  fitWhole() {
    const { view, win } = this;
    const all = this.bounds(win.nodes);
    const scale = all ? view.fitting(all) : 1;
    if (view.own || scale < legible) return false;
    view.centre(all ?? { x1: 0, y1: 0, x2: 0, y2: 0 }, scale);
    return true;
  }

  /** arrange chooses what is seen of a new window. */
  arrange(anchor = null) {
    const { view } = this;
    if (this.fitWhole()) return;
    if (anchor) {
      view.x += (anchor.was.x - anchor.is.x) * view.scale;
      view.y += (anchor.was.y - anchor.is.y) * view.scale;
      view.place();
      if (this.follow) this.toRedex();
      return;
    }
    const here = this.redexBox() ?? this.bounds([...this.objects.values()].map(({ node }) => node)) ?? this.bounds(this.win.nodes);
    if (here) view.centre(here, view.own ? view.scale : 0.9);
  }

  bounds(nodes) {
    return nodes.length ? box(nodes.flatMap((n) => [[n.x - n.w / 2, n.y - n.h / 2], [n.x + n.w / 2, n.y + n.h / 2]])) : null;
  }

  /** redexBox surrounds what a step is about: with its arrivals and operands, as far as that can be seen at once. */
  redexBox() {
    const boxes = (ids) => this.bounds(ids.map((id) => this.objects.get(id)?.node).filter(Boolean));
    const redex = [this.step?.node ?? -1];
    const sent = this.arrivals.flatMap((a) => [a.from, a.to]);
    const operands = this.step?.operands ?? [];
    const small = (b) => b && (b.x2 - b.x1) * this.view.scale < 0.8 * this.view.width && (b.y2 - b.y1) * this.view.scale < 0.8 * this.view.height;
    const near = nodeNear(this.win, this.k, (id) => this.objects.has(id));
    const choices = [[...redex, ...sent, ...operands], [...redex, ...sent], redex, operands.slice(0, 1), [near]].map(boxes);
    return choices.find(small) ?? choices.find(Boolean) ?? null;
  }

  toRedex() {
    const here = this.redexBox();
    if (here && this.view.width) this.view.reveal(here);
  }

  /** fit shows all objects of this state. */
  fit() {
    const all = this.bounds([...this.objects.values()].map(({ node }) => node));
    if (!all) return;
    this.view.own = true;
    this.view.centre(all, this.view.fitting(all));
  }

  later() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  /** draw brings what is seen of the state into the document. */
  draw() {
    if (!this.win || !this.view.width) return;
    this.svg.classList.toggle("far", this.view.scale < far);
    const seen = this.view.seen(margin);
    for (const [id, object] of this.drawn) {
      const now = this.objects.get(id);
      if (now && (id === this.focus || meets(boxOf(now.node), seen))) continue;
      object.group.remove();
      this.drawn.delete(id);
    }
    const operands = new Set(this.step?.operands ?? []);
    for (const [id, { node, version }] of this.objects) {
      let object = this.drawn.get(id);
      if (!object) {
        if (id !== this.focus && !meets(boxOf(node), seen)) continue;
        object = new ObjectView(id);
        this.drawn.set(id, object);
        this.nodes.append(object.group);
      }
      object.paint(node, version);
      object.light(id === this.step?.node ? "redex" : operands.has(id) ? "operand" : "");
    }
    this.drawLines(seen);
    this.tabStop();
  }

  drawLines(seen) {
    const hot = new Set(this.arrivals.map((arrival) => `${arrival.from}/${this.headOf(arrival)}`));
    const kept = new Set();
    for (const [id, { node, version }] of this.objects) {
      const edges = version.edges ?? [];
      edges.forEach((edge, i) => {
        const to = this.objects.get(edge.to)?.node;
        if (!to) return;
        const points = route(to, node, i, edges.length, this.bends.get(`${id}>${edge.to}`));
        if (!meets(box(points), seen)) return;
        const key = `${id}/${i}`;
        kept.add(key);
        const name = hot.has(key) ? `edge ${edge.as} hot` : `edge ${edge.as}`;
        this.line(key, edge, path(points), version.fired ? `${name} fired` : name);
      });
    }
    for (const [key, line] of this.lines) {
      if (kept.has(key)) continue;
      line.node.remove();
      this.lines.delete(key);
    }
  }

  /** headOf returns the place of the edge that an arrival goes along: the nth call of one dual by another is by the nth. */
  headOf({ step, from, to }) {
    const edges = this.objects.get(from)?.version.edges ?? [];
    const heads = edges.flatMap((edge, i) => (edge.to === to && edge.as === "head" ? [i] : []));
    const before = this.win.arrivals.filter((a) => a.from === from && a.to === to && a.step < step).length;
    return heads[before % heads.length];
  }

  /** line draws an edge; what it is like already isn't touched: there are thousands. */
  line(key, edge, data, name) {
    let line = this.lines.get(key);
    if (!line) {
      line = { node: shape("path") };
      this.lines.set(key, line);
      this.edges.append(line.node);
    }
    if (line.data !== data) line.node.setAttribute("d", data);
    if (line.name !== name) {
      line.node.setAttribute("class", name);
      set(line.node, "marker-start", edge.as === "head" ? "url(#gx-back)" : null);
      set(line.node, "marker-end", edge.as === "waits" ? "url(#gx-forth)" : null);
    }
    Object.assign(line, { data, name });
  }

  /** chip shows what this step sends along edges: it moves there where motion is allowed. */
  chip() {
    this.chips.replaceChildren();
    for (const arrival of this.arrivals) {
      const { from, to, value } = arrival;
      const source = this.objects.get(from);
      const target = this.objects.get(to)?.node;
      if (!source || !target) continue;
      const points = route(target, source.node, this.headOf(arrival) ?? 0, source.version.edges?.length ?? 1, this.bends.get(`${from}>${to}`));
      const { stands: [x, below], comes: [x0, y0] } = ends(points);
      const y = below - lift;
      const width = 12 + 7.3 * [...value].length;
      const chip = shape("g", { class: "chip", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
        shape("rect", { x: -width / 2, y: -10, width, height: 20, rx: 10 }), shape("text", {}, value));
      this.chips.append(chip);
      if (calm()) continue;
      chip.animate([{ transform: `translate(${x0}px, ${y0}px)` }, { transform: `translate(${x}px, ${y}px)` }], { duration: 150, easing: "ease-out" });
    }
  }

  /** note tells what isn't shown. */
  note() {
    const left = this.step?.left ?? 0;
    const live = this.step ? grouped(this.step.live) : "";
    this.left.hidden = left === 0;
    if (left < 0) put(this.left, `Only the neighbourhood of the redex is shown, of ${live} nodes in memory.`);
    if (left > 0) put(this.left, `${grouped(left)} ${left === 1 ? "object is" : "objects are"} left out.`);
    this.empty.hidden = this.objects.size > 0;
    put(this.empty, this.k === 0 ? "Nothing is in memory before the first step." : "Nothing of this state is shown.");
    set(this.svg, "aria-label", `Graph: ${this.objects.size} objects`);
  }

  /** begin forgets where the reader was in the graph of another run. */
  begin() {
    this.win = null;
    this.focus = null;
    this.view.own = false;
    this.tip.hide(true);
  }

  /** without says why there is no graph. */
  without(words) {
    this.empty.hidden = false;
    put(this.empty, words);
  }

  /** tabStop makes one object the graph's stop of the tabulator: the one last focused, or the redex. */
  tabStop() {
    const here = [this.focus, this.step?.node].find((id) => this.drawn.has(id)) ?? this.drawn.keys().next().value;
    for (const [id, { group }] of this.drawn) set(group, "tabindex", id === here ? "0" : "-1");
  }

  /** walk moves the keyboard's focus to the next object, from left to right, or the one before. */
  walk(back) {
    const order = [...this.objects.values()].sort((a, b) => a.node.x - b.node.x || a.node.y - b.node.y);
    if (!order.length) return;
    const at = order.findIndex(({ node }) => node.id === (this.focus ?? this.step?.node));
    const next = order[(at + (back ? -1 : 1) + order.length) % order.length].node;
    if (at < 0 && back) return;
    this.focus = next.id;
    this.view.stop();
    this.draw();
    this.view.reveal(boxOf(next));
    const object = this.drawn.get(next.id);
    object.group.focus({ preventScroll: true });
    this.tell(object);
  }
}
