// What the arrays hold after a step of a run: the stores up to it are replayed, from the nearest checkpoint on.
const UNSET = 0;  // the number of a value that nobody knows, or that nobody has set
const CHECKPOINT = 512;  // steps

class BlockMemory {
  constructor(run) {
    this.run = run;
    // Each touched cell has a slot, so that a large array with few touched elements is small here.
    this.slots = run.arrays.map(() => new Map());
    const slot = (array, cell) => {
      const slots = this.slots[array];
      if (!slots.has(cell)) slots.set(cell, slots.size);
    };
    run.arrays.forEach((array) => array.initial.forEach(([cell]) => slot(array.number, cell)));
    run.steps.forEach((step) => run.eachCell(step, (cell) => slot(step.array, cell)));
    this.values = this.slots.map((slots) => new Int32Array(slots.size));
    this.writers = this.slots.map((slots) => new Int32Array(slots.size).fill(-1));  // the step that stored last
    this.by = this.slots.map((slots) => new Int32Array(slots.size).fill(-1));  // its thread
    run.arrays.forEach((array) => array.initial.forEach(([cell, value]) => {
      this.values[array.number][this.slots[array.number].get(cell)] = value;
    }));
    this.after = -1;
    this.checkpoints = [this.copy()];
  }
  copy() {
    return { after: this.after, values: this.values.map((one) => one.slice()), writers: this.writers.map((one) => one.slice()), by: this.by.map((one) => one.slice()) };
  }
  goTo(number) {
    if (number < this.after) {
      const kept = this.checkpoints[Math.min(this.checkpoints.length - 1, Math.floor((number + 1) / CHECKPOINT))];
      this.after = kept.after;
      this.values.forEach((one, at) => one.set(kept.values[at]));
      this.writers.forEach((one, at) => one.set(kept.writers[at]));
      this.by.forEach((one, at) => one.set(kept.by[at]));
    }
    while (this.after < number) {
      this.apply(this.run.steps[++this.after]);
      if ((this.after + 1) % CHECKPOINT === 0 && this.checkpoints.length === (this.after + 1) / CHECKPOINT) this.checkpoints.push(this.copy());
    }
  }
  apply(step) {
    if (step.kind !== Kind.write && step.kind !== Kind.atomic) return;
    const slots = this.slots[step.array];
    this.run.eachCell(step, (cell, lane, at) => {
      const slot = slots.get(cell);
      this.values[step.array][slot] = this.run.stored[step.stored + at];
      this.writers[step.array][slot] = step.number;
      this.by[step.array][slot] = this.run.thread(step, lane);
    });
  }
  has(array, cell) {
    return this.slots[array].has(cell);
  }
  text(array, cell) {
    const slot = this.slots[array].get(cell);
    return slot === undefined ? "" : this.run.texts[this.values[array][slot]];
  }
  // What a lane reads or stores at the step that the memory stands after.
  seenText(step, at, cell) {
    if (step.kind === Kind.write || step.kind === Kind.atomic) return this.run.texts[this.run.stored[step.stored + at]];
    const other = this.run.seen.get(step.number);
    if (other && other.has(at)) return this.run.texts[other.get(at)];
    return this.text(step.array, cell);
  }
  writer(array, cell) {
    const slot = this.slots[array].get(cell);
    if (slot === undefined || this.writers[array][slot] < 0) return null;
    return { step: this.run.steps[this.writers[array][slot]], thread: this.by[array][slot] };
  }
}
