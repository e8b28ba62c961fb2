"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const page = read("page-data");
  const charts = read("chart-data");
  const views = {};
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
      const side = Math.max(200, Math.min(width - 130, 480));
      spec.width = meta.canvas ? Math.min(width - 10, 600) : side;
      spec.height = spec.width;
      delete spec.usermeta;
      return meta.canvas ? "canvas" : "svg";
    }
    return "svg";
  };
  // A legend must not be wider than a phone.
  const narrowed = (part) => {
    if (Array.isArray(part)) part.forEach(narrowed);
    else if (part && typeof part === "object") {
      if (part.legend && part.legend.columns) Object.assign(part.legend, { columns: 2, labelLimit: 110 });
      for (const name of Object.keys(part)) if (name !== "datasets" && name !== "usermeta") narrowed(part[name]);
    }
  };
  const draw = async (place) => {
    const spec = charts[place.dataset.chart];
    const width = place.clientWidth;
    if (spec.usermeta && spec.usermeta.square) place.classList.add("square");
    if (width < 500) narrowed(spec);
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
        axis: { labelFontSize: 12, titleFontSize: 12 },
        legend: { labelFontSize: 12, titleFontSize: 12 },
      },
    });
    views[place.dataset.chart] = result.view;
  };
  const drawAll = async () => {
    for (const place of document.querySelectorAll("[data-chart]")) {
      if (!charts[place.dataset.chart]) { place.remove(); continue; }
      await draw(place);
      await new Promise((resume) => setTimeout(resume, 0));
    }
    root.dataset.ready = "true";
  };

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

  // ---- the slider; names are only ever set as text
  const element = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const nameOf = (text) => {
    const made = element("bdi", text, "name");
    made.title = text;
    return made;
  };
  const cell = (row, value, text, isNumber) => {
    const made = row.insertCell();
    if (isNumber) made.className = "num";
    made.dataset.v = value === null ? "" : value;
    if (text instanceof Node) made.append(text);
    else made.textContent = text;
    return made;
  };
  const figure = (value, digits) => (value === null ? "–" : value.toFixed(digits));
  const short = (value) => String(Number(value.toPrecision(6)));
  const number = (row, value, text) => cell(row, value, text, true);

  if (page) {
    const features = page.features.map(([name, id, position, importance, cluster, cost, frequency, nearest]) => (
      { name, id, position, importance, cluster, cost, frequency, nearest }));
    const onPath = page.path.map((column) => features[column]);
    // The kept feature most like another one: the last record of those in force.
    const nearestKept = (feature, k) => {
      let found = null;
      for (const record of feature.nearest) if (record[0] < k) found = record;
      return found;
    };
    const isKept = (feature, k) => feature.position !== null && feature.position <= k;
    const standing = (k) => {
      const found = onPath.slice(0, k).map(() => []);
      for (const feature of features) {
        if (isKept(feature, k)) continue;
        const record = nearestKept(feature, k);
        if (record && record[1] >= page.stands_for_from) found[record[0]].push([record[1], feature]);
      }
      for (const others of found) others.sort((a, b) => b[0] - a[0] || a[1].id - b[1].id);
      return found;
    };
    const fillKept = (k) => {
      const table = document.getElementById("kept");
      const body = document.createElement("tbody");
      const stands = page.has_graph ? standing(k) : null;
      onPath.slice(0, k).forEach((feature, i) => {
        const row = body.insertRow();
        number(row, i + 1, String(i + 1));
        cell(row, feature.name, nameOf(feature.name));
        if (stands) {
          number(row, feature.importance, figure(feature.importance, 4));
          number(row, feature.cluster, feature.cluster === null ? "–" : String(feature.cluster));
        }
        number(row, feature.cost, short(feature.cost));
        number(row, feature.frequency, `${Math.round(100 * feature.frequency)}%`);
        if (!stands) return;
        const others = stands[i];
        const text = document.createDocumentFragment();
        if (others.length) {
          text.append(`${others.length} feature${others.length === 1 ? "" : "s"}, nearest `, nameOf(others[0][1].name),
            ` ${others[0][0].toFixed(2)}`);
        } else text.append("itself alone");
        cell(row, others.length, text).className = "stands";
      });
      table.tBodies[0].replaceWith(body);
      sortAgain(table);
    };
    const details = document.getElementById("left-out");
    const fillLeftOut = (k) => {
      if (!details) return;
      const out = features.filter((feature) => !isKept(feature, k));
      details.querySelector("summary").textContent = `The ${out.length} features left out`;
      if (!details.open) return;
      const table = document.getElementById("left-out-table");
      const body = document.createElement("tbody");
      for (const feature of out) {
        const row = body.insertRow();
        cell(row, feature.name, nameOf(feature.name));
        if (page.has_graph) {
          number(row, feature.importance, figure(feature.importance, 4));
          number(row, feature.cluster, feature.cluster === null ? "–" : String(feature.cluster));
        }
        number(row, feature.frequency, `${Math.round(100 * feature.frequency)}%`);
        if (page.has_graph) {
          const record = nearestKept(feature, k);
          const near = record ? onPath[record[0]].name : "–";
          cell(row, near, nameOf(near));
          number(row, record ? record[1] : null, figure(record ? record[1] : null, 2));
        }
      }
      table.tBodies[0].replaceWith(body);
      sortAgain(table);
    };
    const sentence = (k) => {
      const nearest = page.sentences.reduce((best, s) => (Math.abs(s.k - k) < Math.abs(best.k - k) ? s : best));
      if (nearest.k === k) return nearest.sentence;
      return `${k} of ${page.n_features} features were not measured. The nearest size that was: ${nearest.sentence}`;
    };
    const show = (k) => {
      document.getElementById("sentence").textContent = sentence(k);
      document.getElementById("reason").textContent = k === page.n_kept
        ? page.reason : `You are looking at the first ${k} features of the path; the choice is ${page.n_kept}.`;
      const shown = document.getElementById("k-shown");
      if (shown) shown.textContent = k;
      const cost = onPath.slice(0, k).reduce((total, feature) => total + feature.cost, 0);
      document.getElementById("cost-says").textContent = `Together they cost ${short(cost)} of ${short(page.total_cost)}.`;
      fillKept(k);
      fillLeftOut(k);
      if (views.curve) views.curve.signal("k", k).runAsync();
    };
    const slider = document.getElementById("k");
    let k = page.n_kept;
    let waiting = false;
    const later = (wanted) => {
      k = wanted;
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; show(k); });
    };
    if (slider) {
      slider.value = k;
      slider.addEventListener("input", () => later(Number(slider.value)));
      document.getElementById("reset").addEventListener("click", () => { slider.value = page.n_kept; later(page.n_kept); });
    }
    if (details) details.addEventListener("toggle", () => fillLeftOut(k));
    show(k);
  }
  drawAll();
})();
