// A question that is asked before a step is shown. The page stops there until a choice is made or the question is passed over.
class QuestionCard {
  constructor(story, answered) {
    Object.assign(this, { story, answered });
    this.root = part("section", { class: "question", hidden: true, "aria-live": "polite" });
    this.on = true;
    this.asked = null;
  }
  // The first open question on the way from one step to a later one; null: none.
  between(from, to) {
    if (!this.on) return null;
    return this.story.questions.find((one) => one.given < 0 && from < one.step && one.step <= to) || null;
  }
  hide() {
    document.body.classList.remove("asking");
    this.asked = null;
    this.root.hidden = true;
    this.root.replaceChildren();
  }
  ask(question) {
    if (this.asked === question) return;
    // Of the first step there is no step before, so that what it shows is covered.
    document.body.classList.toggle("asking", question.step === 0);
    this.asked = question;
    this.root.hidden = false;
    const choices = question.choices.map((choice, at) => part("button", { type: "button", click: () => this.answer(at) }, choice));
    this.root.replaceChildren(part("h2", {}, "What do you expect?"), part("p", {}, question.text), part("div", { class: "choices" }, ...choices),
      part("button", { type: "button", class: "plain", click: () => this.answer(question.choices.length) }, "Show it without an answer"));
    choices[0]?.focus({ preventScroll: true });
  }
  answer(given) {
    const question = this.asked;
    question.given = given;
    document.body.classList.remove("asking");
    const right = given === question.answer;
    const said = right ? "Yes." : given < question.choices.length ? "No: " + question.choices[question.answer] + "." : question.choices[question.answer] + ".";
    const on = part("button", { type: "button", click: () => { this.hide(); this.answered(question); } }, "Go on");
    this.root.replaceChildren(part("h2", {}, right ? "✓ Right" : given < question.choices.length ? "✗ Not quite" : "The answer"), part("p", {}, question.text),
      part("p", { class: "said" }, part("strong", {}, said), " " + question.explanation), on);
    on.focus({ preventScroll: true });
  }
}
