// One array as a grid of its elements with their values. Only elements that the run touches have a value; of a large array, the part
// around the current step is drawn.
const MOST_ROWS = 36, MOST_COLUMNS = 64, WRAP = 32;

class ElementGrid {
  constructor(run, array, memory, pick) {
    Object.assign(this, { run, array, memory, pick });
    this.cells = new Map();
    this.known = [...memory.held[array.number].keys()].sort((a, b) => a - b);
    this.columns = array.width || Math.min(WRAP, Math.max(1, (this.known.at(-1) ?? 0) + 1));
    this.rowNumbers = [...new Set(this.known.map((cell) => Math.floor(cell / this.columns)))].sort((a, b) => a - b);
    const used = this.known.map((cell) => cell - Math.floor(cell / this.columns) * this.columns);
    this.firstColumn = array.width > MOST_COLUMNS / 2 ? used.reduce((a, b) => Math.min(a, b), this.columns) : 0;
    this.lastColumn = array.width > MOST_COLUMNS / 2 ? used.reduce((a, b) => Math.max(a, b), 0) : this.columns - 1;
    this.note = part("p", { class: "soft note" });
    this.body = part("div", { class: "cells", "aria-hidden": "true" });
    this.body.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-cell]");
      if (cell) pick({ array: array.number, cell: Number(cell.dataset.cell) });
    });
    this.frame = part("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": array.name + ": its elements. Arrow keys pick the next one." }, this.body);
    this.frame.addEventListener("keydown", (event) => this.move(event));
    const space = { shared: "shared memory", global: "global memory", module: "the module's memory" }[array.space] || array.space;
    const size = array.dimensions.length ? array.dimensions.map((one) => "[" + one + "]").join("") : "";
    this.root = part("section", { class: "array " + array.space },
      part("h3", {}, array.name + size, part("small", {}, " " + (array.element ? array.element + ", " : "") + space)), this.frame, this.note);
  }
  // With an element of this array picked, arrow keys walk through the grid.
  move(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns }[event.key];
    if (!step || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const now = this.picked ?? this.known[0];
    const next = this.picked === null || this.picked === undefined ? now : now + step;
    if (this.memory.has(this.array.number, next)) this.pick({ array: this.array.number, cell: next });
  }
  // The rows and columns to draw: all where they are few, else those around the anchor cell.
  window(anchor) {
    const at = Math.max(0, this.rowNumbers.indexOf(Math.floor(anchor / this.columns)));
    const from = this.rowNumbers.length <= MOST_ROWS ? 0 : Math.floor(at / MOST_ROWS) * MOST_ROWS;
    const rows = this.rowNumbers.slice(from, from + MOST_ROWS);
    const wide = this.lastColumn - this.firstColumn + 1;
    const left = wide <= MOST_COLUMNS ? this.firstColumn
      : this.firstColumn + Math.floor(Math.max(0, anchor % this.columns - this.firstColumn) / MOST_COLUMNS) * MOST_COLUMNS;
    return { rows, left, right: Math.min(this.lastColumn, left + MOST_COLUMNS - 1) };
  }
  build({ rows, left, right }) {
    const window = [rows[0], rows.length, left, right].join();
    if (window === this.shownWindow) return;
    this.shownWindow = window;
    this.cells.clear();
    const drawnParts = [part("b")];
    for (let column = left; column <= right; ++column) drawnParts.push(part("b", {}, String(column)));
    let before = rows.length ? rows[0] - 1 : 0;
    for (const row of rows) {
      const name = this.array.dimensions.length > 2
        ? this.array.subscripts(row * this.columns).slice(0, -1).join(",") : this.array.width ? String(row) : String(row * this.columns);
      drawnParts.push(part("b", { class: row > before + 1 ? "gap" : false }, name));
      before = row;
      for (let column = left; column <= right; ++column) {
        const cell = row * this.columns + column;
        const known = this.memory.has(this.array.number, cell);
        const element = part("i", known ? { "data-cell": cell } : { class: "untouched" });
        this.cells.set(cell, { element, text: "", kinds: known ? "" : "untouched", beyond: !this.array.holds(cell) });
        drawnParts.push(element);
      }
    }
    this.body.style.setProperty("--columns", right - left + 1);
    this.widen(String(right).length);
    this.body.replaceChildren(...drawnParts);
    const hidden = this.rowNumbers.length > rows.length || this.lastColumn - this.firstColumn > right - left;
    setText(this.note, hidden ? "This is a part of it: the part around the current step." : "");
  }
  // Paper cannot be scrolled: there, letters are as small as so many columns of so many letters need.
  widen(letters) {
    if (letters <= (this.letters || 0)) return;
    this.letters = letters;
    this.body.style.setProperty("--letters", letters);
  }
  show(step, picture) {
    const touched = new Map();
    if (step && step.array === this.array.number) {
      const kind = { 0: "reads", 1: "writes", 2: "atomics", 4: "outside" }[step.kind] || "";
      this.run.eachCell(step, (cell, lane) => {
        const own = picture.thread >= 0 && this.run.thread(step, lane) === picture.thread;
        touched.set(cell, own || (touched.get(cell) || "").includes("own") ? kind + " own" : kind);
      });
    }
    this.picked = picture.element && picture.element.array === this.array.number ? picture.element.cell : null;
    const first = touched.keys().next();
    if (!first.done) this.anchor = first.value;
    else if (this.picked !== null) this.anchor = this.picked;
    this.build(this.window(this.anchor ?? this.known[0] ?? 0));
    const marked = new Set(picture.marked.filter(([array]) => array === this.array.number).map(([, cell]) => cell));
    for (const [cell, shown] of this.cells) {
      if (shown.kinds === "untouched") continue;
      const text = this.memory.text(this.array.number, cell);
      if (text !== shown.text) {
        shown.element.textContent = brief(text);
        this.widen(shown.element.textContent.length);
        shown.text = text;
      }
      const writer = this.memory.writer(this.array.number, cell);
      const kinds = [touched.get(cell) || "", shown.beyond ? "beyond" : text ? "" : "unset", writer && step && writer.step.interval === step.interval ? "fresh" : "",
        cell === this.picked ? "picked" : "", marked.has(cell) ? "marked" : ""].filter(Boolean).join(" ");
      if (kinds !== shown.kinds) {
        shown.element.className = kinds;
        shown.kinds = kinds;
      }
    }
  }
}
