// The graph of a state, in SVG: only what is seen is there, only what has changed is touched.

import { calm, grouped, put, set, shape } from "./dom.js";
import { around, subject, wider } from "./focus.js";
import { ObjectView } from "./object.js";
import { Scene } from "./scene.js";
import { boxOf, ends, meets } from "./shapes.js";
import { drawMap } from "./map.js";
import { View } from "./view.js";

const margin = 120; // px around what is seen that are drawn too
const legible = 0.72; // scale: a window that is legible as a whole is shown as a whole
const lift = 22; // px above its edge that a value stands, so that the arrow is seen
const leap = 64; // steps: who goes further doesn't look for what was seen before
const far = 0.42; // scale: below it labels go

export class Graph {
  /**
   * parts are the elements graph, world, edges, nodes, chips, left, empty, map; pick is called with a version that was
   * chosen, point with one that the pointer is at, or null, open with the key of a group.
   */
  constructor(parts, tip, { pick, point, open }) {
    Object.assign(this, parts, { tip, pick, point, open, svg: parts.graph });
    this.pointed = null; // the place in the source that the pointer is at
    this.drawn = new Map(); // id → ObjectView
    this.lines = new Map(); // id → the paths of its edges: {node, data, name}
    this.lit = []; // ids of the redex and its operands
    this.sent = []; // ids of the duals whose edges an arrival goes along
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
    this.nodes.addEventListener("pointerover", (e) => {
      if (e.pointerType !== "mouse") return;
      this.tell(of(e));
      this.point(of(e)?.version ?? null);
    });
    this.nodes.addEventListener("pointerout", () => {
      this.tip.hide();
      this.point(null);
    });
    this.svg.addEventListener("focusin", (e) => {
      const object = of(e);
      if (!object) return;
      this.focus = object.id;
      if (e.target.matches(":focus-visible")) this.tell(object);
    });
    this.svg.addEventListener("focusout", () => this.tip.hide()); // a group that listens would be a stop of the tabulator
    this.nodes.addEventListener("click", (e) => {
      const object = of(e);
      if (!object) return;
      if (object.node.group) {
        this.tip.hide(true);
        this.open(object.node.group);
        return;
      }
      this.tell(object, true);
      this.pick(object.version);
    });
  }

  tell(object, pin = false) {
    if (object) this.tip.show(object.id, object.version, object.group, pin);
  }

  /** mark marks the objects that a place in the source has made, or those of its line if it has made none; null: no object. */
  mark(place) {
    this.pointed = place;
    const exact = [...this.objects.values()].some(({ version }) => place?.column && madeAt(version, place));
    if (place && !exact) this.pointed = { line: place.line, column: 0 };
    for (const object of this.drawn.values()) this.markObject(object);
  }

  markObject(object) {
    set(object.group, "data-pointed", madeAt(object.version, this.pointed) ? "" : null);
  }

  get objects() {
    return this.scene.objects;
  }

  /** show draws state k of a window. step has led to it, null before the first. */
  show(win, k, step) {
    const fresh = this.win !== win;
    const anchor = fresh && this.win && Math.abs(k - this.k) <= leap ? this.anchor(win) : null;
    if (fresh) this.scene = new Scene(win);
    Object.assign(this, { win, k, step });
    const changed = this.scene.go(k);
    if (this.tip.shown !== null && !this.objects.has(this.tip.shown)) this.tip.hide(true);
    if (this.view.width && fresh) this.arrange(anchor);
    else if (this.follow) this.toRedex(!changed);
    if (fresh || !changed || this.frame) this.draw();
    else this.touch(changed);
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
    const all = around(win.nodes);
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
    const scale = view.own ? view.scale : 0.9;
    const here = this.seek(scale);
    if (here) view.centre(here, scale);
  }

  /** seek returns the box that is to be seen at a scale: what the step is about, with what is near it. */
  seek(scale) {
    const { scene, step, view } = this;
    const room = view.room(scale);
    const core = subject(scene, step, room);
    return core && wider(core, scene.objects, room);
  }

  /** toRedex pans to what the step is about, where that isn't seen; after a leap it comes into the middle. */
  toRedex(leapt = false) {
    const { scene, step, view } = this;
    if (!scene || !view.width) return;
    const core = subject(scene, step, view.room());
    if (!core || view.shows(core)) return;
    const whole = wider(core, scene.objects, view.room());
    if (leapt) view.centre(whole);
    else view.reveal(whole);
  }

  /** fit shows all objects of this state. */
  fit() {
    const all = this.win && around([...this.objects.values()].map(({ node }) => node));
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
    this.touch(new Set([...this.drawn.keys(), ...this.lines.keys(), ...this.objects.keys()]));
    this.mapFrame ??= requestAnimationFrame(() => { // it asks for a layout: once a frame
      this.mapFrame = null;
      if (this.win) drawMap(this.map, this);
    });
  }

  /** touch draws what has changed of the state, and what the step lights. */
  touch(changed) {
    if (!this.view.width) return;
    const { scene, step } = this;
    const seen = this.view.seen(margin);
    const operands = new Set(step?.operands ?? []);
    const lit = [step?.node, ...operands];
    for (const id of new Set([...changed, ...this.lit, ...lit])) this.touchObject(id, seen, operands);
    const sent = scene.arrivals.map((arrival) => arrival.from);
    const owners = new Set([...changed, ...this.sent, ...sent]);
    for (const id of changed) for (const owner of scene.owners.get(id) ?? []) owners.add(owner);
    const hot = new Set(scene.arrivals.map((arrival) => `${arrival.from}/${scene.headOf(arrival)}`));
    for (const id of owners) this.touchLines(id, seen, hot);
    Object.assign(this, { lit, sent });
    this.tabStop();
  }

  touchObject(id, seen, operands) {
    const now = this.objects.get(id);
    let object = this.drawn.get(id);
    if (!now || (id !== this.focus && !meets(boxOf(now.node), seen))) {
      object?.group.remove();
      this.drawn.delete(id);
      return;
    }
    if (!object) {
      object = new ObjectView(id);
      this.drawn.set(id, object);
      this.nodes.append(object.group);
    }
    object.paint(now.node, now.version);
    object.light(id === this.step?.node ? "redex" : operands.has(id) ? "operand" : "");
    this.markObject(object);
  }

  /** touchLines draws the edges of an object. */
  touchLines(id, seen, hot) {
    const now = this.objects.get(id);
    const before = this.lines.get(id) ?? [];
    const drawn = (now ? this.scene.lines(now) : []).map((line, i) => {
      if (!line || !this.objects.has(line.edge.to) || !meets(line.box, seen)) return null;
      const more = [hot.has(`${id}/${i}`) && " hot", now.version.spent && " spent", line.long && " long"].filter(Boolean).join("");
      return this.line(before[i], line, `edge ${line.edge.as}${more}`);
    });
    before.forEach((line, i) => line && !drawn[i] && line.node.remove());
    if (drawn.some(Boolean)) this.lines.set(id, drawn);
    else this.lines.delete(id);
  }

  /** line draws an edge; what it is like already isn't touched: there are thousands. */
  line(before, { edge, data }, name) {
    const line = before ?? { node: shape("path") };
    if (line.data !== data) line.node.setAttribute("d", data);
    if (line.name !== name) {
      line.node.setAttribute("class", name);
      set(line.node, "marker-start", edge.as === "head" ? "url(#gx-back)" : null);
      set(line.node, "marker-end", edge.as === "waits" || edge.as === "binds" ? "url(#gx-forth)" : null);
    }
    if (!before) this.edges.append(line.node);
    return Object.assign(line, { data, name });
  }

  /** chip shows what this step sends along edges: it moves there where motion is allowed. */
  chip() {
    this.chips.replaceChildren();
    for (const arrival of this.scene.arrivals) {
      const source = this.objects.get(arrival.from);
      const line = source && this.scene.lines(source)[this.scene.headOf(arrival)];
      if (!line || !this.objects.has(arrival.to)) continue;
      const { value } = arrival;
      const { points } = line;
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
    if (left < 0) put(this.left, `Only what is near this step is shown, of ${live} nodes in memory.`);
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

  /** regrouped forgets the window whose groups are others now. */
  regrouped() {
    this.win = null;
    this.view.own = false;
    this.focus = null;
  }

  /** without says why there is no graph. */
  without(words) {
    this.empty.hidden = false;
    put(this.empty, words);
  }

  /** tabStop makes one object the graph's stop of the tabulator: the one last focused, or the redex. */
  tabStop() {
    const here = [this.focus, this.step?.node, this.stop].find((id) => this.drawn.has(id)) ?? this.drawn.keys().next().value;
    if (here !== this.stop) this.drawn.get(this.stop)?.group.setAttribute("tabindex", "-1");
    this.drawn.get(here)?.group.setAttribute("tabindex", "0");
    this.stop = here;
  }

  /** walk moves the keyboard's focus to the next object, from left to right, or the one before. */
  walk(back) {
    if (!this.win) return;
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

/** madeAt tells whether a place of the source has made an object; column 0 stands for the whole line. */
function madeAt(version, place) {
  return Boolean(place) && version.line === place.line && (!place.column || version.column === place.column);
}
