// Sorts the table of students, and shows some of them. Without it the table stands as it was rendered, by name. The rows' facts are in one
// block of data; nothing is fetched.
(() => {
  const classData = JSON.parse(document.getElementById("class-data").textContent);
  const table = document.querySelector(".students table");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  rows.forEach((row, at) => { row.facts = classData.rows[at]; });
  const keys = {
    name: (facts) => facts.name,
    section: (facts) => classData.sections[facts.section] ?? "",
    total: (facts) => facts.total,
    lab: (facts, lab) => facts.points[lab],
  };
  table.querySelectorAll("th[data-sort]").forEach((head) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const descending = head.ariaSort === "ascending";
      const key = (row) => keys[head.dataset.sort](row.facts, Number(head.dataset.lab));
      const compare = (a, b) => (typeof key(a) === "number" ? key(a) - key(b) : key(a).localeCompare(key(b)));
      table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
      head.ariaSort = descending ? "descending" : "ascending";
      body.append(...[...body.rows].sort((a, b) => (descending ? compare(b, a) : compare(a, b))));
    });
  });

  // Filtering: by name, section, verdict in a lab, mistake, and what was found about them. What is chosen stands in the page's address,
  // so links of the page choose too, and a bookmark keeps it.
  const tools = document.querySelector(".tools");
  const fields = Object.fromEntries([...tools.querySelectorAll("input, select")].map((control) => [control.name, control]));
  const status = tools.querySelector("[role=status]");
  tools.hidden = false;
  tools.addEventListener("input", () => { show(); history.replaceState(null, "", address()); });
  tools.querySelector("button").addEventListener("click", () => {
    Object.values(fields).forEach((control) => { control.value = ""; });
    show();
    history.replaceState(null, "", "#students");
  });

  const chosen = () => Object.fromEntries(Object.entries(fields).map(([name, control]) => [name, control.value]));
  const address = () => {
    const set = Object.entries(chosen()).filter(([, value]) => value !== "");
    return `#students${set.length > 0 ? `?${new URLSearchParams(set)}` : ""}`;
  };
  const matches = (row, want) => {
    const { section, flags, verdicts, mistakes } = row.facts;
    const lab = want.lab ? classData.labs.indexOf(want.lab) : -1;
    const seen = lab < 0 ? verdicts : [verdicts[lab]];
    return (!want.find || row.cells[0].textContent.toLowerCase().includes(want.find.toLowerCase()))
      && (!want.who || flags.includes(want.who))
      && (!want.section || classData.sections[section] === want.section)
      && (!want.lab || seen[0] >= 0)
      && (!want.verdict || seen.includes(classData.verdicts.indexOf(want.verdict)))
      && (!want.mistake || mistakes.some((at) => classData.mistakes[at][0] === want.mistake));
  };
  function show() {
    const want = chosen();
    let shown = 0;
    rows.forEach((row) => {
      row.hidden = !matches(row, want);
      shown += row.hidden ? 0 : 1;
    });
    status.textContent = shown === rows.length ? `${shown} students` : `${shown} of ${rows.length} students`;
  }
  function follow() {
    const [place, query] = location.hash.slice(1).split("?");
    const asked = new URLSearchParams(place === "students" ? query ?? "" : "");
    Object.entries(fields).forEach(([name, control]) => {
      control.value = asked.get(name) ?? "";
      if (control.value !== (asked.get(name) ?? "")) control.value = "";
    });
    show();
    if (query !== undefined && place === "students") {
      document.getElementById("students").scrollIntoView();
      document.getElementById("students-heading").focus({ preventScroll: true });
    }
  }
  addEventListener("hashchange", follow);
  follow();
})();
