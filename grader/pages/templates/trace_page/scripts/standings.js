// Where threads stand that wait for others in vain, that have left the kernel, or that were stopped: after a step of a run.
class Standings {
  constructor(run) {
    this.run = run;
    this.steps = run.steps.filter((step) => step.kind === Kind.wait || step.kind === Kind.leave || step.kind === Kind.stop || step.kind === Kind.barrier);
  }
  // By thread: { kind, line }. A barrier that is the step itself has not released anybody yet.
  after(number) {
    const found = new Map();
    for (const step of this.steps) {
      if (step.number > number) break;
      if (step.kind !== Kind.barrier) step.lanes.forEach((lane) => found.set(this.run.thread(step, lane), step));
      else if (step.number < number) for (const [thread, one] of found) if (one.kind === Kind.wait) found.delete(thread);
    }
    for (const [thread, one] of found) {
      if (one.kind === Kind.wait && this.goesOn(one, thread, number)) found.delete(thread);
    }
    return found;
  }
  goesOn(waits, thread, number) {
    return this.run.ofWarp[waits.warp].some((step) => step.number > waits.number && step.number <= number && step.kind !== Kind.wait && step.lanes.includes(thread % LANES));
  }
  // Groups of threads at one place, the largest first: { kind, line, threads }.
  groups(number) {
    const groups = new Map();
    for (const [thread, { kind, line }] of [...this.after(number)].sort(([one], [other]) => one - other)) {
      const key = kind + ":" + line;
      if (!groups.has(key)) groups.set(key, { kind, line, threads: [] });
      groups.get(key).threads.push(thread);
    }
    return [...groups.values()].sort((one, other) => one.kind - other.kind || other.threads.length - one.threads.length);
  }
  words({ kind, line, threads }) {
    const many = threads.length > 1;
    const where = line ? " line " + line : kind === Kind.leave ? " its end" : " an unknown line";
    const said = { [Kind.wait]: (many ? "wait" : "waits") + " in" + where, [Kind.leave]: (many ? "have" : "has") + " left the kernel at" + where,
      [Kind.stop]: (many ? "were" : "was") + " stopped in" + where }[kind];
    return plural(threads.length, "thread") + " " + said + ": " + spans(this.run.story, threads) + ".";
  }
  sentences(number) {
    return this.groups(number).map((group) => this.words(group));
  }
}

// x from 4 to 15 and y from 0 to 15, where they are all threads of such a range; empty where they are not.
function box(story, threads) {
  const axes = story.block.map((extent, axis) => [...new Set(threads.map((thread) => [thread % story.block[0], Math.floor(thread / story.block[0]) % story.block[1], Math.floor(thread / story.block[0] / story.block[1])][axis]))].sort((a, b) => a - b));
  if (axes.some((axis) => axis.at(-1) - axis[0] + 1 !== axis.length) || axes.reduce((all, axis) => all * axis.length, 1) !== threads.length) return "";
  return axes.map((axis, at) => ["x", "y", "z"][at] + (axis.length > 1 ? " from " + axis[0] + " to " + axis.at(-1) : " = " + axis[0])).filter((_, at) => story.block[at] > 1).join(" and ");
}

// (0, 0) to (31, 0), (5, 1)
function spans(story, threads) {
  const said = neighbours(threads).map(([first, last]) => story.threadName(first) + (last > first ? " to " + story.threadName(last) : ""));
  return said.length > 5 ? box(story, threads) || said.slice(0, 4).join(", ") + ", \u2026" : said.join(", ");
}
