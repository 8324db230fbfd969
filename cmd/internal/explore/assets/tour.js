// The way through a run: which state is shown, and how the page gets to another.

import { grouped, set } from "./dom.js";
import { countsAt } from "./state.js";
import { paces } from "./paces.js";
import { Player } from "./player.js";

export class Tour {
  /** views are graph, source, counters, card, controls, notices; on has trouble(error, again), moved(k), grouped(keys). */
  constructor(views, on) {
    Object.assign(this, views, { on });
    this.run = null;
    this.k = 0; // the state that is shown
    this.wanted = 0; // the one that is to be shown: windows may have to come first
    this.pace = "rewrite"; // what one step is, see paces.js
    this.moving = Promise.resolve(); // what the keys have asked for before
    this.visits = 0; // how often the reader has chosen a state: a stride that began before is in vain
    this.player = new Player({
      ahead: (n) => this.stride(this.wanted, n),
      at: () => this.wanted,
      end: () => this.run?.info.steps ?? 0,
      go: (k) => this.go(k),
      changed: (playing) => this.controls.playing(playing),
    });
  }

  /** start shows state k of a run, in place of the run before, if that is still wanted when it is there. */
  async start(run, k, wanted) {
    const win = await this.load(run, this.clamp(run, k));
    if (!wanted()) return;
    this.player.pause();
    this.run = run;
    this.picked = null;
    this.loading = null;
    this.wanted = this.clamp(run, k);
    run.changed = () => run === this.run && this.refresh();
    this.graph.begin();
    this.source.show(run.source);
    this.counters.start(run.info);
    this.controls.start(run.info);
    this.show(win, this.wanted);
  }

  clamp(run, k) {
    return Math.max(0, Math.min(run.info.steps, k));
  }

  /** load returns a window for state k, when the step that led there is known too. */
  async load(run, k) {
    const win = await run.window(k);
    if (k > 0 && !run.step(k)) await run.window(k - 1);
    return win;
  }

  /** go shows state k; it returns whether that came about, and nothing else was wanted meanwhile. */
  async go(k) {
    const { run } = this;
    if (!run) return false;
    this.wanted = this.clamp(run, k);
    this.controls.show(this.wanted);
    const win = run.cached(this.wanted);
    if (win && (this.wanted === 0 || run.step(this.wanted))) {
      this.show(win, this.wanted);
      return true;
    }
    this.loading ??= this.catchUp(run);
    return this.loading;
  }

  /** catchUp loads what is wanted, one window at a time however often that changes, and shows it. */
  async catchUp(run) {
    const slow = setTimeout(() => document.body.classList.add("loading"), 150);
    try {
      let k;
      let win;
      do {
        k = this.wanted;
        win = await this.load(run, k);
        if (run !== this.run) return false;
      } while (k !== this.wanted);
      this.show(win, k);
      return true;
    } catch (error) {
      if (run === this.run) {
        this.player.pause();
        this.on.trouble(error, () => this.go(this.wanted));
      }
      return false;
    } finally {
      clearTimeout(slow);
      document.body.classList.remove("loading");
      if (run === this.run) this.loading = null;
    }
  }

  /** visit goes to a state that the reader has chosen: what plays stops. */
  visit(k) {
    this.player.pause();
    this.visits++;
    return this.go(k);
  }

  by(n) {
    if (this.pace === "rewrite") return this.visit(this.wanted + n);
    this.player.pause();
    const { visits } = this;
    this.moving = this.moving.then(async () => {
      const k = await this.stride(this.wanted, n);
      if (visits === this.visits) await this.go(k);
    });
    return this.moving;
  }

  /** stride returns the state that lies n steps of the pace behind state k, or before it where n is negative. */
  async stride(k, n) {
    const { run } = this;
    const stops = paces[this.pace];
    const { steps, rules } = run.info;
    if (!stops) return this.clamp(run, k + n);
    const way = Math.sign(n);
    let left = Math.abs(n);
    for (let i = k + way; ; i += way) {
      if (i <= 0 || i >= steps) return this.clamp(run, i);
      if (!run.step(i)) {
        try {
          i = (await run.find({ from: i - way, back: way < 0, rule: [...stops].join() })) ?? (way < 0 ? 0 : steps);
          await this.load(run, i);
        } catch {
          return i; // going there tells what is wrong
        }
        if (run !== this.run) return this.wanted;
        if (i <= 0 || i >= steps) return i;
      }
      if (stops.has(rules[run.step(i).rule].name) && --left === 0) return i;
    }
  }

  /** group opens a group or closes it. */
  async group(key, open) {
    const { run } = this;
    if (!run) return;
    const rest = (run.open ?? this.win?.open ?? []).filter((one) => one !== key && (open || !one.startsWith(`${key},`)));
    run.group(open ? [...rest, key] : key === "*" ? null : rest);
    this.loading = null;
    this.graph.regrouped();
    await this.go(this.wanted);
  }

  /** introduce shows a reader who has asked for no step what there is: the operations, one after the other. */
  introduce(still) {
    this.setPace("operation");
    if (!this.run || this.run.info.steps === 0) return;
    if (still) this.stride(Math.max(0, (this.run.info.backward || 1) - 1), 1).then((k) => this.go(k));
    else this.player.play(1);
  }

  setPace(pace) {
    this.pace = pace;
    this.controls.pace(pace);
  }

  toBackward() {
    const { backward } = this.run?.info ?? {};
    if (backward) this.visit(backward);
    else this.notices.say("This run has no backward phase.");
  }

  /** jump goes to the next step that fits, or to the one before; behind the last it begins anew. */
  async jump(what, back, words) {
    const { run } = this;
    if (!run) return;
    this.player.pause();
    try {
      const from = this.wanted;
      let step = await run.find({ from, back, ...what });
      const around = step === null;
      if (around) step = await run.find({ from: back ? run.info.steps + 1 : 0, back, ...what });
      if (run !== this.run) return;
      if (step === null) this.notices.say(`There is no step ${words}.`);
      else if (step === from) this.notices.say(`This is the only step ${words}.`);
      else {
        if (around) this.notices.say(back ? `That was the first step ${words}; this is the last.` : `That was the last step ${words}; this is the first.`);
        await this.visit(step);
      }
    } catch (error) {
      this.on.trouble(error, () => this.jump(what, back, words));
    }
  }

  /** sameRule goes to the next step by the rule of this one, or to the one before. */
  sameRule(back) {
    const step = this.run?.step(this.k);
    if (step) this.byRule(this.run.info.rules[step.rule].name, back);
  }

  /** sameLine goes to the next step of the line that this step is of, or to the one before. */
  sameLine(back) {
    const line = this.run?.step(this.k)?.line;
    if (line) this.byLine(line, back);
  }

  byRule(rule, back) {
    return this.jump({ rule }, back, `by ${rule}`);
  }

  byLine(line, back) {
    return this.jump({ line }, back, `of line ${line}`);
  }

  /** pick marks where the source makes an object. */
  pick(version) {
    this.picked = version.line ? version : null;
    const { run, k } = this;
    this.source.light(run.step(k), run.step(k + 1), this.picked);
  }

  show(win, k) {
    const { run } = this;
    const back = k < this.k;
    const step = k > 0 ? run.step(k) : null;
    Object.assign(this, { k, win, picked: null });
    set(document.body, "data-phase", step?.phase ?? "primal");
    this.graph.show(win, k, step);
    this.controls.show(this.wanted);
    this.on.grouped(win.open ?? []);
    this.refresh();
    this.notices.hear(this.told(step, k));
    document.body.dataset.step = k;
    this.on.moved(k);
    run.prefetch(k, back);
  }

  /** refresh shows again what may have become known since: the next step, the phases. */
  refresh() {
    const { run, win, k } = this;
    const step = k > 0 ? run.step(k) : null;
    const next = run.step(k + 1);
    this.source.light(step, next, this.picked);
    this.counters.show(countsAt(win, k), step, run.segments, k);
    this.card.show(run.info, k, step, next);
  }

  told(step, k) {
    if (!step) return "Before the first step";
    const rule = this.run.info.rules[step.rule];
    const place = step.line ? `, line ${step.line}` : "";
    return `Step ${grouped(k)} of ${grouped(this.run.info.steps)}: ${rule.name}, ${step.phase}${place}`;
  }
}
