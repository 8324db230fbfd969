// What the page has to say: banners that stay, words that go, and what is read aloud.

import { by, el, put } from "./dom.js";

const brief = 3500; // ms that words stay
const pause = 250; // ms of rest before a step is read aloud

export class Notices {
  constructor() {
    this.banners = new Map(); // key → element
  }

  /** banner shows a message until it is taken away; actions are [text, function]. */
  banner(key, text, actions = [], grave = false) {
    this.clear(key);
    const node = el("div", { class: grave ? "banner grave" : "banner", role: grave ? "alert" : "status" },
      el("p", {}, text), ...actions.map(([name, act]) => el("button", { type: "button", onclick: act }, name)));
    this.banners.set(key, node);
    by("notices").append(node);
  }

  clear(key) {
    this.banners.get(key)?.remove();
    this.banners.delete(key);
  }

  /** say shows a few words for a short time, and reads them aloud. */
  say(text) {
    this.banner("words", text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.clear("words"), brief);
  }

  /** hear reads text aloud, once nothing newer comes. */
  hear(text) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => put(by("live"), text), pause);
  }
}
