// What a step does, as text: for the line above the picture, for screen readers and for the list of a thread's accesses.
const VERBS = { 0: "reads", 1: "writes", 2: "changes atomically", 4: "would go outside of the array, to" };

// A barrier at which not all threads have arrived says who is missing.
function barrierWords(run, step, line) {
  const groups = run.standings.groups(step.number);
  const waits = groups.filter((group) => group.kind === Kind.wait).length;
  if (waits > 1) return "Barrier" + line + ": threads wait at " + waits + " different places. CUDA guarantees nothing then, and a GPU may hang. Here all of them go on.";
  if (groups.length > waits) return "Barrier" + line + ": all threads that still run have arrived, and go on. The others never come.";
  return "Barrier" + line + ": every thread of the block has arrived, and all go on.";
}

// The first and the last of numbers that follow one another.
function neighbours(numbers) {
  const found = [];
  for (const one of numbers) {
    if (found.length && found.at(-1)[1] === one - 1) found.at(-1)[1] = one;
    else found.push([one, one]);
  }
  return found;
}

// 0–15, 31
function ranges(numbers) {
  const said = neighbours(numbers).map(([first, last]) => (last > first + 1 ? first + "–" + last : first < last ? first + ", " + last : String(first)));
  return said.length > 6 ? said.slice(0, 5).join(", ") + ", …" : said.join(", ");
}

function plural(count, word, many = word + "s") {
  return count.toLocaleString("en") + " " + (count === 1 ? word : many);
}

function elementWords(run, step) {
  const array = run.arrays[step.array];
  const cells = [];
  run.eachCell(step, (cell) => cells.push(cell));
  const different = [...new Set(cells)];
  if (different.length === 1) return array.nameOf(different[0]);
  if (different.length <= 3) return different.map((cell) => array.nameOf(cell)).join(", ");
  return array.nameOf(different[0]) + " … " + array.nameOf(different.at(-1)) + " (" + different.length + " elements)";
}

function laneWords(story, step) {
  if (step.lanes.length === 1) return "Thread " + story.threadName(step.warp * LANES + step.lanes[0]);
  if (step.lanes.length === story.lanesOf(step.warp)) return "Warp " + story.warpName(step.warp);
  return "Warp " + story.warpName(step.warp) + ", lanes " + ranges(step.lanes) + ",";
}

// A subscript that is too large for its row may lead to another row of the same array.
function pastRow(run, step) {
  let inside = run.arrays[step.array].width > 0;  // a list has no rows
  run.eachCell(step, (cell) => { inside &&= run.arrays[step.array].holds(cell); });
  return inside;
}

function stepWords(run, step) {
  const { story } = run, { kind, lanes } = step;
  const line = step.line ? " in line " + step.line : "";
  if (kind === Kind.barrier) return barrierWords(run, step, line);
  const who = laneWords(story, step) + " ", single = lanes.length === 1;
  if (kind === Kind.wait) return who + (single ? "waits" : "wait") + line + ", for threads that do not come.";
  if (kind === Kind.leave) return who + (single ? "has" : "have") + " left the kernel" + (line || ", at its end") + ".";
  if (kind === Kind.stop) return who + (single ? "is" : "are") + " stopped" + line + ": what comes next there cannot happen.";
  if (kind === Kind.exchange) return who + (single || lanes.length === story.lanesOf(step.warp) ? "does " : "do ") + step.calls + line + ".";
  const verb = kind === Kind.outside && pastRow(run, step) ? "would go past the end of its row of the array, to the place of" : VERBS[kind];
  return who + verb + " " + elementWords(run, step) + line + ".";
}

// What the request costs; empty where nothing is counted.
function costWords(run, step) {
  if (step.array < 0 || step.kind === Kind.outside || !step.count) return "";
  const shared = run.arrays[step.array].space === "shared";
  const unit = shared ? plural(step.count, "pass", "passes") : plural(step.count, "sector");
  const least = step.count === step.least ? "the least that is possible" : step.least + " would be enough if the words were neighbours";
  return "1 request of " + plural(step.lanes.length, "lane") + ": " + unit + (shared ? " over the banks" : " of 32 bytes") + "; " + least + ".";
}
