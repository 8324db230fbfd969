// The graph of operations: values go forward in blue, derivatives come back in red, and rule (11) makes one arrow of two.

import { grouped, put, set, shape } from "./dom.js";
import { count, events, laid, many, upto } from "./computation.js";
import { View } from "./view.js";

const legible = 0.7; // scale: below it parts are folded, and a narrow page shows the operation that is at work, and not all
const narrow = 600; // px
const buttons = 48; // px
const followed = 0.9; // scale
const whole = 400; // nodes of a graph that is drawn without folds where it is legible
const tries = 8; // parts that are opened at first

export class Operations {
  /** parts are the elements operations, plane, climax, folded; go is called with a step. */
  constructor(parts, go) {
    Object.assign(this, parts, { go, svg: parts.operations, all: null, graph: null });
    this.view = new View(this.svg, this.plane, () => this.svg.style.setProperty("--small", `${Math.max(11, 10 / this.view.scale)}px`));
    this.view.onresize = () => this.see();
  }

  /** start draws the graph of a run, if it has one, as soon as it is known how large it may be. */
  start({ info: { operations, steps, backward }, source }) {
    this.all = operations ? events(operations, steps, backward) : null;
    this.flat = operations?.nodes.length <= whole ? laid(this.all, source) : null;
    Object.assign(this, { source, open: null, graph: null, k: 0 });
    this.view.own = false;
    this.see();
    return Boolean(this.all);
  }

  /** illegible tells whether parts are folded. */
  get illegible() {
    return !this.flat || (this.view.width >= narrow && this.scaleOf(this.flat.box) < legible);
  }

  /** draw draws the graph, with parts that are folded if it would not be legible as a whole. */
  draw() {
    this.plane.replaceChildren();
    this.folds = this.illegible;
    this.graph = this.folds ? this.legible() : this.flat;
    const operations = this.all.nodes.filter(({ kind }) => kind === "operation").length;
    put(this.folded, this.folds ? `The graph has ${grouped(operations)} operations: a box stands for some, and a click opens it.` : "");
    const { nodes, edges, frames } = this.graph;
    for (const frame of frames) {
      this.plane.append(shape("g", { class: frame.layer ? "frame layer" : "frame" },
        shape("rect", { x: frame.x1, y: frame.y1, width: frame.x2 - frame.x1, height: frame.y2 - frame.y1, rx: 8 }),
        shape("text", { x: frame.x1 + 8, y: frame.y1 - 3, onclick: this.folds && !frame.layer && (() => this.turn(frame.key)) }, frame.name)));
    }
    for (const edge of edges) {
      edge.forth = shape("path", { class: "forth", d: edge.path });
      edge.back = shape("path", { class: "back", "marker-end": "url(#go-back)" });
      this.plane.append(edge.forth, edge.back);
    }
    for (const node of nodes) {
      if (node.kind === "numeral") continue;
      node.trunk = shape("path", { class: "back trunk", "marker-end": "url(#go-back)" });
      node.value = shape("text", { class: "value", y: 4 }, "");
      node.derivative = shape("text", { class: "derivative", y: 21 }, "");
      node.group = shape("g", { class: kinds(node), transform: `translate(${node.x} ${node.y})`, onclick: () => this.click(node) },
        shape("title", {}, node.members ? `${node.name}: ${count(node)}, which a click shows`
          : [node.text, node.unit && `neuron ${node.unit}`, node.part && `in ${node.part}`].filter(Boolean).join(", ")),
        shape("rect", { x: -node.w / 2, y: -node.h / 2, width: node.w, height: node.h, rx: 6 }),
        shape("text", { class: "label", y: -13 }, node.label), node.value, node.derivative);
      this.plane.append(node.trunk, node.group);
    }
  }

  /** legible lays the graph with parts folded but those that are open: at first, from the first part on, as many as leave it legible. */
  legible() {
    if (this.open) return laid(this.all, this.source, this.open, this.many);
    this.open = new Set();
    let graph;
    for (this.many of many) {
      graph = laid(this.all, this.source, this.open, this.many);
      if (this.view.width < narrow || this.scaleOf(graph.box) >= legible) break;
    }
    for (let i = 0; i < tries; i++) {
      const next = graph.nodes.find(({ kind }) => kind === "part");
      const wider = next && laid(this.all, this.source, new Set([...this.open, next.key]), this.many);
      if (!wider || this.scaleOf(wider.box) < legible) break;
      this.open.add(next.key);
      graph = wider;
    }
    return graph;
  }

  /** click goes to the step that computes a value, or opens a part. */
  click(node) {
    if (node.members) this.turn(node.key);
    else if (node.valueAt) this.go(node.valueAt);
  }

  /** turn opens a part, which then is seen at a size at which it can be read, or closes it. */
  turn(key) {
    if (!this.open.delete(key)) this.open.add(key);
    this.draw();
    this.show(this.k, this.rule);
    const frame = this.graph.frames.find((one) => one.key === key);
    this.view.own = Boolean(frame);
    if (frame) this.view.centre(frame, Math.max(legible, Math.min(1, this.scaleOf(frame))));
    else this.fit();
  }

  /** show draws state k. */
  show(k, rule) {
    Object.assign(this, { k, rule });
    if (!this.graph) return;
    const { nodes, edges } = this.graph;
    let latest = 1;
    this.at = nodes.find(({ group }) => group);
    for (const node of nodes) {
      if (!node.group) continue;
      const known = k >= node.valueAt;
      const back = node.reached && k >= node.derivedAt;
      if (node.members) {
        const values = upto(node.values, k);
        const derivatives = upto(node.derivatives, k);
        put(node.value, values && values < node.members.length ? `${values} of ${node.members.length}` : count(node));
        put(node.derivative, derivatives ? `∂ ${derivatives} of ${node.derivatives.length}` : "");
      } else {
        put(node.value, known ? node.number : "");
        put(node.derivative, back ? `∂ ${node.slope}` : "");
      }
      const turn = node.turns[upto(node.turns, k) - 1] ?? 0;
      const now = turn > 0 && turn === k;
      if (turn >= latest) {
        latest = turn;
        this.at = node;
      }
      set(node.group, "class", [kinds(node), known && "known", back && "derived", now && "now"].filter(Boolean).join(" "));
      const joined = node.merges[0] <= k;
      node.trunk.setAttribute("d", joined ? node.trunkPath : "");
      set(node.trunk, "class", `back trunk${node.merges.includes(k) ? " hot" : ""}`);
    }
    for (const { forth, back, from, to, backAt, joinAt, apart, joint } of edges) {
      set(forth, "class", k >= from.valueAt ? "forth known" : "forth");
      const joined = joinAt[0] <= k;
      back.setAttribute("d", k >= backAt && to.reached ? (joined ? joint : apart) : "");
      set(back, "class", `back${joinAt.includes(k) ? " hot" : ""}`);
      set(back, "marker-end", joined ? null : "url(#go-back)");
    }
    for (const node of nodes) if (node.group) set(node.group, "data-at", node === this.at ? "" : null);
    this.climax.hidden = rule !== "factor";
    if (!this.view.own) this.follow();
  }

  /** see shows the whole graph; of a narrow page what is at work. */
  see() {
    if (!this.all || !this.view.width) return;
    if (!this.graph || this.illegible !== this.folds) {
      this.draw();
      this.show(this.k, this.rule);
    }
    this.fitted();
    this.follow();
  }

  follow() {
    const { view, at } = this;
    if (!at || view.own || this.whole >= legible || view.width >= narrow) return;
    const y = at.y - buttons / followed;
    view.centre({ x1: at.x, y1: y, x2: at.x, y2: at.y }, followed); // the middle of what is below the buttons
  }

  fit() {
    this.view.own = false;
    this.fitted();
  }

  /** fitted shows the whole graph, below the buttons that stand on it. */
  fitted() {
    const box = this.below(this.graph.box);
    this.whole = this.view.fitting(box);
    if (!this.view.own) this.view.centre(box, this.whole);
  }

  /** below is a box with room above it for the buttons. */
  below(box) {
    return { ...box, y1: box.y1 - buttons / this.view.fitting(box) };
  }

  /** scaleOf is the scale at which a box is seen whole. */
  scaleOf(box) {
    return this.view.fitting(this.below(box));
  }
}

/** kinds are the classes of a node. */
function kinds({ kind, members }) {
  return members ? `op ${kind} box` : `op ${kind}`;
}
