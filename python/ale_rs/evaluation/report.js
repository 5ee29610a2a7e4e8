// Sorts a table by the column whose head is clicked, first the highest on top.
for (const head of document.querySelectorAll("table.sortable th")) {
  head.tabIndex = 0;
  const sort = () => {
    const body = head.closest("table").tBodies[0];
    const column = [...head.parentNode.children].indexOf(head);
    const rising = head.getAttribute("aria-sort") === "descending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
    const value = (row) => {
      const cell = row.cells[column];
      const number = cell.dataset.v;
      return number === undefined ? cell.textContent : number === "" ? null : +number;
    };
    const compare = (first, second) => {
      const x = value(first), y = value(second);
      if (x === null || y === null) return (x === null) - (y === null); // missing values stay below
      const order = typeof x === "string" ? x.localeCompare(y) : x - y;
      return rising ? order : -order;
    };
    [...body.rows].sort(compare).forEach((row) => body.append(row));
  };
  head.addEventListener("click", sort);
  head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
}
