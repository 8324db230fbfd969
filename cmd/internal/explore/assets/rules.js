// The counters, and what is told of a step: its rule in words, as a rewrite and as a picture.

import * as api from "./api.js";
import { el, grouped, put } from "./dom.js";
import { phaseTotals } from "./state.js";

const arrow = { primal: "→", backward: "←" };

/** titled is a rule's number and name. */
const titled = (rule) => `(${rule.number}) ${rule.name}`;

const place = (step) => (step.line ? `line ${step.line}, column ${step.column}` : "no place in the source");

export class Counters {
  /** jump(rule, back) is called when the reader wants the next step by a rule, or the one before. */
  constructor(parts, jump) {
    Object.assign(this, parts);
    this.counters.addEventListener("click", (e) => {
      const button = e.target.closest("button");
      if (button) jump(button.dataset.rule, button.dataset.way === "back" || e.shiftKey);
    });
  }

  /** start shows the counters of a run: the rules that fire in it. */
  start(info) {
    this.info = info;
    this.rows = info.rules.map((rule) => (rule.steps ? this.row(rule) : null));
    this.counters.replaceChildren(...this.rows.filter(Boolean).map((row) => row.node));
    const silent = info.rules.filter((rule) => !rule.steps);
    put(this.silent, silent.length ? `Not in this run: ${silent.map((rule) => rule.name).join(", ")}.` : "");
  }

  row(rule) {
    const bar = el("span", { class: "bar-fill" });
    const count = el("span", { class: "count" });
    const button = (way, text, label) => el("button", { type: "button", class: `hop ${way}`, "data-rule": rule.name, "data-way": way, "aria-label": label, title: label }, text);
    const main = el("button", { type: "button", class: "counter", "data-rule": rule.name, "data-way": "on", title: `${rule.text} — next step by this rule; with Shift the one before` },
      bar, el("span", { class: "no" }, rule.number), el("span", { class: "name" }, rule.name), count, el("span", { class: "total" }, grouped(rule.steps)));
    const node = el("div", { class: "row", role: "listitem" }, button("back", "‹", `Step before by ${rule.name}`), main, button("on", "›", `Next step by ${rule.name}`));
    return { node, main, bar, count, rule };
  }

  /** show shows how far each rule has come. */
  show(counts, step, segments, k) {
    this.rows.forEach((row, i) => {
      if (!row) return;
      put(row.count, grouped(counts[i]));
      row.bar.style.transform = `scaleX(${counts[i] / row.rule.steps})`;
      row.node.classList.toggle("fires", step?.rule === i);
    });
    this.showPhases(segments, k);
  }

  showPhases(segments, k) {
    this.phases.hidden = !segments;
    if (!segments) return;
    const now = phaseTotals(segments, k);
    const all = phaseTotals(segments, this.info.steps);
    this.phases.replaceChildren(...["primal", "backward"].filter((phase) => all[phase]).map((phase) =>
      el("p", { class: phase }, el("span", {}, `${arrow[phase]} ${phase}`), el("span", { class: "count" }, grouped(now[phase])), el("span", { class: "total" }, grouped(all[phase])))));
  }
}

export class StepCard {
  constructor(parts) {
    Object.assign(this, parts);
    this.pictures = new Map(); // rule → promise of its drawing
  }

  /** show tells of the step that led to state k, null before the first; next is the one behind it, if it is known. */
  show(info, k, step, next) {
    const rule = step && info.rules[step.rule];
    const phase = step?.phase ?? next?.phase ?? "primal";
    this.phase.className = `phase ${phase}`;
    put(this.phase, `${phase === "backward" ? "← backward" : "primal →"}`);
    put(this.where, k === 0 ? "before the first step" : step ? place(step) : "");
    this.hops.hidden = !step?.line;
    put(this.rule, rule ? titled(rule) : k === 0 ? "Start" : `Step ${grouped(k)}`);
    put(this.says, rule ? (step.says ?? rule.says) : k === 0 ? "Step forward, or play." : "");
    put(this.general, rule && step.says ? rule.says : "");
    put(this.rewrite, rule ? rule.text : "");
    put(this.notes, step ? `${grouped(step.live)} ${step.live === 1 ? "node" : "nodes"} in memory.` : "");
    put(this.next, next ? `Next: ${titled(info.rules[next.rule])}${next.line ? `, line ${next.line}` : ""}` : k === info.steps ? "This is the last step." : "");
    this.draw(rule ? rule.name : null);
  }

  /** draw shows a rule's picture; until it is there the one before stays. */
  async draw(name) {
    this.wanted = name;
    if (name === this.shown) return;
    if (name === null) {
      this.picture.replaceChildren();
      this.shown = null;
      return;
    }
    if (!this.pictures.has(name)) this.pictures.set(name, this.load(name));
    const drawing = await this.pictures.get(name);
    if (this.wanted !== name || this.shown === name) return;
    this.shown = name;
    this.picture.replaceChildren(...(drawing ? [drawing] : []));
  }

  async load(name) {
    try {
      const svg = new DOMParser().parseFromString(await api.picture(name), "image/svg+xml").documentElement;
      if (svg.localName !== "svg") return null;
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", `Picture of rule ${name}, before and after`);
      return document.importNode(svg, true);
    } catch {
      this.pictures.delete(name); // asked for again the next time
      return null;
    }
  }
}
