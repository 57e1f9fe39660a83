// Where the block's elements lie in each matrix or list of global memory: all that it touches, its part between two barriers, and the
// elements of the current step.
const MAP_SIDE = 132;

class MatrixPlace {
  constructor(run, array, memory) {
    Object.assign(this, { run, array });
    const cells = [...memory.held[array.number].keys()].filter((cell) => array.holds(cell));
    const most = Math.max(0, ...array.dimensions) && array.dimensions.reduce((a, b) => a * b, 1);
    const count = most || cells.reduce((a, b) => Math.max(a, b), 0) + 1;
    this.columns = array.width || Math.min(count, 64);
    this.rows = Math.max(1, Math.ceil(count / this.columns));
    const scale = Math.min(16, MAP_SIDE / this.columns, MAP_SIDE / this.rows);
    this.layers = ["touched", "interval", "now", "own"].map((name) => drawn("g", { class: name }));
    const width = this.columns * scale, height = Math.max(3, this.rows * scale);
    this.scale = [scale, height / this.rows];
    this.extent = [width, height];
    this.svg = drawn("svg", { viewBox: "-7 -7 " + (width + 14) + " " + (height + 14), width: width + 14, height: height + 14, role: "img" },
      drawn("rect", { class: "whole", width, height }), ...this.layers);
    this.text = part("figcaption", {}, array.name);
    this.root = part("figure", { class: "place" }, this.text, this.svg);
    this.fill(0, cells);
    this.ofInterval = new Map();
    run.steps.forEach((step) => {
      if (step.array !== array.number) return;
      if (!this.ofInterval.has(step.interval)) this.ofInterval.set(step.interval, new Set());
      const touched = this.ofInterval.get(step.interval);
      run.eachCell(step, (cell) => { if (array.holds(cell)) touched.add(cell); });
    });
    this.interval = -1;
    this.thread = -1;
    this.own = new Set();
  }
  fill(layer, cells) {
    this.layers[layer].replaceChildren(...this.boxes(cells).map(([row, column, high, wide]) => drawn("rect", {
      x: column * this.scale[0], y: row * this.scale[1], width: wide * this.scale[0], height: high * this.scale[1] })));
  }
  // An element outside of the array, at the edge that it lies past.
  beyond(cell) {
    const column = cell - Math.floor(cell / this.columns) * this.columns;
    const x = Math.min(this.extent[0] - 5, column * this.scale[0]);
    return drawn("rect", { class: "beyond", x, y: cell < 0 ? -6 : this.extent[1] + 1, width: 5, height: 5 });
  }
  // Rectangles of neighbouring cells: runs in a row, and equal runs of following rows together.
  boxes(cells) {
    const sorted = [...cells].sort((a, b) => a - b);
    const open = new Map();
    const found = [];
    for (let at = 0; at < sorted.length;) {
      const row = Math.floor(sorted[at] / this.columns), column = sorted[at] % this.columns;
      let wide = 1;
      while (at + wide < sorted.length && sorted[at + wide] === sorted[at] + wide && column + wide < this.columns) ++wide;
      at += wide;
      const above = open.get(column + ":" + wide);
      if (above && above[0] + above[2] === row) ++above[2];
      else {
        const box = [row, column, 1, wide];
        found.push(box);
        open.set(column + ":" + wide, box);
      }
    }
    return found;
  }
  // All that a followed thread uses of this array: its own part of the result, and the rows and columns that it needs.
  ofThread(thread) {
    const cells = new Set();
    if (thread < 0) return cells;
    this.run.steps.forEach((step) => {
      if (step.array !== this.array.number || !this.run.hasThread(step, thread)) return;
      this.run.eachCell(step, (cell, lane) => { if (lane === thread % LANES && this.array.holds(cell)) cells.add(cell); });
    });
    return cells;
  }
  show(step, thread) {
    if (thread !== this.thread) {
      this.thread = thread;
      this.own = this.ofThread(thread);
      this.fill(3, this.own);
    }
    const interval = step ? step.interval : -1;
    if (interval !== this.interval) {
      this.interval = interval;
      this.fill(1, this.ofInterval.get(interval) || []);
    }
    const now = [];
    if (step && step.array === this.array.number) this.run.eachCell(step, (cell) => now.push(cell));
    this.fill(2, new Set(now.filter((cell) => this.array.holds(cell))));
    this.layers[2].append(...now.filter((cell) => !this.array.holds(cell)).map((cell) => this.beyond(cell)));
    this.svg.setAttribute("aria-label", this.words(interval, now));
  }
  words(interval, now) {
    const size = this.array.width ? this.rows + " × " + this.columns : "";
    const named = (cells) => {
      const list = [...cells];
      const first = list.reduce((a, b) => Math.min(a, b)), last = list.reduce((a, b) => Math.max(a, b));
      return this.array.nameOf(first) + (last > first ? " to " + this.array.nameOf(last) : "");
    };
    const touched = this.ofInterval.get(interval);
    return [this.array.name + (size ? ", " + size : "") + ".", touched && touched.size ? "Between these barriers the block uses " + named(touched) + "." : "Not used between these barriers.",
      this.own.size ? "Thread " + this.run.story.threadName(this.thread) + " uses " + plural(this.own.size, "element") + " of it: " + named(this.own) + "." : "",
      now.length ? "Now: " + named(now) + (now.every((cell) => this.array.holds(cell)) ? "." : ", outside of it.") : ""].filter(Boolean).join(" ");
  }
}
