// What the arrays hold after a step of a run. All stores are gone through once; each keeps what it replaces, so that one can go back.
class BlockMemory {
  constructor(run) {
    this.run = run;
    this.initial = run.arrays.map((array) => new Map(array.initial));
    // By array: each touched cell, with the place among the run's stored values of what it holds; -1: as before the launch.
    this.held = this.initial.map((cells) => new Map([...cells.keys()].map((cell) => [cell, -1])));
    this.stores = [];  // by that place: { step, thread, before }
    run.steps.forEach((step) => run.eachCell(step, (cell, lane, at) => {
      const held = this.held[step.array], now = held.get(cell) ?? -1, last = this.stores[now];
      held.set(cell, step.stores ? step.stored + at : now);
      if (step.stores) this.stores[step.stored + at] = { step, thread: run.thread(step, lane), before: last && last.step === step ? last.before : now };
    }));
    this.after = run.steps.length - 1;
  }
  goTo(number) {
    while (this.after < number) this.put(this.run.steps[++this.after], (place) => place);
    while (this.after > number) this.put(this.run.steps[this.after--], (place) => this.stores[place].before);
  }
  put(step, heldAt) {
    if (step.stores) this.run.eachCell(step, (cell, _, at) => this.held[step.array].set(cell, heldAt(step.stored + at)));
  }
  has(array, cell) {
    return this.held[array].has(cell);
  }
  text(array, cell) {
    const place = this.held[array].get(cell);
    if (place === undefined) return "";
    return this.run.texts[place < 0 ? this.initial[array].get(cell) ?? UNSET : this.run.stored[place]];
  }
  // What a lane reads or stores at the step that the memory stands after.
  seenText(step, at, cell) {
    if (step.stores) return this.run.texts[this.run.stored[step.stored + at]];
    const other = this.run.seen.get(step.number);
    return other && other.has(at) ? this.run.texts[other.get(at)] : this.text(step.array, cell);
  }
  // The store that a cell's value comes from; none: it held it before the launch, or holds none.
  writer(array, cell) {
    return this.stores[this.held[array].get(cell)];
  }
}
