// The tooltip of an object: its whole text, its kind, where the source makes it.

import { el } from "./dom.js";
import { told } from "./shapes.js";

const gap = 8; // px between an object and its tooltip

export class Tip {
  constructor(node) {
    this.node = node;
    this.pinned = null; // the id of the object whose tooltip stays
    document.addEventListener("pointerdown", (e) => {
      if (!e.target.closest?.(".object")) this.hide(true);
    });
  }

  /** show tells of a version beside the element that draws it. */
  show(id, version, element, pin = false) {
    if (this.pinned !== null && this.pinned !== id && !pin) return;
    if (pin) this.pinned = id;
    this.shown = id;
    const { title, kind, place, state } = told(version);
    this.node.replaceChildren(
      el("p", { class: "tip-title" }, title),
      el("p", {}, [kind, place].filter(Boolean).join(" · ")),
      ...state.map((text) => el("p", {}, text)),
    );
    this.node.hidden = false;
    const at = element.getBoundingClientRect();
    const own = this.node.getBoundingClientRect();
    const left = Math.max(gap, Math.min(innerWidth - own.width - gap, at.left + at.width / 2 - own.width / 2));
    const below = at.bottom + gap + own.height < innerHeight - gap;
    this.node.style.left = `${left}px`;
    this.node.style.top = `${below ? at.bottom + gap : Math.max(gap, at.top - gap - own.height)}px`;
  }

  /** hide takes the tooltip away; one that is pinned only if all is true. */
  hide(all = false) {
    if (this.pinned !== null && !all) return;
    this.pinned = null;
    this.shown = null;
    this.node.hidden = true;
  }
}
