// The block's threads, a row for each warp: which lanes take part in the current step, and where each warp stands.
class ThreadGrid {
  constructor(run, follow) {
    this.run = run;
    this.lanes = [];
    this.states = [];
    const { story } = run;
    const rows = [];
    // Where runs are compared, warps without a step in any of them have no row.
    const used = (warp) => story.runs.length === 1 || story.runs.some((one) => one.ofWarp[warp].length);
    for (let warp = 0; warp < story.warps; ++warp) {
      const row = [];
      row.push(part("button", { type: "button", class: "warp", "aria-pressed": "false", "data-warp": warp, "aria-label": "Follow warp " + story.warpName(warp), click: () => follow({ warp }) }, part("span", {}, "warp "), story.warpName(warp)));
      for (let lane = 0; lane < LANES; ++lane) {
        const thread = warp * LANES + lane;
        const element = part("i", story.isThread(thread) ? { "data-thread": thread, title: "thread " + story.threadName(thread) } : { class: "none" });
        if (story.isThread(thread)) this.lanes.push({ element, thread, kinds: "" });
        row.push(element);
      }
      this.states.push(part("span", { class: "state" }));
      row.push(this.states[warp]);
      if (used(warp)) rows.push(...row);
    }
    this.body = part("div", { class: "lanes" }, ...rows);
    this.body.addEventListener("click", (event) => {
      const lane = event.target.closest("[data-thread]");
      if (lane) follow({ thread: Number(lane.dataset.thread) });
    });
    this.root = part("section", { class: "threads" }, part("h3", {}, "Threads", part("small", {}, " a row for each warp, a square for each lane")),
      part("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Threads by warp" }, this.body));
  }
  // Who of the warp waits, has left or was stopped: "8 wait, 24 left".
  standing(warp, standings) {
    const counts = new Map();
    for (const [thread, { kind, line }] of standings) {
      if (Math.floor(thread / LANES) !== warp) continue;
      const said = { [Kind.wait]: "wait", [Kind.leave]: "left", [Kind.stop]: "stopped" }[kind] + (line ? " at " + line : "");
      counts.set(said, (counts.get(said) || 0) + 1);
    }
    return [...counts].sort(([, one], [, other]) => other - one).map(([said, count]) => count + " " + said).join(", ");
  }
  stateOf(warp, step, standings) {
    const standing = step.warp === warp && step.kind < Kind.wait ? "" : this.standing(warp, standings);
    if (standing) return standing;
    const next = this.run.ofWarp[warp].find((one) => one.number > step.number);
    const last = this.run.ofWarp[warp].findLast((one) => one.number <= step.number);
    if (step.warp === warp) return "line " + (step.line || "?");
    if (step.kind === Kind.barrier) return next ? "goes on" : "has no more to do";
    if (next && next.interval === step.interval) return last && last.interval === step.interval ? "line " + (last.line || "?") : "comes later";
    return next ? "waits" : this.run.complete ? "done" : "";
  }
  show(step, picture) {
    const standings = step ? this.run.standings.after(step.number) : new Map();
    const most = step ? this.run.standings.groups(step.number).find((group) => group.kind === Kind.wait) : null;
    const named = { [Kind.leave]: "left", [Kind.stop]: "stopped" };
    const standingOf = (thread) => {
      const { kind: of, line } = standings.get(thread);
      return of === Kind.wait ? (line === most.line ? "waits" : "waits elsewhere") : named[of];
    };
    const active = new Set(step && step.warp >= 0 ? step.lanes.map((lane) => this.run.thread(step, lane)) : []);
    const kind = step ? { 0: "reads", 1: "writes", 2: "atomics", 3: "", 4: "outside", 5: "waits", 6: "left", 7: "stopped", 8: "exchanges" }[step.kind] : "";
    this.lanes.forEach((shown) => {
      const { thread } = shown;
      const kinds = [active.has(thread) && kind !== "waits" ? kind : standings.has(thread) ? standingOf(thread) : (step && step.kind === Kind.barrier ? "passes" : ""),
        thread === picture.thread ? "picked" : "", picture.markedThreads.includes(thread) ? "marked" : ""].filter(Boolean).join(" ");
      if (kinds !== shown.kinds) {
        shown.element.className = kinds;
        shown.kinds = kinds;
      }
    });
    this.states.forEach((state, warp) => setText(state, step ? this.stateOf(warp, step, standings) : ""));
    this.body.querySelectorAll("button.warp").forEach((button) => button.setAttribute("aria-pressed", String(Number(button.dataset.warp) === picture.warp)));
  }
}
