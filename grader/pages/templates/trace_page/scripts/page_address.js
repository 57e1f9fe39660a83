// What is picked, in the address behind #, so that a link leads to it: #step=12&thread=3,0&element=As[3][0]
function readAddress(story, length) {
  const given = new URLSearchParams(location.hash.slice(1));
  const found = { thread: -1, warp: -1, element: null };
  const step = Number(given.get("step"));
  if (given.has("step") && Number.isInteger(step) && step >= 1) found.step = Math.min(step, length) - 1;
  if (given.has("thread")) found.thread = story.threadOf(given.get("thread"));
  const warp = Number(given.get("warp") ?? -1);
  if (Number.isInteger(warp) && warp >= 0 && warp < story.warps) found.warp = warp;
  if (given.has("element")) found.element = elementNamed(story, given.get("element"));
  if (given.has("line") && found.step === undefined) {
    const at = story.runs[0].steps.findIndex((one) => one.line === Number(given.get("line")));
    if (at >= 0) found.step = at;
  }
  return found;
}

function writeAddress(story, state) {
  const said = ["step=" + (state.step + 1)];
  if (state.thread >= 0) said.push("thread=" + story.index(state.thread).join(",") + (state.thread >= BESIDE_FROM ? encodeURIComponent(" of " + story.beside.join(",")) : ""));
  if (state.warp >= 0) said.push("warp=" + state.warp);
  if (state.element) said.push("element=" + encodeURIComponent(story.runs[0].arrays[state.element.array].nameOf(state.element.cell)));
  history.replaceState(null, "", "#" + said.join("&"));
}

function elementNamed(story, name) {
  for (const array of story.runs[0].arrays) {
    const cell = array.cellOf(name);
    if (cell >= 0) return { array: array.number, cell };
  }
  return null;
}
