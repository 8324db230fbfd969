// The program as text to edit, with errors under their lines.

import { el, put } from "./dom.js";
import * as store from "./store.js";
import { tokens } from "./tokens.js";

const tab = "  ";

/** columnsOf returns how wide the first n characters of a line stand, in characters. */
const columnsOf = (line, n) => [...line].slice(0, n).join("").replaceAll("\t", tab).length;

export class Editor {
  /** parts are the elements form, pane, text, tint, numbers, marks, message, run, revert, leave; on has run(text), leave() and changed(). */
  constructor(parts, on) {
    Object.assign(this, parts, { on });
    this.source = "";
    this.text.addEventListener("input", () => this.typed());
    this.text.addEventListener("keydown", (e) => this.key(e));
    this.form.addEventListener("submit", (e) => {
      e.preventDefault();
      on.run(this.text.value);
    });
    this.form.addEventListener("keydown", (e) => {
      if (e.key === "Escape") on.leave();
    });
    this.leave.addEventListener("click", () => on.leave());
    this.revert.addEventListener("click", () => {
      this.fill(this.source);
      this.typed();
      this.text.focus();
    });
  }

  get opened() {
    return !this.form.hidden;
  }

  /** changed tells whether there is something that was typed and hasn't run. */
  get changed() {
    return store.draft() !== null;
  }

  /** open shows what was typed before, or else the program that runs. */
  open(source) {
    this.source = source;
    this.fill(store.draft() ?? source);
    this.form.hidden = false;
    this.measure();
    this.text.focus({ preventScroll: true });
  }

  close() {
    this.form.hidden = true;
  }

  fill(text) {
    this.text.value = text;
    this.clear();
    this.measure();
    this.revert.hidden = text === this.source;
  }

  /** ran says that a program runs now: it is what changes are compared with. */
  ran(source) {
    this.source = source;
    if (this.text.value === source) store.keepDraft(null);
    this.revert.hidden = this.text.value === source;
    this.clear();
  }

  typed() {
    store.keepDraft(this.text.value === this.source ? null : this.text.value);
    this.revert.hidden = this.text.value === this.source;
    this.measure();
    this.form.classList.add("stale"); // the errors are those of an older text
    this.on.changed();
  }

  key(e) {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      this.on.run(this.text.value);
    } else if (e.key === "Tab" && !e.shiftKey && !e.ctrlKey && !e.altKey) {
      e.preventDefault();
      // insertText keeps the browser's undo; where there is no such command the range is replaced.
      if (!document.execCommand("insertText", false, tab)) {
        this.text.setRangeText(tab, this.text.selectionStart, this.text.selectionEnd, "end");
        this.typed();
      }
    }
  }

  /** measure gives the field the size of its text, so that all of the sheet scrolls together, and colours it. */
  measure() {
    const lines = this.text.value.split("\n");
    this.tint.replaceChildren(...lines.map((line) => el("div", {}, ...tokens(line).map(({ text, kind }) => el("span", { class: kind }, text)))));
    const widest = Math.max(40, ...lines.map((line) => columnsOf(line, Infinity)));
    this.text.style.width = `${widest + 3}ch`;
    this.text.rows = lines.length;
    if (this.numbers.childElementCount !== lines.length) {
      this.numbers.replaceChildren(...lines.map((_, i) => el("span", {}, String(i + 1))));
    }
  }

  clear() {
    this.form.classList.remove("wrong", "stale");
    this.marks.replaceChildren();
    put(this.message, "");
  }

  busy(is) {
    this.run.disabled = is;
    put(this.run, is ? "Running…" : "Run");
  }

  /** fail shows what is wrong: each error under its line, and in words below. stale: with an older text. */
  fail(diagnostics, text, stale = false) {
    this.clear();
    this.form.classList.toggle("stale", stale);
    const rows = new Map();
    for (const d of diagnostics) {
      if (d.line > 0) rows.set(d.line, [...(rows.get(d.line) ?? []), d]);
    }
    const lines = this.text.value.split("\n");
    this.form.classList.toggle("wrong", rows.size > 0);
    for (const [number, list] of rows) this.marks.append(this.row(lines[number - 1] ?? "", number, list));
    put(this.message, text); // as the command prints it
    const first = this.marks.firstElementChild;
    if (first) this.pane.scrollTo(0, first.offsetTop - this.pane.clientHeight / 2);
  }

  /** row is what stands under a line: carets under each place, and the words behind the last. */
  row(line, number, list) {
    const button = el("button", { type: "button", class: "mark-row", onclick: () => this.goTo(number, list[0]) });
    button.style.setProperty("--row", String(number - 1));
    let end = 0;
    const words = [];
    for (const d of list) {
      const from = columnsOf(line, d.column - 1);
      const to = Math.max(from + 1, columnsOf(line, d.column - 1 + Math.max(1, d.width)));
      if (from >= end) {
        const gap = el("span", { class: "carets" }, "^".repeat(to - from));
        gap.style.marginLeft = `${from - end}ch`;
        button.append(gap);
        end = to;
      }
      words.push(d.label || d.headline);
    }
    button.append(el("span", { class: "label" }, words.join("; ")));
    button.setAttribute("aria-label", `Error in line ${number}: ${list.map((d) => `${d.headline}: ${d.label ?? ""}`).join("; ")}`);
    return button;
  }

  /** goTo selects the place of an error. */
  goTo(number, d) {
    const before = this.text.value.split("\n").slice(0, number - 1).join("\n").length + (number > 1 ? 1 : 0);
    const line = this.text.value.split("\n")[number - 1] ?? "";
    const units = (n) => [...line].slice(0, n).join("").length;
    this.text.focus();
    this.text.setSelectionRange(before + units(d.column - 1), before + units(d.column - 1 + Math.max(1, d.width)));
  }
}
