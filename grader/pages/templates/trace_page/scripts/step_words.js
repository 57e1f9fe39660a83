// What a step does, as text: for the line above the picture, for screen readers and for the list of a thread's accesses.
const VERBS = { 0: "reads", 1: "writes", 2: "changes atomically", 4: "would go outside of the array, to" };

// A barrier at which not all threads have arrived says who is missing.
function barrierWords(run, step, standings) {
  const line = step.line ? " in line " + step.line : "";
  const groups = standings ? standings.groups(step.number) : [];
  const waits = groups.filter((group) => group.kind === Kind.wait);
  const gone = groups.filter((group) => group.kind !== Kind.wait);
  if (waits.length > 1) return "Barrier" + line + ": threads wait at " + waits.length + " different places. CUDA promises nothing then, and a GPU may hang. Here all of them go on.";
  if (gone.length) return "Barrier" + line + ": all threads that still run have arrived, and go on. The others never come.";
  return "Barrier" + line + ": every thread of the block has arrived, and all go on.";
}

// 0–15, 31
function ranges(numbers) {
  const said = [];
  for (let at = 0; at < numbers.length;) {
    let end = at;
    while (end + 1 < numbers.length && numbers[end + 1] === numbers[end] + 1) ++end;
    said.push(end > at + 1 ? numbers[at] + "–" + numbers[end] : numbers.slice(at, end + 1).join(", "));
    at = end + 1;
  }
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
  const all = story.lanesOf(step.warp);
  if (step.lanes.length === 1) return "Thread " + story.threadName(step.warp * LANES + step.lanes[0]);
  if (step.lanes.length === all) return "Warp " + story.warpName(step.warp);
  return "Warp " + story.warpName(step.warp) + ", lanes " + ranges(step.lanes) + ",";
}

// A subscript that is too large for its row may lead to another row of the same array.
function pastRow(run, step) {
  let inside = run.arrays[step.array].width > 0;  // a list has no rows
  run.eachCell(step, (cell) => { inside &&= run.arrays[step.array].holds(cell); });
  return inside;
}

function exchangeWords(run, step) {
  const together = step.lanes.length > 1 ? "do" : "does";
  const all = run.story.lanesOf(step.warp) === step.lanes.length;
  return (all ? "does" : together) + " " + step.calls;
}

function stepWords(run, step) {
  const story = run.story;
  const line = step.line ? " in line " + step.line : "";
  if (step.kind === Kind.barrier) return barrierWords(run, step, run.standings);
  if (step.kind === Kind.wait) return laneWords(story, step) + " " + (step.lanes.length === 1 ? "waits" : "wait") + line + ", for threads that do not come.";
  if (step.kind === Kind.leave) return laneWords(story, step) + " " + (step.lanes.length === 1 ? "has" : "have") + " left the kernel" + (line || ", at its end") + ".";
  if (step.kind === Kind.stop) return laneWords(story, step) + " " + (step.lanes.length === 1 ? "is" : "are") + " stopped" + line + ": what comes next there cannot happen.";
  if (step.kind === Kind.exchange) return laneWords(story, step) + " " + exchangeWords(run, step) + line + ".";
  if (step.kind === Kind.outside && pastRow(run, step)) return laneWords(story, step) + " would go past the end of its row of the array, to the place of " + elementWords(run, step) + line + ".";
  return laneWords(story, step) + " " + VERBS[step.kind] + " " + elementWords(run, step) + line + ".";
}

// What the request costs; empty where nothing is counted.
function costWords(run, step) {
  if (step.array < 0 || step.kind === Kind.outside || !step.count) return "";
  const shared = run.arrays[step.array].space === "shared";
  const unit = shared ? plural(step.count, "pass", "passes") : plural(step.count, "sector");
  const least = step.count === step.least ? "the least that is possible" : step.least + " would be enough if the words were neighbours";
  return "1 request of " + plural(step.lanes.length, "lane") + ": " + unit + (shared ? " over the banks" : " of 32 bytes") + "; " + least + ".";
}
