// Sorts the table of students. Without it the table stands as it was rendered, by name. The rows' facts are in one block of data.
const classData = JSON.parse(document.getElementById("class-data").textContent);
(() => {
  const table = document.querySelector(".students table");
  const body = table.tBodies[0];
  [...body.rows].forEach((row, at) => { row.facts = classData.rows[at]; });
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
})();
