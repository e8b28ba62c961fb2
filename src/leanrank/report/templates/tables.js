// ---- tables
const valueOf = (row, column) => {
  const text = row.cells[column].dataset.v ?? row.cells[column].textContent;
  const number = Number(text);
  return text === "" ? null : Number.isNaN(number) ? text : number;
};
const compare = (a, b) => {
  if (a === null || b === null) return a === b ? 0 : a === null ? 2 : -2; // nothing stays last either way
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
};
const sort = (table, column, ascending) => {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [valueOf(row, column), row]);
  rows.sort(([a], [b]) => {
    const order = compare(a, b);
    return Math.abs(order) === 2 && (a === null || b === null) ? order : ascending ? order : -order;
  });
  body.append(...rows.map(([, row]) => row));
  [...table.tHead.rows[0].cells].forEach((head, i) => {
    if (i === column) head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  });
};
document.addEventListener("click", (event) => {
  const head = event.target.closest("table.sortable th");
  if (!head) return;
  const isNumber = head.classList.contains("num");
  const before = head.getAttribute("aria-sort");
  sort(head.closest("table"), head.cellIndex, before ? before === "descending" : !isNumber || head.cellIndex === 0);
});
const sortAgain = (table) => {
  const head = table.querySelector("th[aria-sort]");
  if (head) sort(table, head.cellIndex, head.getAttribute("aria-sort") === "ascending");
};

// ---- long tables: twenty rows, then a search, the rest on request, and a file of them all
const FOLDED = 20;
const inCsv = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const csvOf = (table) => {
  const lines = [[...table.tHead.rows[0].cells].map((head) => head.textContent.trim())];
  for (const row of table.tBodies[0].rows) lines.push([...row.cells].map((c) => c.dataset.v ?? c.textContent));
  return lines.map((cells) => cells.map(inCsv).join(",")).join("\n") + "\n";
};
const save = (name, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const toolsOf = (table) => {
  const place = table.closest(".scroll");
  if (place.previousElementSibling?.classList.contains("tools")) return place.previousElementSibling;
  const tools = document.createElement("div");
  tools.className = "tools";
  const search = Object.assign(document.createElement("input"), { type: "search", placeholder: "search the table" });
  search.setAttribute("aria-label", "search the table");
  const all = Object.assign(document.createElement("button"), { type: "button", className: "all" });
  const file = Object.assign(document.createElement("button"), { type: "button", className: "file" });
  file.textContent = "download CSV";
  search.addEventListener("input", () => fold(table));
  all.addEventListener("click", () => { table.dataset.open = table.dataset.open ? "" : "yes"; fold(table); });
  file.addEventListener("click", () => save(`${table.id || "table"}.csv`, csvOf(table)));
  tools.append(search, all, file);
  place.before(tools);
  return tools;
};
const fold = (table) => {
  const rows = [...table.tBodies[0].rows];
  const tools = toolsOf(table);
  tools.hidden = rows.length <= FOLDED;
  const [search, all] = tools.children;
  const wanted = tools.hidden ? "" : search.value.trim().toLowerCase();
  for (const row of rows) row.classList.toggle("unwanted", wanted !== "" && !row.textContent.toLowerCase().includes(wanted));
  table.classList.toggle("folded", !tools.hidden && wanted === "" && !table.dataset.open);
  all.textContent = table.dataset.open ? `only the first ${FOLDED} rows` : `all ${rows.length} rows`;
  all.hidden = wanted !== "";
};
for (const table of document.querySelectorAll("table.sortable")) fold(table);

// ---- an entry that a link leads to is opened
const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1));
  const entry = target?.closest("details");
  if (!entry) return;
  entry.open = true;
  target.scrollIntoView();
};
window.addEventListener("hashchange", openTarget);
openTarget();
