// The graph of operations: values go forward in blue, derivatives come back in red, and rule (11) makes one arrow of two.

import { put, set, shape } from "./dom.js";
import { events, laid } from "./computation.js";
import { View } from "./view.js";

const legible = 0.7; // scale: below it parts are folded, and a narrow page shows the operation that is at work, and not all
const narrow = 600; // px
const buttons = 48; // px
const followed = 0.9; // scale

export class Operations {
  /** parts are the elements operations, plane, climax; go is called with a step. */
  constructor(parts, go) {
    Object.assign(this, parts, { go, svg: parts.operations, graph: null });
    this.view = new View(this.svg, this.plane, () => this.svg.style.setProperty("--small", `${Math.max(11, 10 / this.view.scale)}px`));
    this.view.onresize = () => this.see();
  }

  /** start draws the graph of a run, if it has one. */
  start({ info: { operations, steps, backward }, source }) {
    this.all = operations ? events(operations, steps, backward) : null;
    this.source = source;
    this.open = null;
    this.view.own = false;
    this.k = 0;
    this.draw();
    this.see();
    return Boolean(this.graph);
  }

  /** draw draws the graph, with parts that are folded if it would not be legible as a whole. */
  draw() {
    this.graph = this.all && laid(this.all, this.source);
    this.plane.replaceChildren();
    if (!this.graph) return;
    this.folds = this.view.width >= narrow && this.scaleOf(this.graph.box) < legible;
    if (this.folds) this.graph = this.legible();
    const { nodes, edges, frames } = this.graph;
    for (const frame of frames) {
      this.plane.append(shape("g", { class: frame.layer ? "frame layer" : "frame" },
        shape("rect", { x: frame.x1, y: frame.y1, width: frame.x2 - frame.x1, height: frame.y2 - frame.y1, rx: 8 }),
        shape("text", { x: frame.x1 + 8, y: frame.y1 - 3, onclick: this.folds && !frame.layer && (() => this.turn(frame.name)) }, frame.name)));
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
    if (this.open) return laid(this.all, this.source, this.open);
    this.open = new Set();
    for (let graph = laid(this.all, this.source, this.open); ;) {
      const next = graph.nodes.find(({ kind }) => kind === "part");
      const wider = next && laid(this.all, this.source, new Set([...this.open, next.name]));
      if (!wider || this.scaleOf(wider.box) < legible) return graph;
      this.open.add(next.name);
      graph = wider;
    }
  }

  /** click goes to the step that computes a value, or opens a part. */
  click(node) {
    if (node.members) this.turn(node.name);
    else if (node.valueAt) this.go(node.valueAt);
  }

  /** turn opens a part, which then is seen at a size at which it can be read, or closes it. */
  turn(name) {
    if (!this.open.delete(name)) this.open.add(name);
    this.draw();
    this.show(this.k, this.rule);
    const frame = this.graph.frames.find((one) => one.name === name);
    this.view.own = Boolean(frame);
    if (frame) this.view.centre(frame, Math.max(legible, Math.min(1, this.scaleOf(frame))));
    else this.fit();
  }

  /** show draws state k. */
  show(k, rule) {
    if (!this.graph) return;
    Object.assign(this, { k, rule });
    const { nodes, edges } = this.graph;
    let latest = 0;
    for (const node of nodes) {
      if (!node.group) continue;
      const known = k >= node.valueAt;
      const back = node.reached && k >= node.derivedAt;
      const there = (is) => node.members.filter(is).length;
      if (node.members) {
        const values = there(({ valueAt }) => k >= valueAt);
        const derivatives = there(({ reached, derivedAt }) => reached && k >= derivedAt);
        put(node.value, values && values < node.members.length ? `${values} of ${count(node)}` : count(node));
        put(node.derivative, derivatives ? `∂ ${derivatives} of ${there(({ reached }) => reached)}` : "");
      } else {
        put(node.value, known ? node.number : "");
        put(node.derivative, back ? `∂ ${node.slope}` : "");
      }
      const turns = node.turns.filter((step) => step <= k);
      const now = turns.includes(k);
      if (Math.max(0, ...turns) >= latest) {
        latest = Math.max(0, ...turns);
        this.at = node;
      }
      set(node.group, "class", [kinds(node), known && "known", back && "derived", now && "now"].filter(Boolean).join(" "));
      const joined = node.merges.some((step) => step <= k);
      node.trunk.setAttribute("d", joined ? node.trunkPath : "");
      set(node.trunk, "class", `back trunk${node.merges.includes(k) ? " hot" : ""}`);
    }
    for (const { forth, back, from, to, backAt, joinAt, apart, joint } of edges) {
      set(forth, "class", k >= from.valueAt ? "forth known" : "forth");
      const joined = joinAt.some((step) => step <= k);
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
    if (!this.graph || !this.view.width) return;
    const folds = this.view.width >= narrow && this.scaleOf(laid(this.all, this.source).box) < legible;
    if (folds !== this.folds) {
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

/** count is how many nodes a box stands for. */
function count({ kind, members }) {
  return `${members.length} ${kind === "input" ? "inputs" : members.length > 1 ? "operations" : "operation"}`;
}

/** kinds are the classes of a node. */
function kinds({ kind, members }) {
  return members ? `op ${kind} box` : `op ${kind}`;
}
