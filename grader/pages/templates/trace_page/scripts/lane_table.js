// What each lane of the current step accesses, with the value, and what the picked thread or element has to do with it.
class LaneTable {
  constructor(story, follow, pick) {
    Object.assign(this, { story, follow, pick });
    this.body = part("tbody");
    this.details = part("details", { class: "each" }, part("summary", {}, "Each lane of this step"),
      part("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Each lane of this step" }, part("table", {},
        part("thead", {}, part("tr", {}, ...["lane", "thread", "element", "value"].map((name) => part("th", { scope: "col" }, name)))), this.body)));
    this.details.addEventListener("toggle", () => this.fill());
    this.about = part("div", { class: "about", "aria-live": "polite" });
    this.root = part("div", {}, this.about, this.details);
  }
  show(stage, state) {
    this.now = [stage, stage.stepAt(state.step), state];
    this.fill();
    this.tell(stage, state);
  }
  fill() {
    if (!this.details.open || !this.now) return;
    const [stage, step, state] = this.now;
    const rows = [];
    if (step) stage.run.eachCell(step, (cell, lane, at) => {
      const thread = stage.run.thread(step, lane);
      rows.push(this.row(lane, thread, state, part("button", { type: "button", class: "plain", click: () => this.pick({ array: step.array, cell }) }, stage.run.arrays[step.array].nameOf(cell)),
        stage.memory.seenText(step, at, cell) || "not set"));
    });
    if (step) stage.run.eachResult(step, (lane, source, text) => {
      rows.push(this.row(lane, stage.run.thread(step, lane), state, source === lane ? step.calls : "from lane " + source, text || (step.calls === "__syncwarp()" ? "" : "undefined")));
    });
    this.body.replaceChildren(...rows);
  }
  row(lane, thread, state, what, value) {
    return part("tr", { class: thread === state.thread ? "picked" : false }, part("td", {}, String(lane)),
      part("td", {}, part("button", { type: "button", class: "plain", click: () => this.follow({ thread }) }, this.story.threadName(thread))), part("td", {}, what), part("td", {}, value));
  }
  tell(stage, state) {
    const said = [];
    const step = stage.stepAt(state.step);
    if (state.element && step) said.push(part("p", {}, this.ofElement(stage, state.element)));
    if (state.thread >= 0 && step) {
      said.push(part("p", {}, "Thread " + this.story.threadName(state.thread) + ", lane " + state.thread % LANES + " of warp " + Math.floor(state.thread / LANES) + ":"));
      const list = this.history(stage, state.thread, step);
      said.push(list.length ? part("ol", { class: "history" }, ...list.map((text) => part("li", {}, text))) : part("p", { class: "soft" }, "It has accessed nothing so far."));
    }
    this.about.replaceChildren(...said);
  }
  ofElement(stage, { array, cell }) {
    const name = stage.run.arrays[array].nameOf(cell);
    const text = stage.memory.text(array, cell), writer = stage.memory.writer(array, cell);
    if (writer) {
      const line = writer.step.line ? " in line " + writer.step.line : "";
      return name + " holds " + text + ". Thread " + this.story.threadName(writer.thread) + " wrote it" + line + ", at step " + (writer.step.number + 1) + ".";
    }
    if (text) return name + " holds " + text + ", as before the launch.";
    return name + (stage.run.arrays[array].space === "shared" ? " has no value: no thread has written it yet." : " has no value that this block knows.");
  }
  result(run, step, thread) {
    let said = step.calls;
    run.eachResult(step, (lane, source, text) => { if (lane === thread % LANES && text) said = "gets " + text + (source === lane ? "" : " of lane " + source) + " by " + step.calls; });
    return said;
  }
  // The latest accesses of a thread, the last one first.
  history(stage, thread, step) {
    const found = [];
    for (let at = step.number; at >= 0 && found.length < 8; --at) {
      const one = stage.run.steps[at];
      if (!stage.run.hasThread(one, thread)) continue;
      if (one.array < 0) {
        const said = { [Kind.wait]: "waits in vain", [Kind.leave]: "has left the kernel", [Kind.stop]: "is stopped" }[one.kind] || this.result(stage.run, one, thread);
        found.push(said + (one.line ? " (line " + one.line + ")" : ""));
        continue;
      }
      const names = [];
      stage.run.eachCell(one, (cell, lane) => { if (stage.run.thread(one, lane) === thread) names.push(stage.run.arrays[one.array].nameOf(cell)); });
      found.push(VERBS[one.kind] + " " + names.join(", ") + (one.line ? " (line " + one.line + ")" : ""));
    }
    return found;
  }
}
