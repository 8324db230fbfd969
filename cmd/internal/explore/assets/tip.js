// The tooltip of an object: its whole text, its kind, where the source makes it.

import { el } from "./dom.js";
import { told } from "./shapes.js";

const gap = 8; // px between an object and its tooltip

export class Tip {
  /** stage is the element that the tooltip stays inside of. */
  constructor(node, stage) {
    Object.assign(this, { node, stage });
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
    const room = this.stage.getBoundingClientRect(); // what is around the graph stays free
    this.node.style.maxWidth = `${Math.min(360, room.width - 2 * gap)}px`;
    const own = this.node.getBoundingClientRect();
    const left = Math.max(room.left + gap, Math.min(room.right - own.width - gap, at.left + at.width / 2 - own.width / 2));
    const below = at.bottom + gap + own.height < room.bottom - gap;
    this.node.style.left = `${left}px`;
    this.node.style.top = `${below ? at.bottom + gap : Math.max(room.top + gap, at.top - gap - own.height)}px`;
  }

  /** hide takes the tooltip away; one that is pinned only if all is true. */
  hide(all = false) {
    if (this.pinned !== null && !all) return;
    this.pinned = null;
    this.shown = null;
    this.node.hidden = true;
  }
}
