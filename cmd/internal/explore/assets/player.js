// Playing: so many steps a second, and never ahead of what has been loaded.

export class Player {
  /** on has at() the state, end() the last one, ahead(n) a promise of the state n steps ahead, go(k) a promise of having shown state k, and changed(playing). */
  constructor(on) {
    this.on = on;
    this.rate = 5; // steps a second
    this.playing = false;
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** play plays at its rate, or at another one until it is paused. */
  async play(rate = null) {
    if (this.playing || this.on.end() === 0) return;
    this.playing = true;
    this.on.changed(true);
    const turn = (this.turn = {}); // a pause and a new play make another
    if (this.on.at() >= this.on.end()) await this.on.go(0);
    const speed = () => rate ?? this.rate;
    let due = performance.now() + 1000 / speed();
    while (this.turn === turn) {
      const now = await new Promise(requestAnimationFrame);
      if (this.turn !== turn) return;
      if (now < due) continue;
      const gap = 1000 / speed();
      const steps = Math.max(1, Math.min(Math.ceil(speed() / 10), Math.floor((now - due) / gap) + 1));
      due = Math.max(due + steps * gap, now);
      const k = await this.on.ahead(steps);
      if (this.turn !== turn) return;
      const shown = await this.on.go(k);
      if (this.turn !== turn) return;
      if (!shown || k === this.on.end()) this.pause();
    }
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.turn = null;
    this.on.changed(false);
  }
}
