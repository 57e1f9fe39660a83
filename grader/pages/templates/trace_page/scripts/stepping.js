// Steps through the story: buttons, keys, the slider, clicked lines, and the address. Everything that is shown follows from `state`.
const story = new StoryData(JSON.parse(document.getElementById("story").textContent));
const state = { step: story.start, thread: -1, warp: -1, element: null, only: false };
const byId = (id) => document.getElementById(id);
const lines = new Map([...document.querySelectorAll("[data-line]")].map((line) => [Number(line.dataset.line), line]));
const stages = story.runs.map((run) => new Stage(run, pick, follow));
const card = new QuestionCard(story, (question) => goTo(question.step, true));
const requests = stages.map(() => new LanePicture());
const table = new LaneTable(story, follow, pick);

function clamped(step) {
  return Math.max(0, Math.min(story.length - 1, step));
}

// `jump`: without the questions in between, as from a link.
function goTo(step, jump = false) {
  const wanted = clamped(step);
  const question = jump ? null : card.between(state.step, wanted);
  if (question) {
    state.step = clamped(question.step - 1);
    show();
    card.ask(question);
    return;
  }
  card.hide();
  state.step = wanted;
  show();
}

// The nearest step of any run in this direction that fits: f(step, run); -1: there is none.
function nearest(from, direction, fits, first = direction > 0) {
  const found = story.runs.map((run) => run.find(from, direction, fits)).filter((step) => step >= 0);
  return found.length ? (first ? Math.min(...found) : Math.max(...found)) : -1;
}

// The page stays where it is if there is none.
function goToFound(direction, fits, what) {
  const found = nearest(state.step, direction, fits);
  if (found >= 0) goTo(found, direction < 0);
  else setText(byId("told"), "There is no " + what + ".");
}

const isBarrier = (step) => step.kind === Kind.barrier;

function stepBy(direction) {
  if (!state.only || (state.thread < 0 && state.warp < 0)) return goTo(state.step + direction, direction < 0);
  return goToFound(direction, (step, run) => isBarrier(step) || run.isFollowed(step, state), "further step of what you follow");
}

function pick(element) {
  state.element = element;
  byId("element").value = element ? story.runs[0].arrays[element.array].nameOf(element.cell) : "";
  show();
}

function follow({ thread = -1, warp = -1 }) {
  const same = thread === state.thread && warp === state.warp;
  state.thread = same ? -1 : thread;
  state.warp = same ? -1 : warp;
  fillFollowed();
  show();
}

function fillFollowed() {
  byId("followed").value = state.thread >= 0 ? (story.beside ? story.threadName(state.thread) : story.index(state.thread).join(",")) : state.warp >= 0 ? "warp " + state.warp : "";
}

function show() {
  stages.forEach((stage) => stage.show(state));
  lines.forEach((line) => line.classList.remove("current"));
  requests.forEach((picture) => picture.root.remove());
  stages.forEach((stage, at) => {
    const step = stage.stepAt(state.step);
    const line = step && lines.get(step.line);
    if (line) {
      line.classList.add("current");
      line.append(requests[at].root);
    }
    requests[at].show(stage.run, step);
  });
  table.show(stages[0], state);
  const slider = byId("slider");
  slider.value = state.step;
  const first = stages[0].stepAt(state.step);
  slider.setAttribute("aria-valuetext", "step " + (state.step + 1) + (first ? ": " + stepWords(stages[0].run, first) : ""));
  setText(byId("count"), "step " + (state.step + 1).toLocaleString("en") + " of " + story.length.toLocaleString("en"));
  setText(byId("told"), first ? stages.map((stage) => (stages.length > 1 ? stage.run.title + ": " : "") + stepWords(stage.run, stage.stepAt(state.step))).join(" ") : "");
  byId("back").disabled = byId("first").disabled = state.step === 0;
  byId("on").disabled = byId("last").disabled = state.step >= story.length - 1;
  byId("access-on").disabled = byId("access-back").disabled = !state.element;
  byId("only").disabled = state.thread < 0 && state.warp < 0;
  writeAddress(story, state);
  keepInView();
}

// The current line stays visible in the source's own scroll area; the page itself is not moved.
function keepInView() {
  const area = byId("source"), line = area.querySelector(".current");
  if (!line || area.scrollHeight <= area.clientHeight) return;
  const top = line.offsetTop - area.offsetTop;
  if (top < area.scrollTop || top + line.offsetHeight > area.scrollTop + area.clientHeight) area.scrollTop = Math.max(0, top - area.clientHeight / 3);
}

// To the next step that fits; after the last one it begins again with the first.
function goToAny(fits, none, direction = 1) {
  const found = [nearest(state.step, direction, fits), nearest(-1, 1, fits, direction > 0)].find((step) => step >= 0);
  if (found !== undefined) goTo(found, true);
  else setText(byId("told"), none);
}

function atLine(number, direction) {
  goToAny((step) => step.line === number, "No step of this block accesses memory in line " + number + ".", direction);
}

const isAccess = (step, run) => run.touches(step, state.element);
const actions = {
  first: () => goTo(0, true), back: () => stepBy(-1), on: () => stepBy(1), last: () => goTo(story.length - 1),
  "barrier-back": () => goToFound(-1, isBarrier, "earlier barrier"),
  "barrier-on": () => goToFound(1, isBarrier, "later barrier"),
  "access-back": () => state.element && goToFound(-1, isAccess, "earlier access of this element"),
  "access-on": () => state.element && goToFound(1, isAccess, "later access of this element"),
};
Object.entries(actions).forEach(([id, act]) => byId(id).addEventListener("click", act));
const isMistake = (step, run) => run.marks.some((mark) => mark.tone === "bad" && mark.step === step.number);
byId("mistake")?.addEventListener("click", () => goToAny(isMistake, ""));
byId("slider").max = story.length - 1;
byId("slider").addEventListener("input", (event) => goTo(Number(event.target.value), true));
lines.forEach((line, number) => line.querySelector("button")?.addEventListener("click", (event) => atLine(number, event.shiftKey ? -1 : 1)));
byId("only").addEventListener("change", (event) => { state.only = event.target.checked; });
byId("questions")?.addEventListener("change", (event) => { card.on = event.target.checked; });
byId("followed").addEventListener("change", (event) => {
  const text = event.target.value.trim();
  const warp = /^w(?:arp)?\s*(\d+)$/i.exec(text);
  state.thread = warp ? -1 : story.threadOf(text);
  state.warp = warp && Number(warp[1]) < story.warps ? Number(warp[1]) : -1;
  show();
  if (text && state.thread < 0 && state.warp < 0) setText(byId("told"), "The block has no thread or warp " + text + ". Write x, y or warp 3.");
});
byId("element").addEventListener("change", (event) => {
  const text = event.target.value.trim();
  state.element = text ? elementNamed(story, text) : null;
  show();
  if (text && !state.element) setText(byId("told"), "The block has no element " + text + ". Write it as " + story.runs[0].arrays.map((array) => array.nameOf(0)).slice(0, 3).join(" or ") + ".");
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input:not([type=range]):not([type=checkbox]), textarea, select") || event.altKey || event.metaKey) return;
  const name = { ArrowRight: "on", ArrowLeft: "back", Home: "first", End: "last" }[event.key];
  if (!name) return;
  event.preventDefault();
  const way = name === "on" || name === "back";
  if (way && event.shiftKey) actions["barrier-" + name]();
  else if (way && event.ctrlKey) actions["access-" + name]();
  else actions[name]();
});
window.addEventListener("hashchange", open);

function open() {
  Object.assign(state, { step: story.start }, readAddress(story, story.length));
  fillFollowed();
  byId("element").value = state.element ? story.runs[0].arrays[state.element.array].nameOf(state.element.cell) : "";
  card.hide();
  show();
  const first = state.step === 0 ? card.between(-1, 0) : null;
  if (first) card.ask(first);
}

byId("stages").replaceChildren(...stages.map((stage) => stage.root));
byId("stages").classList.toggle("several", stages.length > 1);
byId("lanes").replaceChildren(table.root);
byId("asked").replaceChildren(card.root);
open();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
