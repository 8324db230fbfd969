// The program, line by line, with the redex lit.

import { el, set } from "./dom.js";
import { tokenAt, tokens } from "./tokens.js";

const margin = 24; // px above and below what is lit

function span(token) {
  return token.kind === "space" ? document.createTextNode(token.text) : el("span", { class: token.kind }, token.text);
}

export class Source {
  /**
   * jump(line, back) is called when the reader wants the next step of a line, or the one before; point with the place
   * {line, column} that the pointer is at, or null.
   */
  constructor(node, jump, point) {
    this.node = node;
    this.lit = [];
    new ResizeObserver(() => this.row && this.reveal()).observe(node);
    node.addEventListener("click", (e) => {
      const button = e.target.closest(".no");
      if (button) jump(Number(button.dataset.line), e.shiftKey);
    });
    node.addEventListener("pointerover", (e) => point(this.placeOf(e.target)));
    node.addEventListener("pointerleave", () => point(null));
  }

  /** show lists a program. */
  show(text) {
    this.lines = text.replace(/\n$/, "").split(/\r?\n/).map((line) => ({ tokens: tokens(line) }));
    this.node.replaceChildren(...this.lines.map((line, i) => {
      line.spans = line.tokens.map(span);
      line.row = el("div", { class: "line", role: "listitem" },
        el("button", { type: "button", class: "no", "data-line": i + 1, "aria-label": `Line ${i + 1}: next step`, title: "Next step of this line; with Shift the one before" }, String(i + 1)),
        el("code", {}, ...line.spans));
      return line.row;
    }));
    this.lit = [];
    this.row = this.current = null;
  }

  /** placeOf returns the place in the source that an element of the listing is of: column 0 is the whole line. */
  placeOf(target) {
    const row = target.closest?.(".line");
    const line = this.lines.findIndex((one) => one.row === row) + 1;
    if (!line) return null;
    const i = this.lines[line - 1].spans.indexOf(target);
    return { line, column: i < 0 ? 0 : this.lines[line - 1].tokens[i].column };
  }

  /** point marks the place of an object that the pointer is at, or none. */
  point(place) {
    this.pointed?.classList.remove("pointed");
    const line = place?.line ? this.lines[place.line - 1] : null;
    const i = line ? tokenAt(line.tokens, place.column) : -1;
    this.pointed = i < 0 ? null : line.spans[i];
    this.pointed?.classList.add("pointed");
  }

  /** light marks the place of the step that was made, that of the next one, and one that was picked. */
  light(now, next, picked = null) {
    for (const [node, name] of this.lit) node.classList.remove(name);
    this.lit = [];
    this.mark(picked, "picked");
    this.mark(next, "next");
    const row = this.mark(now, "now");
    if (row !== this.current) {
      if (this.current) set(this.current, "aria-current", null);
      if (row) set(row, "aria-current", "step");
      this.current = row;
    }
    this.row = picked ? this.lines[picked.line - 1]?.row : row;
    if (!this.row) return;
    this.frame ??= requestAnimationFrame(() => { // it asks for a layout: once a frame
      this.frame = null;
      if (this.row) this.reveal();
    });
  }

  mark(place, name) {
    const line = place?.line ? this.lines[place.line - 1] : null;
    if (!line) return null;
    const i = tokenAt(line.tokens, place.column);
    if (name === "now") this.add(line.row, "current");
    if (i >= 0) this.add(line.spans[i], name);
    return line.row;
  }

  add(node, name) {
    node.classList.add(name);
    this.lit.push([node, name]);
  }

  /** reveal scrolls the listing, and nothing around it, until what is lit is seen. */
  reveal() {
    const { node, row } = this;
    if (!node.clientHeight) return;
    const lit = row.querySelector(".picked, .now") ?? row; // a row may be higher than the listing
    const top = lit.offsetTop - node.offsetTop;
    const room = Math.min(lit.offsetHeight, 2 * margin);
    const whole = row.offsetTop - node.offsetTop + row.offsetHeight;
    const end = Math.min(Math.max(top + 2 * room, whole), top - room + node.clientHeight);
    if (top < node.scrollTop + room) node.scrollTop = top - room;
    else if (end > node.scrollTop + node.clientHeight) node.scrollTop = end - node.clientHeight;
  }
}
