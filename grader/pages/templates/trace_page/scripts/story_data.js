// Reads the page's block of data: the columns of numbers that grader/explain/page_block.py wrote, as runs with their steps.
const Kind = { read: 0, write: 1, atomic: 2, barrier: 3, outside: 4, wait: 5, leave: 6, stop: 7, exchange: 8 };
const LANES = 32;
const BESIDE_FROM = 1024;
const UNSET = 0;  // the number of a value that nobody knows, or that nobody has set

// Differences to the number before, as zigzag varints in base64.
function readColumn(text) {
  const coded = atob(text);
  const numbers = [];
  let before = 0;
  for (let at = 0; at < coded.length;) {
    let value = 0, scale = 1, byte = 0;
    do {
      byte = coded.charCodeAt(at++);
      value += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte & 0x80);
    before += value % 2 ? -(value + 1) / 2 : value / 2;
    numbers.push(before);
  }
  return numbers;
}

// An array of the block's memory. A cell is one element, by its place in the array.
class StoredArray {
  constructor(number, data) {
    Object.assign(this, data, { number });
    const [cells, values] = data.initial.map(readColumn);
    this.initial = cells.map((cell, at) => [cell, values[at]]);
    this.size = this.dimensions.length ? this.dimensions.reduce((a, b) => a * b, 1) : Infinity;
    this.width = this.dimensions.length > 1 ? this.dimensions.at(-1) : 0;
  }
  // Whether a cell is one of the array's elements. An access outside of it has a cell that is none.
  holds(cell) {
    return cell >= 0 && cell < this.size;
  }
  subscripts(cell) {
    if (this.dimensions.length < 2 || !this.holds(cell)) return [cell];
    const found = [];
    let left = cell;
    for (const extent of this.dimensions.slice(1).reverse()) {
      found.unshift(left % extent);
      left = Math.floor(left / extent);
    }
    return [left, ...found];
  }
  nameOf(cell) {
    return this.name + this.subscripts(cell).map((one) => "[" + one + "]").join("");
  }
  // The cell that a name such as As[3][2] means; -1: none.
  cellOf(name) {
    const match = /^\s*([^[\]]+?)\s*((?:\[-?\d+\])+)\s*$/.exec(name);
    if (!match || match[1] !== this.name) return -1;
    const given = [...match[2].matchAll(/\[(-?\d+)\]/g)].map((one) => Number(one[1]));
    if (given.length === 1) return given[0];
    if (given.length !== this.dimensions.length) return -1;
    return given.reduce((cell, one, at) => cell * (at ? this.dimensions[at] : 1) + one, 0);
  }
}

class StoryRun {
  constructor(data, story) {
    Object.assign(this, data, { story, stored: readColumn(data.stored), seen: new Map() });
    this.arrays = data.arrays.map((array, number) => new StoredArray(number, array));
    const [counts, allLanes, offsets] = data.patterns.map(readColumn);
    let from = 0;
    const patterns = counts.map((count) => ({ lanes: allLanes.slice(from, from + count), relative: offsets.slice(from, from += count) }));
    const columns = Object.fromEntries(Object.entries(data.steps).map(([name, text]) => [name, readColumn(text)]));
    const [seenSteps, seenPlaces, seenValues] = data.seen.map(readColumn);
    seenSteps.forEach((step, at) => {
      if (!this.seen.has(step)) this.seen.set(step, new Map());
      this.seen.get(step).set(seenPlaces[at], seenValues[at]);
    });
    let next = 0;
    this.steps = columns.site.map((site, number) => {
      const [kind, place, array, bytes, parts] = data.sites[site], [line, name, calls] = data.places[place];
      const step = {
        number, kind, array, bytes, parts, line, name, calls, ...patterns[columns.pattern[number]], from: columns.from[number], stored: next,
        warp: columns.warp[number], interval: columns.interval[number], count: columns.count[number], least: columns.least[number],
        stores: kind === Kind.write || kind === Kind.atomic,
      };
      if (step.stores || kind === Kind.exchange) next += step.lanes.length * parts;
      return step;
    });
    this.ofWarp = Array.from({ length: story.warps }, () => []);  // the steps of each warp
    this.steps.forEach((step) => { if (step.warp >= 0) this.ofWarp[step.warp].push(step); });
  }
  // The cells that a step touches: f(cell, lane, place among the step's values).
  eachCell(step, visit) {
    if (step.array < 0) return;
    const size = this.arrays[step.array].bytes;
    for (let at = 0; at < step.lanes.length; ++at) {
      const first = step.from + step.relative[at];
      for (let part = 0; part < step.parts; ++part) {
        visit(Math.floor((first + part * step.bytes) / size), step.lanes[at], at * step.parts + part);
      }
    }
  }
  // What an exchange brings: f(lane, source lane, text); empty where it brings nothing.
  eachResult(step, visit) {
    if (step.kind !== Kind.exchange) return;
    step.lanes.forEach((lane, at) => visit(lane, step.from + step.relative[at], this.texts[this.stored[step.stored + at]]));
  }
  thread(step, lane) {
    return step.warp * LANES + lane;
  }
  hasThread(step, thread) {
    return step.warp === Math.floor(thread / LANES) && step.lanes.includes(thread % LANES);
  }
  // The nearest step after `from` (direction 1) or before it (direction -1) that fits; -1: there is none.
  find(from, direction, fits) {
    for (let at = from + direction; at >= 0 && at < this.steps.length; at += direction) {
      if (fits(this.steps[at], this)) return at;
    }
    return -1;
  }
  // Whether a step belongs to the picked thread or warp. Without either, every step does.
  isFollowed(step, { thread, warp }) {
    if (thread >= 0) return this.hasThread(step, thread);
    return warp < 0 || step.warp === warp;
  }
  touches(step, element) {
    if (step.array !== element.array) return false;
    let found = false;
    this.eachCell(step, (cell) => { found ||= cell === element.cell; });
    return found;
  }
}

class StoryData {
  constructor(data) {
    Object.assign(this, data);
    this.questions = data.questions.map((one, number) => ({ ...one, number, given: -1 }));
    this.threads = data.block[0] * data.block[1] * data.block[2];
    // Threads of a second block count from BESIDE_FROM.
    this.warps = Math.ceil((this.threads + (this.beside ? BESIDE_FROM : 0)) / LANES);
    this.runs = data.runs.map((run) => new StoryRun(run, this));
    this.length = Math.max(1, ...this.runs.map((run) => run.steps.length));
  }
  isThread(thread) {
    return (this.beside ? thread % BESIDE_FROM : thread) < this.threads;
  }
  // How many of a warp's lanes are threads.
  lanesOf(warp) {
    const first = this.beside ? warp * LANES % BESIDE_FROM : warp * LANES;
    return Math.max(0, Math.min(LANES, this.threads - first));
  }
  warpName(warp) {
    return this.beside ? warp % (BESIDE_FROM / LANES) + " of " + this.blockName(warp * LANES) : String(warp);
  }
  // Of two blocks: which a thread belongs to. Otherwise empty.
  blockName(thread) {
    return this.beside ? "block (" + (thread < BESIDE_FROM ? this.at : this.beside).join(",") + ")" : "";
  }
  // x, y and z
  index(number) {
    const thread = this.beside ? number % BESIDE_FROM : number;
    const [x, y] = this.block;
    return [thread % x, Math.floor(thread / x) % y, Math.floor(thread / x / y)];
  }
  threadName(thread) {
    return "(" + this.index(thread).join(",") + ")" + (this.beside ? " of " + this.blockName(thread) : "");
  }
  // The thread that "(3,0,0)" or "3,0" means, or "3,0 of block (1,0,0)" where there are two; -1: none.
  threadOf(given) {
    const [text, ofBlock] = given.split(/\bof\b/);
    const numbers = (text.match(/\d+/g) || []).map(Number);
    const second = this.beside && ofBlock && (ofBlock.match(/\d+/g) || []).join() === this.beside.join();
    if (!numbers.length || numbers.length > 3) return -1;
    const [x, y = 0, z = 0] = numbers;
    return x < this.block[0] && y < this.block[1] && z < this.block[2] ? x + this.block[0] * (y + this.block[1] * z) + (second ? BESIDE_FROM : 0) : -1;
  }
}
