// One object of the graph as a group of SVG: made once, touched where a version differs.

import { put, set, shape } from "./dom.js";
import { boxOf, lines, meets, told } from "./shapes.js";

/** roundness is the radius of a box's corners: duals are told from the others without colour. */
const roundness = (node, role) => (role === "dual" ? node.h / 2 : 4);

function heard(version) {
  const { title, kind, place, state } = told(version);
  if (version.kind === "group") return `${version.label} ${version.value}. ${version.text}`; // a button is called what stands on it
  return [title, kind, place, ...state].filter(Boolean).join(", ");
}

export class ObjectView {
  constructor(id) {
    this.id = id;
    this.frame = shape("rect", { class: "frame" });
    this.label = shape("text", { class: "label" });
    this.group = shape("g", { class: "object", role: "img", tabindex: "-1", "data-id": id }, this.frame, this.label);
    this.parts = {}; // what only some have: value, inner, glow
  }

  /** part returns an optional element, made where it is wanted, taken away where it isn't. */
  part(name, wanted, make, first = false) {
    if (!wanted) {
      this.parts[name]?.remove();
      delete this.parts[name];
      return null;
    }
    if (!this.parts[name]) {
      this.parts[name] = make();
      if (first) this.group.prepend(this.parts[name]);
      else this.group.append(this.parts[name]);
    }
    return this.parts[name];
  }

  /** paint shows a version of a node. */
  paint(node, version) {
    if (this.node === node && this.version === version) return;
    const { w, h } = node;
    const r = roundness(node, version.role);
    set(this.group, "transform", `translate(${node.x - w / 2} ${node.y - h / 2})`);
    set(this.group, "aria-label", heard(version));
    set(this.group, "role", node.group ? "button" : "img");
    this.state = `object ${version.role}${node.group ? " group" : ""}${version.waits ? " waiting" : ""}${version.spent ? " spent" : ""}${version.root ? " root" : ""}`;
    for (const [name, value] of Object.entries({ width: w, height: h, rx: r })) set(this.frame, name, value);

    const [first, second] = lines(node, version);
    put(this.label, first);
    set(this.label, "x", w / 2);
    set(this.label, "y", second === undefined ? h / 2 : h / 2 - 7);
    const value = this.part("value", second !== undefined, () => shape("text", { class: "value" }));
    if (value) {
      put(value, ` ${second}`); // a space between two lines, for those who hear them; it isn't seen
      set(value, "x", w / 2);
      set(value, "y", h / 2 + 8);
    }
    const inner = this.part("inner", version.root, () => shape("rect", { class: "inner" }));
    if (inner) {
      for (const [name, v] of Object.entries({ x: -4, y: -4, width: w + 8, height: h + 8, rx: r + 4 })) set(inner, name, v);
    }
    this.node = node;
    this.version = version;
    this.box = boxOf(node);
  }

  /** light marks the object as the redex, as one of its operands, or as nothing: "". */
  light(as) {
    const glow = this.part("glow", as === "redex", () => shape("rect", { class: "glow" }), true);
    if (glow) {
      const { w, h } = this.node;
      const r = roundness(this.node, this.version.role) + 7;
      for (const [name, v] of Object.entries({ x: -7, y: -7, width: w + 14, height: h + 14, rx: r })) set(glow, name, v);
    }
    const name = as ? `${this.state} ${as}` : this.state;
    if (name !== this.name) this.group.setAttribute("class", name);
    this.name = name;
  }

  meets(box) {
    return meets(this.box, box);
  }
}
