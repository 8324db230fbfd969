// The graph of operations: values go forward in blue, derivatives come back in red, and rule (11) makes one arrow of two.

import { put, set, shape } from "./dom.js";
import { events, laid } from "./computation.js";
import { View } from "./view.js";

const legible = 0.62; // scale: below it a narrow page shows the operation that is at work, and not all
const narrow = 600; // px
const buttons = 48; // px

export class Operations {
  /** parts are the elements operations, plane, climax; go is called with a step. */
  constructor(parts, go) {
    Object.assign(this, parts, { go, svg: parts.operations, graph: null });
    this.view = new View(this.svg, this.plane, () => this.svg.style.setProperty("--small", `${Math.max(11, 10 / this.view.scale)}px`));
    this.view.onresize = () => this.see();
  }

  /** start draws the graph of a run, if it has one. */
  start({ info: { operations, steps, backward }, source }) {
    this.graph = operations ? laid(events(operations, steps, backward), source) : null;
    this.plane.replaceChildren();
    this.view.own = false;
    if (!this.graph) return false;
    const { nodes, edges, frames } = this.graph;
    for (const frame of frames) {
      this.plane.append(shape("g", { class: frame.layer ? "frame layer" : "frame" },
        shape("rect", { x: frame.x1, y: frame.y1, width: frame.x2 - frame.x1, height: frame.y2 - frame.y1, rx: 8 }),
        shape("text", { x: frame.x1 + 8, y: frame.y1 - 3 }, frame.name)));
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
      node.group = shape("g", { class: `op ${node.kind}`, transform: `translate(${node.x} ${node.y})`, onclick: () => node.valueAt && this.go(node.valueAt) },
        shape("title", {}, [node.text, node.unit && `neuron ${node.unit}`, node.part && `in ${node.part}`].filter(Boolean).join(", ")),
        shape("rect", { x: -node.w / 2, y: -node.h / 2, width: node.w, height: node.h, rx: 6 }),
        shape("text", { class: "label", y: -13 }, node.label), node.value, node.derivative);
      this.plane.append(node.trunk, node.group);
    }
    this.see();
    return true;
  }

  /** show draws state k. */
  show(k, rule) {
    if (!this.graph) return;
    this.k = k;
    const { nodes, edges } = this.graph;
    let latest = 0;
    for (const node of nodes) {
      if (!node.group) continue;
      const known = k >= node.valueAt;
      const back = node.reached && k >= node.derivedAt;
      put(node.value, known ? node.number : "");
      put(node.derivative, back ? `∂ ${node.slope}` : "");
      const turns = [node.valueAt, node.firesAt, ...node.merges].filter((step) => step && step <= k);
      const now = turns.includes(k);
      if (Math.max(0, ...turns) >= latest) {
        latest = Math.max(0, ...turns);
        this.at = node;
      }
      set(node.group, "class", ["op", node.kind, known && "known", back && "derived", now && "now"].filter(Boolean).join(" "));
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
    this.fitted();
    this.follow();
  }

  follow() {
    const { view, at } = this;
    if (!at || view.own || this.whole >= legible || view.width >= narrow) return;
    view.centre({ x1: at.x, y1: at.y, x2: at.x, y2: at.y }, 0.9);
  }

  fit() {
    this.view.own = false;
    this.fitted();
  }

  /** fitted shows the whole graph, below the buttons that stand on it. */
  fitted() {
    const { box } = this.graph;
    const whole = { ...box, y1: box.y1 - buttons / this.view.fitting(box) };
    this.whole = this.view.fitting(whole);
    if (!this.view.own) this.view.centre(whole, this.whole);
  }
}
