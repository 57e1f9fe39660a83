// Under the current line: which lane of the warp touches which sector of global memory, or which bank of shared memory; or which lane
// gets its value from which.
// It is drawn as wide as there is room, so that its letters keep their size; where lanes are narrow, only some have their number.
const WIDEST_PICTURE = 640, NARROWEST_PICTURE = 224, NUMBERED_LANE = 15, LETTER = 6.5, WORD = 4;

// The sectors or words that accesses of so many bytes touch, in their order.
function unitsOf(addresses, size, unit) {
  const found = new Set();
  addresses.forEach((address) => {
    for (let one = Math.floor(address / unit); one <= Math.floor((address + size - 1) / unit); ++one) found.add(one);
  });
  return [...found].sort((a, b) => a - b);
}

class LanePicture {
  constructor() {
    this.root = part("figure", { class: "requests", hidden: true });
    this.width = WIDEST_PICTURE;
    new ResizeObserver(() => {
      if (!this.root.hidden && this.room() !== this.width) this.show(...this.shown);
    }).observe(this.root);
  }
  room() {
    const style = getComputedStyle(this.root);
    const inside = this.root.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return inside > 0 ? Math.max(NARROWEST_PICTURE, Math.min(WIDEST_PICTURE, Math.floor(inside))) : this.width;
  }
  show(run, step) {
    this.shown = [run, step];
    this.root.hidden = false;  // what is hidden has no room
    this.width = this.room();
    this.lane = this.width / LANES;
    if (step && step.kind === Kind.exchange) return this.exchange(run, step);
    const counted = step && step.array >= 0 && step.kind <= Kind.atomic && step.count > 0;
    this.root.hidden = !counted;
    if (!counted) return this.root.replaceChildren();
    const array = run.arrays[step.array];
    const shared = array.space === "shared";
    const addresses = step.relative.map((one) => array.base + step.from + one);
    const caption = costWords(run, step);
    const svg = drawn("svg", { viewBox: "0 0 " + this.width + " 96", role: "img", "aria-label": caption });
    this.lanes(svg, new Set(step.lanes), 1);
    const wide = step.bytes * step.parts;
    const targets = shared ? this.banks(svg, addresses, wide) : this.sectors(svg, addresses, wide);
    step.lanes.forEach((lane, at) => svg.append(drawn("line", { x1: (lane + 0.5) * this.lane, y1: 15, x2: targets[at], y2: 60 })));
    this.root.replaceChildren(svg, part("figcaption", { class: step.count > step.least ? "more" : "" }, caption));
    return undefined;
  }
  lanes(svg, taking, y) {
    for (let lane = 0; lane < LANES; ++lane) {
      svg.append(drawn("rect", { class: taking.has(lane) ? "lane on" : "lane", x: lane * this.lane + 1, y, width: this.lane - 2, height: 14 }));
      if (this.lane < NUMBERED_LANE && lane % 4) continue;
      svg.append(drawn("text", { class: "number", x: (lane + 0.5) * this.lane, y: y + 11 }, String(lane)));
    }
  }
  // Lanes above give, lanes below get. A broken line comes from a lane that takes no part.
  exchange(run, step) {
    const taking = new Set(step.lanes);
    const absent = [...Array(LANES).keys()].filter((lane) => !taking.has(lane) && lane < run.story.lanesOf(step.warp));
    const lost = [];
    let moves = false;
    run.eachResult(step, (lane, source) => {
      if (!taking.has(source)) lost.push(lane);
      moves ||= lane !== source;
    });
    const caption = step.calls + ": " + plural(taking.size, "lane") + (absent.length ? ", without " + ranges(absent) : "") + "."
      + (lost.length ? " What " + (lost.length > 1 ? "lanes " : "lane ") + ranges(lost) + (lost.length > 1 ? " get" : " gets") + " is undefined: it comes from a lane that takes no part." : "");
    const svg = drawn("svg", { viewBox: "0 0 " + this.width + (moves ? " 76" : " 16"), role: "img", "aria-label": caption });
    this.lanes(svg, taking, 1);
    if (moves) {
      this.lanes(svg, taking, 60);
      run.eachResult(step, (lane, source) => svg.append(drawn("line", { class: taking.has(source) ? false : "lost", x1: (source + 0.5) * this.lane, y1: 15, x2: (lane + 0.5) * this.lane, y2: 60 })));
    }
    this.root.replaceChildren(svg, part("figcaption", { class: lost.length ? "more" : "" }, caption));
  }
  // Draws 32 banks, each with the number of different words that the lanes want of it. Returns where each lane's line ends.
  banks(svg, addresses, size) {
    const words = Array.from({ length: LANES }, () => new Set());
    unitsOf(addresses, size, WORD).forEach((word) => words[word % LANES].add(word));
    words.forEach((of, bank) => {
      const kind = of.size > 1 ? "bank many" : of.size ? "bank on" : "bank";
      svg.append(drawn("rect", { class: kind, x: bank * this.lane + 1, y: 60, width: this.lane - 2, height: 20 }));
    });
    this.counts(svg, words.map((of) => of.size));
    svg.append(drawn("text", { class: "caption", x: 2, y: 93 }, this.width >= 51 * LETTER ? "banks 0 to 31, and how many different words of each" : "banks 0 to 31, with words of each"));
    return addresses.map((address) => (Math.floor(address / WORD) % LANES + 0.5) * this.lane);
  }
  // In each bank, or once for neighbours with the same number where banks are narrow.
  counts(svg, sizes) {
    for (let first = 0, end = 0; first < sizes.length; first = end) {
      for (end = first + 1; this.lane < NUMBERED_LANE && sizes[end] === sizes[first]; ++end);
      const said = sizes[first] > 1 ? "×" + sizes[first] : "1";
      const text = said.length * LETTER <= (end - first) * this.lane ? said : said.slice(-2);
      if (sizes[first]) svg.append(drawn("text", { class: "number", x: (first + end) / 2 * this.lane, y: 74 }, text));
    }
  }
  // Draws the sectors that the lanes touch, in the order of their addresses. A gap parts those that are no neighbours.
  sectors(svg, addresses, size) {
    const sorted = unitsOf(addresses, size, 32);
    const gaps = sorted.filter((one, at) => at && one !== sorted[at - 1] + 1).length;
    const width = Math.min(80, (this.width - gaps * 4) / sorted.length);
    const places = new Map();
    let x = 0;
    sorted.forEach((sector, at) => {
      if (at && sector !== sorted[at - 1] + 1) x += 4;
      places.set(sector, x);
      svg.append(drawn("rect", { class: "sector on", x: x + 0.5, y: 60, width: Math.max(1, width - 1), height: 20 }));
      x += width;
    });
    svg.append(drawn("text", { class: "caption", x: 2, y: 93 }, plural(sorted.length, "sector") + " of 32 bytes" + (this.width >= 59 * LETTER ? "; a gap where they are no neighbours" : "")));
    return addresses.map((address) => places.get(Math.floor(address / 32)) + ((address % 32) + Math.min(size, 4) / 2) / 32 * width);
  }
}
