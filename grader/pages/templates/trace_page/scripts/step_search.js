// Finds steps of a run: the next barrier, the next access of an element, the next step of a line, a thread or a warp.
class StepSearch {
  constructor(run) {
    this.run = run;
  }
  // The nearest step after `from` (direction 1) or before it (direction -1) that fits; -1: there is none.
  find(from, direction, fits) {
    const steps = this.run.steps;
    for (let at = from + direction; at >= 0 && at < steps.length; at += direction) {
      if (fits(steps[at])) return at;
    }
    return -1;
  }
  barrier(from, direction) {
    return this.find(from, direction, (step) => step.kind === Kind.barrier);
  }
  access(from, direction, element) {
    return this.find(from, direction, (step) => step.array === element.array && this.run.touches(step, element));
  }
  line(from, direction, line) {
    return this.find(from, direction, (step) => step.line === line);
  }
  followed(from, direction, followed) {
    return this.find(from, direction, (step) => step.kind === Kind.barrier || isFollowed(this.run, step, followed));
  }
}

// Whether a step belongs to the picked thread or warp. Without either, every step does.
function isFollowed(run, step, followed) {
  if (followed.thread >= 0) return run.hasThread(step, followed.thread);
  return followed.warp < 0 || step.warp === followed.warp;
}
