// A run that the server holds, with the windows that the page has of it.

import * as api from "./api.js";
import { inGroups } from "./groups.js";
import { holds, stepAt } from "./state.js";

const kept = 8; // windows
const ahead = 0.4; // of a window: where that is left before its end, the next is fetched
const changes = 24; // of phase that the server tells: with so many there may be more, and the page tells no totals

export class Run {
  constructor(source, of, info) {
    this.source = source;
    this.of = of;
    this.info = info;
    this.windows = []; // the last one used comes first
    this.open = null; // the keys of the groups that the reader has opened, "*": all; null: as many as leave few objects
    this.pending = new Map(); // state → promise of a window that holds it
    this.changed = null; // called when there is a new window
    const turns = [1, ...(info.turns ?? [])].map((from, i) => ({ from, phase: i % 2 ? "backward" : "primal" }));
    this.segments = turns.length <= changes ? turns : null; // stretches of one phase, see state.phaseTotals; null if not known
  }

  /** start runs a program. It throws an ApiError. */
  static async start(source, of, signal) {
    return new Run(source, of, await api.submit(source, of, signal));
  }

  /** cached returns a window that holds state k, the one used last if several do, or undefined. */
  cached(k) {
    const i = this.windows.findIndex((win) => holds(win, k));
    if (i > 0) this.windows.unshift(...this.windows.splice(i, 1));
    return this.windows[0] && holds(this.windows[0], k) ? this.windows[0] : undefined;
  }

  /** window returns a window that holds state k. */
  window(k) {
    const have = this.cached(k);
    if (have) return Promise.resolve(have);
    return this.fetch(k);
  }

  fetch(k) {
    if (!this.pending.has(k)) {
      const job = this.again((id) => api.windowAt(id, k)).then((win) => this.keep(this.grouped(win)));
      this.pending.set(k, job);
      job.finally(() => this.pending.delete(k)).catch(() => {});
    }
    return this.pending.get(k);
  }

  /** group opens groups or closes them: the windows are others then. */
  group(open) {
    this.open = open;
    this.windows = this.windows.map((win) => this.grouped(win.whole ?? win));
  }

  grouped(win) {
    return inGroups(win, this.open, this.info.defs);
  }

  keep(win) {
    const have = this.windows.find((w) => w.from === win.from && w.to === win.to);
    if (have) return have;
    this.windows.splice(1, 0, win); // behind the one that is shown
    if (this.windows.length > kept) this.windows.pop();
    this.changed?.();
    return win;
  }

  /** prefetch sees to the windows that come next, forward or back. */
  prefetch(k, back) {
    const win = this.cached(k);
    if (!win) return;
    const near = (win.to - win.from) * ahead;
    const k2 = back ? win.from - 1 : win.to + 1;
    const close = back ? k - win.from <= near : win.to - k <= near;
    if (close && k2 >= 0 && k2 <= this.info.steps && !this.windows.some((w) => holds(w, k2))) {
      this.fetch(k2).catch(() => {}); // whoever needs it will see the error
    }
  }

  /** step returns the step that has led to state k, from whichever window knows it. */
  step(k) {
    for (const win of this.windows) {
      const step = stepAt(win, k);
      if (step) return step;
    }
    return null;
  }

  find(what) {
    return this.again((id) => api.find(id, what));
  }

  /** again asks, and where the server has forgotten the run, sends the program again first. */
  async again(request) {
    try {
      return await request(this.info.run);
    } catch (error) {
      if (error.kind !== "lost") throw error;
      await this.resend();
      return request(this.info.run);
    }
  }

  resend() {
    this.sending ??= api
      .submit(this.source, this.of)
      .then((info) => { this.info = info; })
      .finally(() => { this.sending = null; });
    return this.sending;
  }
}
