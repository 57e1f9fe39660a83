// The picture of one run: its threads, its arrays, and their places in global memory.
class Stage {
  constructor(run, pick, follow) {
    this.run = run;
    run.standings = new Standings(run);
    this.memory = new BlockMemory(run);
    const stored = new Set(run.steps.filter((step) => step.stores).map((step) => step.array));
    const order = { shared: 0, global: 1, module: 2 };
    const shown = [...run.arrays].filter((array) => this.memory.held[array.number].size).sort((a, b) => order[a.space] - order[b.space] || stored.has(a.number) - stored.has(b.number));
    this.threads = new ThreadGrid(run, follow);
    this.grids = shown.map((array) => new ElementGrid(run, array, this.memory, pick));
    this.places = shown.filter((array) => array.space === "global").map((array) => new MatrixPlace(run, array, this.memory));
    const near = this.grids.filter((grid) => grid.array.space === "shared"), far = this.grids.filter((grid) => grid.array.space !== "shared");
    this.now = part("p", { class: "now" });
    this.remarks = part("div", { class: "remarks" });
    this.standing = part("ul", { class: "standing" });
    const titled = run.story.runs.length > 1;
    this.root = part("section", { class: "stage", "aria-label": run.title },
      ...(titled ? [part("h2", {}, run.title)] : []), ...(run.schedule ? [part("p", { class: "soft" }, run.schedule)] : []),
      this.now, this.remarks, this.standing, this.threads.root,
      part("div", { class: "places" }, ...this.places.map((one) => one.root)),
      part("div", { class: "arrays" }, ...near.map((one) => one.root)), part("div", { class: "arrays" }, ...far.map((one) => one.root)));
  }
  stepAt(number) {
    return this.run.steps[Math.min(number, this.run.steps.length - 1)] || null;
  }
  show(state) {
    const step = this.stepAt(state.step);
    if (step) this.memory.goTo(step.number);
    const marks = step ? this.run.marks.filter((mark) => mark.step === step.number) : [];
    const picture = { ...state, marked: marks.flatMap((mark) => mark.elements), markedThreads: marks.flatMap((mark) => mark.threads) };
    this.threads.show(step, picture);
    this.grids.forEach((grid) => grid.show(step, picture));
    this.places.forEach((place) => place.show(step, state.thread));
    const standing = step && step.kind >= Kind.barrier ? this.run.standings.sentences(step.number) : [];
    this.standing.hidden = !standing.length;
    this.standing.replaceChildren(...standing.map((text) => part("li", {}, text)));
    setText(this.now, step ? stepWords(this.run, step) : "This run has no steps.");
    const ended = step && state.step >= this.run.steps.length - 1;
    const said = marks.map((mark) => part("p", { class: "remark " + mark.tone }, mark.text));
    if (ended && this.run.ending) said.push(part("p", { class: "remark bad" }, this.run.ending));
    if (ended && !this.run.complete) said.push(part("p", { class: "remark note" }, "Later steps of this run are not recorded."));
    this.remarks.replaceChildren(...said);
  }
}
