// Which part of the graph is seen: panning by drag, zooming by wheel, pinch and buttons.

import { calm, set } from "./dom.js";

const least = 0.01;
const most = 3;
const room = { left: 28, right: 28, top: 28, bottom: 28 }; // px kept free around what is shown
const threshold = 4; // px that a pointer moves before it drags

export class View {
  /** changed is called when another part is seen. */
  constructor(svg, world, changed) {
    Object.assign(this, { svg, world, changed, scale: 1, x: 0, y: 0, width: 0, height: 0 });
    this.own = false; // the reader has chosen what to see
    this.pointers = new Map();
    new ResizeObserver(([entry]) => this.resize(entry.contentRect)).observe(svg);
    svg.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    svg.addEventListener("pointerdown", (e) => this.down(e));
    svg.addEventListener("pointermove", (e) => this.move(e));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, (e) => this.up(e));
    svg.addEventListener("click", (e) => this.click(e), { capture: true });
  }

  resize({ width, height }) {
    if (!width || !height) return;
    const first = !this.width;
    this.x += (width - this.width) / 2; // what was in the middle stays there
    this.y += (height - this.height) / 2;
    this.width = width;
    this.height = height;
    this.place();
    this.onresize?.(first);
  }

  place() {
    this.x = Math.round(this.x * 10) / 10;
    this.y = Math.round(this.y * 10) / 10;
    set(this.world, "transform", `translate(${this.x} ${this.y}) scale(${this.scale.toFixed(4)})`);
    this.changed();
  }

  /** seen returns the box of the graph that is seen, with a margin in pixels. */
  seen(margin) {
    const m = margin / this.scale;
    const x1 = -this.x / this.scale;
    const y1 = -this.y / this.scale;
    return { x1: x1 - m, y1: y1 - m, x2: x1 + this.width / this.scale + m, y2: y1 + this.height / this.scale + m };
  }

  /** zoom scales by a factor; the point (x, y) of the element stays where it is. */
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    this.stop();
    this.own = true;
    const scale = Math.min(most, Math.max(least, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.place();
  }

  /** room returns how much of the graph can be seen at once at a scale. */
  room(scale = this.scale) {
    return { width: (this.width - room.left - room.right) / scale, height: (this.height - room.top - room.bottom) / scale };
  }

  /** shows tells whether a box is seen, or will be when the view has moved where it goes. */
  shows({ x1, y1, x2, y2 }) {
    const { x, y } = this.goal ?? this;
    const s = this.scale;
    return x1 * s + x >= room.left && x2 * s + x <= this.width - room.right && y1 * s + y >= room.top && y2 * s + y <= this.height - room.bottom;
  }

  /** fitting returns the scale at which a box is seen whole, at most 1.5. */
  fitting({ x1, y1, x2, y2 }) {
    const across = (this.width - room.left - room.right) / Math.max(1, x2 - x1);
    const down = (this.height - room.top - room.bottom) / Math.max(1, y2 - y1);
    return Math.min(1.5, Math.max(least, Math.min(across, down)));
  }

  /** centre shows a box in the middle of what is free. */
  centre({ x1, y1, x2, y2 }, scale = this.scale) {
    this.stop();
    this.scale = scale;
    this.x = (this.width + room.left - room.right) / 2 - ((x1 + x2) / 2) * scale;
    this.y = (this.height + room.top - room.bottom) / 2 - ((y1 + y2) / 2) * scale;
    this.place();
  }

  /** reveal pans, smoothly where that may be, until a box is seen. */
  reveal({ x1, y1, x2, y2 }) {
    const shift = (low, high, from, to) => {
      if (high - low > to - from) return (from + to - low - high) / 2;
      if (low < from) return from - low;
      return high > to ? to - high : 0;
    };
    const goal = this.goal ?? this;
    const dx = shift(x1 * this.scale + goal.x, x2 * this.scale + goal.x, room.left, this.width - room.right);
    const dy = shift(y1 * this.scale + goal.y, y2 * this.scale + goal.y, room.top, this.height - room.bottom);
    if (dx || dy) this.glide(goal.x + dx, goal.y + dy);
  }

  glide(x, y) {
    this.stop();
    if (calm() || Math.hypot(x - this.x, y - this.y) > this.width) { // what lies between isn't worth the way
      Object.assign(this, { x, y });
      this.place();
      return;
    }
    const from = { x: this.x, y: this.y, time: performance.now() };
    this.goal = { x, y };
    const tick = (now) => {
      const t = Math.min(1, Math.max(0, now - from.time) / 180);
      const eased = 1 - (1 - t) ** 3;
      this.x = from.x + (x - from.x) * eased;
      this.y = from.y + (y - from.y) * eased;
      this.place();
      if (t < 1) this.frame = requestAnimationFrame(tick);
      else this.goal = null;
    };
    this.frame = requestAnimationFrame(tick);
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.goal = null;
  }

  at(e) {
    const frame = this.svg.getBoundingClientRect();
    return { x: e.clientX - frame.left, y: e.clientY - frame.top };
  }

  wheel(e) {
    e.preventDefault();
    const { x, y } = this.at(e);
    const unit = [1, 16, this.height][e.deltaMode] ?? 1;
    this.zoom(Math.exp(-Math.max(-240, Math.min(240, e.deltaY * unit)) * (e.ctrlKey ? 0.01 : 0.0022)), x, y);
  }

  down(e) {
    if (e.pointerType === "mouse" && e.button !== 0) return;
    this.pointers.set(e.pointerId, this.at(e));
    if (this.pointers.size === 1) this.origin = this.at(e);
    this.dragged = this.pointers.size > 1;
    if (this.dragged) for (const id of this.pointers.keys()) this.svg.setPointerCapture(id);
  }

  move(e) {
    const before = this.pointers.get(e.pointerId);
    if (!before) return;
    if (e.pointerType === "mouse" && e.buttons === 0) { // it was let go elsewhere
      this.up(e);
      return;
    }
    const now = this.at(e);
    if (this.pointers.size === 1 && !this.dragged) {
      if (Math.hypot(now.x - this.origin.x, now.y - this.origin.y) < threshold) return;
      this.dragged = true;
      this.svg.setPointerCapture(e.pointerId);
      this.svg.classList.add("dragging");
    }
    const others = [...this.pointers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
    this.pointers.set(e.pointerId, now);
    this.stop();
    this.own = true;
    if (others.length > 0) {
      const distance = (p) => Math.hypot(p.x - others[0].x, p.y - others[0].y);
      this.x += (now.x - before.x) / 2;
      this.y += (now.y - before.y) / 2;
      this.zoom(distance(now) / Math.max(1, distance(before)), (now.x + others[0].x) / 2, (now.y + others[0].y) / 2);
      return;
    }
    this.x += now.x - before.x;
    this.y += now.y - before.y;
    this.place();
  }

  up(e) {
    this.pointers.delete(e.pointerId);
    if (this.pointers.size === 0) this.svg.classList.remove("dragging");
  }

  /** click keeps a drag from being a click. */
  click(e) {
    if (this.dragged) e.stopPropagation();
    this.dragged = false;
  }
}
