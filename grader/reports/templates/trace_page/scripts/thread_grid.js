// The block's threads, a row for each warp: which lanes take part in the current step, and where each warp stands.
class ThreadGrid {
  constructor(run, follow) {
    this.run = run;
    this.lanes = [];
    this.states = [];
    const { story } = run;
    const rows = [];
    this.waits = run.steps.filter((step) => step.kind === Kind.wait || step.kind === Kind.leave || step.kind === Kind.barrier);
    // The steps of each warp, so that its place is found quickly.
    this.ofWarp = Array.from({ length: story.warps }, () => []);
    run.steps.forEach((step) => { if (step.warp >= 0) this.ofWarp[step.warp].push(step.number); });
    // Where runs are compared, warps without a step in any of them have no row.
    const used = (warp) => story.runs.length === 1 || story.runs.some((one) => one.steps.some((step) => step.warp === warp));
    for (let warp = 0; warp < story.warps; ++warp) {
      const row = [];
      row.push(part("button", { type: "button", class: "warp", "aria-pressed": "false", "data-warp": warp, "aria-label": "Follow warp " + warp, click: () => follow({ warp }) }, part("span", {}, "warp "), String(warp)));
      for (let lane = 0; lane < LANES; ++lane) {
        const thread = warp * LANES + lane;
        const element = part("i", thread < story.threads ? { "data-thread": thread, title: "thread " + story.threadName(thread) } : { class: "none" });
        if (thread < story.threads) this.lanes.push({ element, kinds: "" });
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
  stateOf(warp, step) {
    const own = this.ofWarp[warp];
    let low = 0, high = own.length;  // own[low] is the first step after this one
    while (low < high) {
      const middle = (low + high) >> 1;
      if (own[middle] <= step.number) low = middle + 1; else high = middle;
    }
    const next = low < own.length ? this.run.steps[own[low]] : null;
    const last = low > 0 ? this.run.steps[own[low - 1]] : null;
    if (step.warp === warp) return "line " + (step.line || "?");
    if (step.kind === Kind.barrier) return next ? "goes on" : "has no more to do";
    if (next && next.interval === step.interval) return last && last.interval === step.interval ? "line " + (last.line || "?") : "comes later";
    return next ? "waits" : this.run.complete ? "done" : "";
  }
  show(step, picture) {
    const waiting = new Map();
    for (const one of this.waits) {
      if (!step || one.number > step.number) break;
      if (one.kind === Kind.barrier) { for (const [thread, kind] of waiting) if (kind === "waits") waiting.delete(thread); continue; }
      one.lanes.forEach((lane) => waiting.set(this.run.thread(one, lane), one.kind === Kind.wait ? "waits" : "left"));
    }
    const active = new Set(step && step.warp >= 0 ? step.lanes.map((lane) => this.run.thread(step, lane)) : []);
    const kind = step ? { 0: "reads", 1: "writes", 2: "atomics", 3: "", 4: "outside", 5: "waits", 6: "left" }[step.kind] : "";
    this.lanes.forEach((shown, thread) => {
      const kinds = [active.has(thread) ? kind : waiting.get(thread) || (step && step.kind === Kind.barrier ? "passes" : ""),
        thread === picture.thread ? "picked" : "", picture.markedThreads.includes(thread) ? "marked" : ""].filter(Boolean).join(" ");
      if (kinds !== shown.kinds) {
        shown.element.className = kinds;
        shown.kinds = kinds;
      }
    });
    this.states.forEach((state, warp) => setText(state, step ? this.stateOf(warp, step) : ""));
    this.body.querySelectorAll("button.warp").forEach((button) => button.setAttribute("aria-pressed", String(Number(button.dataset.warp) === picture.warp)));
  }
}
