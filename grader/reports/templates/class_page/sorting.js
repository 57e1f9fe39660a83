// Sorts and searches the table of students. Without it the table stands as it was rendered, by name.
(() => {
  const table = document.querySelector(".students table");
  const body = table.tBodies[0];
  const rows = () => [...body.rows];
  table.querySelectorAll("th[data-sort]").forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const descending = head.ariaSort === "ascending";
      const key = (row) => row.cells[column].dataset.order;
      const compare = head.dataset.sort === "number"
        ? (a, b) => Number(key(a)) - Number(key(b))
        : (a, b) => key(a).localeCompare(key(b));
      table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
      head.ariaSort = descending ? "descending" : "ascending";
      body.append(...rows().sort((a, b) => (descending ? compare(b, a) : compare(a, b))));
    });
  });
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Find a student";
  search.setAttribute("aria-label", "Find a student");
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    rows().forEach((row) => { row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted); });
  });
  document.querySelector(".tools").append(search);
})();
