// gram explore: the page of a run. This file joins its parts; see state.js for what a state is.

import * as api from "./api.js";
import * as link from "./link.js";
import * as store from "./store.js";
import { Controls } from "./controls.js";
import { by, calm, el, put, set } from "./dom.js";
import { Editor } from "./editor.js";
import { Graph } from "./graph.js";
import { heat } from "./heat.js";
import { listen } from "./keys.js";
import { Operations } from "./operations.js";
import { Notices } from "./notices.js";
import { Counters, StepCard } from "./rules.js";
import { recorded } from "./recorded.js";
import { Run } from "./run.js";
import { placeAt } from "./map.js";
import { Source } from "./source.js";
import { split } from "./splitter.js";
import { Tip } from "./tip.js";
import { Tour } from "./tour.js";

const some = (...ids) => Object.fromEntries(ids.map((id) => [id, by(id)]));
const rest = 400; // ms between two changes of the address: browsers count them
const tick = 1000; // ms between two words of how long a run takes

class App {
  constructor() {
    document.body.classList.toggle("recorded", recorded());
    this.notices = new Notices();
    this.graph = new Graph(some("world", "edges", "nodes", "chips", "left", "empty", "graph", "map"), new Tip(by("tip"), by("stage")), {
      pick: (version) => this.tour.pick(version),
      point: (version) => this.tour.source.point(version),
      open: (key) => this.tour.group(key, true),
    });
    this.operations = new Operations(some("operations", "plane", "climax", "folded"), (k) => this.tour.visit(k));
    this.tour = new Tour({
      graph: this.graph,
      source: new Source(by("listing"), (line, back) => this.tour.byLine(line, back), (place) => this.tour.run && this.graph.mark(place)),
      counters: new Counters(some("counters", "phases", "silent"), (rule, back) => this.tour.byRule(rule, back)),
      card: new StepCard(some("phase", "where", "rule", "says", "general", "rewrite", "notes", "next", "picture", "hops")),
      controls: new Controls({
        go: (k) => this.tour.visit(k),
        by: (n) => this.tour.by(n),
        toggle: () => this.tour.player.toggle(),
        toBackward: () => this.tour.toBackward(),
        rate: (n) => { this.tour.player.rate = n; },
        paced: (name) => this.tour.setPace(name),
      }),
      notices: this.notices,
    }, {
      trouble: (error, again) => this.trouble(error, again),
      moved: (k) => this.moved(k),
      grouped: (keys) => this.grouped(keys),
    });
    this.editor = new Editor({ form: by("editor"), ...some("pane", "text", "tint", "numbers", "marks", "message", "run", "revert", "leave") }, {
      run: (text) => this.submit(text, this.of, 0),
      leave: () => this.leave(),
      changed: () => this.named(),
    });
    this.wire();
  }

  /** start loads the program of the command line, or that of the link. */
  async start() {
    try {
      this.file = await api.file();
    } catch (error) {
      this.trouble(error, () => this.start());
      return;
    }
    store.open(this.file.name);
    document.title = `${this.file.name} – gram explore`;
    await this.follow();
    if (store.draft() !== null && !this.editor.opened) this.edit();
  }

  /** follow shows what the address says. */
  follow(hash = location.hash) {
    const { step, of, source, edited, given } = link.read(hash);
    const kept = edited ? store.source() : null;
    if (edited && kept === null) this.notices.banner("link", "The program of this link was too long for a link. This is the file’s.", [["Close", () => this.notices.clear("link")]]);
    const text = source ?? kept ?? this.file.source;
    const what = of || this.file.of || "gradient";
    const { run } = this.tour;
    if (run && run.source === text && run.of === what) return this.tour.visit(step);
    return this.submit(text, what, step, !given);
  }

  /** submit runs a program; the run before stays on the page until this one is there. introduced: no step was asked for. */
  async submit(source, of, step, introduced = false) {
    this.request?.abort();
    const request = (this.request = new AbortController());
    clearTimeout(this.retry);
    this.of = of;
    this.choose(of);
    this.editor.busy(true);
    const begun = Date.now();
    const ticking = setInterval(() => this.notices.banner("progress", `The program is being run, for ${Math.round((Date.now() - begun) / 1000)} s so far.`), tick);
    try {
      const run = await Run.start(source, of, request.signal);
      await this.tour.start(run, step, () => this.request === request);
      if (this.request === request) this.started(run);
      if (this.request === request && introduced) this.introduce();
    } catch (error) {
      if (this.request === request) this.refused(error, source, of, step);
    } finally {
      clearInterval(ticking);
      if (this.request === request) {
        this.notices.clear("progress");
        this.editor.busy(false);
      }
    }
  }

  /** introduce plays the run until the reader does something. */
  introduce() {
    const { tour } = this;
    tour.introduce(calm());
    const stop = (e) => {
      for (const kind of ["pointerdown", "keydown", "wheel"]) removeEventListener(kind, stop, true);
      if (e.key !== " " && !e.target.closest?.("#play")) tour.player.pause();
    };
    for (const kind of ["pointerdown", "keydown", "wheel"]) addEventListener(kind, stop, { capture: true, passive: true });
  }

  started(run) {
    for (const key of ["gone", "trouble", "switch"]) this.notices.clear(key);
    store.keepSource(run.source === this.file.source ? null : run.source);
    if (this.editor.opened) {
      this.editor.ran(run.source);
      if (!this.editor.changed) this.leave();
    }
    this.named();
    this.shows(this.operations.start(run) && this.chosen !== "memory" ? "operations" : "memory");
    by("views").hidden = !this.operations.all;
    this.moved(this.tour.k);
    const { stopped, smaller, noOperations } = run.info;
    put(by("without"), noOperations ? `There is no graph of operations: ${noOperations}. This is the machine’s memory, in groups: a click opens one.` : "");
    this.notices.clear("smaller");
    if (smaller) this.notices.banner("smaller", `The program is too large to be run step by step. This is a smaller one: ${smaller.join(", ")}.`, [["Close", () => this.notices.clear("smaller")]]);
    if (stopped) this.notices.banner("stopped", `The run was stopped: ${stopped}. What was done before can be explored.`, [["Close", () => this.notices.clear("stopped")]]);
    else this.notices.clear("stopped");
  }

  /** refused tells why a program doesn't run. */
  refused(error, source, of, step) {
    const { run } = this.tour;
    if (error.kind !== "wrong") {
      if (run) this.choose(this.of = run.of);
      this.trouble(error, () => this.submit(source, of, step));
      return;
    }
    if (run && run.source === source && run.of !== of) {
      this.choose(this.of = run.of);
      this.notices.banner("switch", sentence(error.message), [["Close", () => this.notices.clear("switch")]]);
      return;
    }
    if (!run) this.graph.without("The program is wrong: it hasn’t run.");
    const typed = !this.editor.opened && store.draft() !== null; // since then: it isn't overwritten
    if (!this.editor.opened) this.edit(typed ? undefined : source);
    this.editor.fail(error.diagnostics, error.text, typed);
  }

  /** trouble shows what has gone wrong with the server, and offers to try again. */
  trouble(error, again) {
    if (error.name === "AbortError") return;
    const retry = () => {
      clearTimeout(this.retry);
      for (const key of ["gone", "trouble"]) this.notices.clear(key);
      again();
    };
    if (error.kind === "gone") {
      const more = this.tour.run ? " What you have typed is kept." : "";
      this.notices.banner("gone", `${error.message}. Start it again and reload.${more}`, [["Try again", retry], ["Reload", () => location.reload()]], true);
    } else if (error.kind === "busy") {
      this.notices.banner("trouble", `${sentence(error.message)} Trying again in ${error.retry} s.`, [["Now", retry]]);
      this.retry = setTimeout(retry, 1000 * error.retry);
    } else if (error.kind === "large") {
      this.notices.banner("trouble", `The program is too large. ${sentence(error.message)}`, [["Close", () => this.notices.clear("trouble")]], true);
    } else {
      this.notices.banner("trouble", sentence(error.message), [["Try again", retry], ["Close", () => this.notices.clear("trouble")]], true);
    }
  }

  edit(text) {
    if (recorded()) return;
    document.body.classList.add("editing");
    by("main").dataset.tab = "program";
    this.tabs();
    this.editor.open(this.tour.run?.source ?? text ?? this.file?.source ?? "");
    if (text !== undefined) this.editor.fill(text);
    by("listing").hidden = by("result").hidden = true;
    this.named();
  }

  leave() {
    if (!this.editor.opened) return;
    this.editor.close();
    document.body.classList.remove("editing");
    by("listing").hidden = by("result").hidden = false;
    this.named();
    by("edit").focus({ preventScroll: true });
  }

  /** named shows the name of the file, and whether the program is still the file's. */
  named() {
    const { run } = this.tour;
    const example = run && run.source !== this.file?.source && this.examples?.find(({ source }) => source === run.source);
    put(by("file"), example ? `${example.name}.gram` : `${this.file?.name ?? ""}${run && run.source !== this.file.source ? " (edited)" : ""}`);
    by("edit").hidden = this.editor.opened;
    put(by("edit"), this.editor.changed ? "Edit · unsaved text" : "Edit");
  }

  choose(of) {
    for (const what of ["gradient", "value"]) set(by(`of-${what}`), "aria-pressed", String(what === of));
  }

  /** grouped shows which groups of objects are open: each can be closed. */
  grouped(all) {
    const keys = all.filter((key) => !key.includes(", step ")); // iterations close with their line
    const shown = keys.join("\n");
    if (shown === this.shownGroups) return;
    this.shownGroups = shown;
    const name = (key) => (key === "*" ? "all groups" : key);
    by("groups").replaceChildren(...keys.map((key) => el("button", { type: "button", class: "chip-button", onclick: () => this.tour.group(key, false) },
      el("span", { class: "hear" }, "Close "), name(key), el("span", { "aria-hidden": "true" }, " ×"))));
    by("groups").hidden = keys.length === 0;
    set(by("ungroup"), "aria-pressed", String(keys.includes("*")));
  }

  /** gallery shows the examples. */
  async gallery() {
    try {
      this.examples ??= await api.examples();
    } catch (error) {
      this.trouble(error, () => this.gallery());
      return;
    }
    by("cards").replaceChildren(...this.examples.map((example) => el("li", {},
      el("button", { type: "button", class: "card", onclick: () => this.choice(example) }, el("strong", {}, example.name), el("span", {}, example.about)))));
    by("gallery").showModal();
  }

  /** choice shows an example: its gradient, or its value if it has none. */
  choice({ source, of }) {
    by("gallery").close();
    this.leave();
    this.submit(source, of, 0, true);
  }

  /** shows chooses what the graph is of: operations, or the machine's memory. */
  shows(what) {
    document.body.dataset.view = what;
    for (const one of ["operations", "memory"]) set(by(`view-${one}`), "aria-pressed", String(one === what));
    this.operations.see();
  }

  /** seen is the view of the graph that is shown. */
  get seen() {
    return document.body.dataset.view === "operations" ? this.operations : this.graph;
  }

  /** moved shows state k where it is not the graph of the memory: operations, and the results as far as they are there. */
  moved(k) {
    const { run } = this.tour;
    this.later();
    if (!run) return;
    const { info } = run;
    const step = k > 0 ? run.step(k) : null;
    this.operations.show(k, step ? info.rules[step.rule].name : "");
    const valued = k >= (info.backward ? info.backward - 1 : info.steps);
    const derived = k >= info.steps;
    const stage = `${run.source}/${run.of}/${valued}/${derived}`;
    if (stage === this.told) return;
    this.told = stage;
    this.result({
      ...info, value: info.value && (valued ? info.value : "…"),
      gradient: (info.gradient ?? []).map((one) => (derived ? one : { name: one.name, text: "…" })),
    });
  }

  result({ value, type, gradient, inputs }) {
    const row = (name, text, rows) => el("div", {}, el("dt", {}, name), el("dd", {}, rows ? heat(name, rows) : null, text));
    by("result").replaceChildren(el("dl", {},
      value ? row(type && type !== "R" ? `value : ${type}` : "value", value) : row("type", type),
      ...(gradient ?? []).map(({ name, text, rows }) => row(`∂ ${name}`, text, rows)),
      ...(inputs ?? []).map(({ name, text, rows }) => row(name, text, rows))));
  }

  /** later writes the address of the step, in a while. */
  later() {
    this.writing ??= setTimeout(() => this.write(), rest);
  }

  write() {
    clearTimeout(this.writing);
    this.writing = null;
    const { run, wanted } = this.tour;
    if (!run) return;
    const hash = link.write({ step: wanted, of: run.of, source: run.source === this.file.source ? null : run.source });
    if (hash !== location.hash) history.replaceState(null, "", hash);
  }

  async copy() {
    this.write();
    try {
      await navigator.clipboard.writeText(location.href);
      this.notices.say(location.hash.includes("edited=1") ? "The link is copied. The program is too long for it: it holds the step only." : "The link to this step is copied.");
    } catch {
      this.notices.banner("link", location.href, [["Close", () => this.notices.clear("link")]]);
    }
  }

  theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("gram.theme", root.dataset.theme);
    } catch {
      // It holds until the page is closed.
    }
  }

  help() {
    if (by("help").open) by("help").close();
    else by("help").showModal();
  }

  follows() {
    this.graph.follow = !this.graph.follow;
    set(by("follow"), "aria-pressed", String(this.graph.follow));
    if (this.graph.follow) this.graph.toRedex();
  }

  tabs() {
    for (const tab of document.querySelectorAll("[data-show]")) set(tab, "aria-pressed", String(tab.dataset.show === by("main").dataset.tab));
  }

  wire() {
    const { graph, tour } = this;
    const click = (id, act) => by(id).addEventListener("click", act);
    for (const what of ["gradient", "value"]) {
      click(`of-${what}`, () => {
        const source = tour.run?.source ?? (this.editor.opened ? this.editor.text.value : this.file?.source);
        if (what !== this.of && source !== undefined) this.submit(source, what, 0);
      });
    }
    for (const id of ["copy", "copy-small"]) click(id, () => this.copy());
    for (const [id, act] of [["theme", "theme"], ["help-open", "help"], ["help-close", "help"], ["edit", "edit"], ["follow", "follows"]]) click(id, () => this[act]());
    click("ungroup", () => tour.group("*", !tour.run?.open?.includes("*")));
    click("gallery-open", () => this.gallery());
    click("gallery-close", () => by("gallery").close());
    click("gallery", (e) => e.target === by("gallery") && by("gallery").close());
    split(by("split"));
    by("map").addEventListener("pointerdown", (e) => {
      const place = tour.win && placeAt(by("map"), tour.win, e);
      if (!place) return;
      graph.view.own = true;
      graph.view.centre(place);
    });
    click("zoom-in", () => this.seen.view.zoom(1.3));
    click("zoom-out", () => this.seen.view.zoom(1 / 1.3));
    click("fit", () => this.seen.fit());
    for (const what of ["operations", "memory"]) click(`view-${what}`, () => this.shows(this.chosen = what));
    click("line-back", () => tour.sameLine(true));
    click("line-on", () => tour.sameLine(false));
    click("help", (e) => e.target === by("help") && by("help").close());
    for (const tab of document.querySelectorAll("[data-show]")) {
      tab.addEventListener("click", () => {
        by("main").dataset.tab = tab.dataset.show;
        this.tabs();
        tour.run && tour.refresh();
      });
    }
    addEventListener("hashchange", (e) => this.file && this.follow(new URL(e.newURL).hash)); // the address may have been written since
    addEventListener("pagehide", () => this.file && this.write());
    listen({
      ArrowRight: (e) => tour.by(e.shiftKey ? 10 : 1),
      ArrowLeft: (e) => tour.by(e.shiftKey ? -10 : -1),
      " ": () => tour.player.toggle(),
      Home: () => tour.visit(0),
      End: () => tour.visit(Infinity),
      b: () => tour.toBackward(),
      g: () => tour.controls.ask(),
      "/": () => tour.controls.ask(),
      "[": () => tour.sameRule(true),
      "]": () => tour.sameRule(false),
      l: () => tour.sameLine(false),
      L: () => tour.sameLine(true),
      n: () => graph.walk(false),
      p: () => graph.walk(true),
      "+": () => this.seen.view.zoom(1.3),
      "=": () => this.seen.view.zoom(1.3),
      "-": () => this.seen.view.zoom(1 / 1.3),
      0: () => this.seen.fit(),
      m: () => this.operations.all && this.shows(this.chosen = document.body.dataset.view === "memory" ? "operations" : "memory"),
      f: () => this.follows(),
      u: () => tour.group("*", !tour.run?.open?.includes("*")),
      e: () => this.edit(),
      t: () => this.theme(),
      1: () => tour.setPace("rewrite"),
      2: () => tour.setPace("firing"),
      3: () => tour.setPace("operation"),
      "?": () => this.help(),
      Escape: () => graph.tip.hide(true),
      Enter: (e) => e.target.closest?.(".object")?.dispatchEvent(new MouseEvent("click", { bubbles: true })),
    });
  }
}

/** sentence begins with a capital letter and ends with a stop. */
function sentence(text) {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

new App().start();
