const read = (id) => JSON.parse(document.getElementById(id).textContent);
const page = read("page-data");
const charts = read("chart-data");
const views = {};
const drawn = {};
const root = document.documentElement;

// ---- light and dark
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
document.getElementById("theme").addEventListener("click", () => {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
  root.dataset.theme = isDark ? "light" : "dark";
});

// ---- charts, one after another, so that the page can be read meanwhile
const prepare = (spec, width) => {
  const meta = spec.usermeta;
  if (meta && meta.matrix) {
    const cells = [];
    meta.matrix.forEach((row, i) => row.forEach((similarity, j) => {
      cells.push({ feature: meta.names[i], other: meta.names[j], similarity });
    }));
    spec.datasets = { cells };
    // names stand beside the cells where they can be read; the menu of the chart has its own place
    const names = meta.canvas ? 0 : Math.min(110, 7 * Math.max(...meta.names.map((name) => name.length))) + 8;
    spec.width = Math.max(160, width - names - 34);
    spec.height = Math.min(spec.width, 700);
    delete spec.usermeta;
    return meta.canvas ? "canvas" : "svg";
  }
  return "svg";
};
// A legend must not be wider than a phone.
const narrowed = (part) => {
  if (Array.isArray(part)) part.forEach(narrowed);
  else if (part && typeof part === "object") {
    if (part.legend && part.legend.columns) Object.assign(part.legend, { columns: 2, labelLimit: 130 });
    for (const name of Object.keys(part)) if (name !== "datasets" && name !== "usermeta") narrowed(part[name]);
  }
};
const draw = async (place) => {
  const spec = charts[place.dataset.chart];
  const width = place.clientWidth;
  if (width < 500) narrowed(spec);
  if (width < 500 && spec.datasets && spec.datasets.nodes) spec.datasets.nodes.forEach((node) => { node.label = node.short; });
  const renderer = prepare(spec, width);
  const result = await window.vegaEmbed(place, spec, {
    mode: "vega-lite",
    ast: true, // expressions are interpreted: the page's policy allows no eval
    renderer,
    actions: { export: true, source: false, compiled: false, editor: false },
    downloadFileName: place.dataset.chart,
    config: {
      background: "transparent",
      view: { stroke: null },
      axis: { labelFontSize: 12, titleFontSize: 12, titlePadding: 10 },
      legend: { labelFontSize: 12, titleFontSize: 12 },
    },
  });
  views[place.dataset.chart] = result.view;
  drawn[place.dataset.chart] = result;
};
// Another set of rows for a chart; one without any is not shown.
const redraw = async (name, rows, change) => {
  const place = document.querySelector(`[data-chart="${name}"]`);
  if (!place || !charts[name]) return;
  place.hidden = rows.length === 0;
  if (!rows.length) return;
  change(charts[name]);
  if (!drawn[name]) return; // it is drawn later, with these rows
  drawn[name].finalize();
  place.replaceChildren();
  await draw(place);
};
const drawAll = async () => {
  for (const place of document.querySelectorAll("[data-chart]")) {
    if (!charts[place.dataset.chart]) { place.remove(); continue; }
    if (place.hidden) { drawn[place.dataset.chart] = { finalize() {} }; continue; }
    await draw(place);
    await new Promise((resume) => setTimeout(resume, 0));
  }
  root.dataset.ready = "true";
};
