// The bar of buttons, the slider and the field for a step's number.

import { by, grouped, put, set } from "./dom.js";

export class Controls {
  /** on has go(k), by(n), toggle(), toBackward(), rate(n), paced(name). */
  constructor(on) {
    this.on = on;
    this.steps = 0;
    this.k = 0;
    by("first").addEventListener("click", () => on.go(0));
    by("back").addEventListener("click", () => on.by(-1));
    by("play").addEventListener("click", () => on.toggle());
    by("forward").addEventListener("click", () => on.by(1));
    by("last").addEventListener("click", () => on.go(this.steps));
    by("to-backward").addEventListener("click", () => on.toBackward());
    by("slider").addEventListener("input", () => on.go(Number(by("slider").value)));
    by("speed").addEventListener("change", () => on.rate(Number(by("speed").value)));
    by("pace").addEventListener("change", () => on.paced(by("pace").value));
    by("go").addEventListener("submit", (e) => {
      e.preventDefault();
      this.submit();
    });
    by("number").addEventListener("focus", () => by("number").select());
    by("number").addEventListener("blur", () => this.number());
    by("number").addEventListener("keydown", (e) => e.key === "Escape" && by("number").blur());
  }

  submit() {
    const field = by("number");
    const digits = field.value.replace(/\D/g, ""); // 524 583 and 524,583 too
    if (digits) {
      this.on.go(Math.min(this.steps, Number(digits)));
      field.blur();
    } else {
      field.setAttribute("aria-invalid", "true");
      field.select();
    }
  }

  /** ask puts the cursor into the field for a number. */
  ask() {
    by("number").focus();
    by("number").select();
  }

  /** start sets the bar up for a run. */
  start({ steps, backward }) {
    this.steps = steps;
    by("slider").max = steps;
    put(by("of-steps"), `of ${grouped(steps)}`);
    by("to-backward").hidden = !backward;
    by("track").style.setProperty("--backward", backward ? `${(100 * (backward - 0.5)) / steps}%` : "100%");
    by("number").style.width = `calc(${Math.max(3, String(steps).length)}ch + 16px)`;
  }

  /** show shows that state k is the one on the page, or will be. */
  show(k) {
    this.k = k;
    by("slider").value = k;
    set(by("slider"), "aria-valuetext", `step ${k} of ${this.steps}`);
    by("track").style.setProperty("--done", `${this.steps ? (100 * k) / this.steps : 0}%`);
    if (document.activeElement !== by("number")) this.number();
    for (const id of ["first", "back"]) set(by(id), "aria-disabled", String(k === 0));
    for (const id of ["forward", "last"]) set(by(id), "aria-disabled", String(k === this.steps));
  }

  number() {
    by("number").removeAttribute("aria-invalid");
    by("number").value = String(this.k);
  }

  /** pace shows which pace is chosen. */
  pace(name) {
    by("pace").value = name;
  }

  playing(is) {
    document.body.classList.toggle("playing", is);
    set(by("play"), "aria-label", is ? "Pause" : "Play");
  }
}
