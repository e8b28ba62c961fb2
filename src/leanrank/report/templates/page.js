"use strict";
(() => {
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
  const share = (value) => (value === null ? "–" : `${Math.round(100 * value)}%`);
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
        number(row, feature.frequency, share(feature.frequency));
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
        number(row, feature.frequency, share(feature.frequency));
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
    // What was measured of a size; of one that was not, what lies beside it.
    const sizes = new Map(page.sizes.map((size) => [size.k, size]));
    const signed = (value) => (value < 0 ? "" : "+") + value.toFixed(4);
    const costOf = (k) => onPath.slice(0, k).reduce((total, feature) => total + feature.cost, 0);
    const unmeasured = (k) => {
      const known = page.sizes.filter((size) => size.difference !== undefined && size.difference !== null);
      const nearest = known.reduce((best, s) => (Math.abs(s.k - k) < Math.abs(best.k - k) ? s : best), known[0]);
      const beside = [known.findLast((size) => size.k < k), known.find((size) => size.k > k)].filter(Boolean);
      const between = beside.map((size) => `${size.k}: ${signed(size.difference)}`).join(", ");
      const tiles = [
        ["features kept", String(k), `of ${page.n_features}`],
        [`${page.metric} against all`, "not measured", between && `beside it ${between}`],
      ];
      if (page.has_costs) tiles.push(["cost", short(costOf(k)), `of ${short(page.total_cost)}`]);
      return {
        sentence: `${k} of ${page.n_features} features were not measured.`
          + (nearest ? ` The nearest size that was: ${nearest.sentence}` : ""),
        risk: "Risk: unknown, no ranker was trained on so many of the features.",
        glad: false,
        sure: "Not measured: nothing is known of so many features",
        tiles,
        queries: "Which queries gain and lose was not measured with so many features.",
        bins: null,
        losers: [],
        stability: "Sets of this size were not chosen in the folds.",
        frequency: null,
      };
    };
    const fillTiles = (tiles) => {
      document.getElementById("tiles").replaceChildren(...tiles.map((texts) => {
        const tile = document.createElement("li");
        ["what", "figure", "beside"].forEach((name, i) => tile.append(element("span", texts[i], name)));
        return tile;
      }));
    };
    const fillLosers = (rows) => {
      const table = document.getElementById("losers");
      const body = document.createElement("tbody");
      for (const [query, ...values] of rows) {
        const row = body.insertRow();
        cell(row, query, nameOf(query));
        values.forEach((value, i) => number(row, value, i === values.length - 1 ? signed(value) : value.toFixed(4)));
      }
      table.tBodies[0].replaceWith(body);
      table.closest(".scroll").hidden = rows.length === 0;
      sortAgain(table);
    };
    const drawSize = (size, k) => {
      const [edges, counts] = size.bins ?? [[], []];
      const bins = counts.some((count) => count > 0) ? counts.map((queries, i) => ({
        from: edges[i],
        to: edges[i + 1],
        queries,
        range: `${signed(edges[i])} to ${signed(edges[i + 1])}`,
        change: edges[i] >= 0 ? "better" : "worse",
      })) : [];
      redraw("queries", bins, (spec) => {
        spec.datasets.bins = bins;
        const most = Math.max(...counts);
        spec.encoding.y.axis = most <= 5 ? { values: [...Array(most + 1).keys()] } : { format: ",d" };
      });
      const bars = (size.frequency ?? []).map(([column, share]) => ({ share, of: features[column] }));
      bars.sort((a, b) => b.share - a.share || (a.of.position ?? 1e9) - (b.of.position ?? 1e9) || a.of.id - b.of.id);
      const rows = bars.slice(0, page.most_bars).map(({ share, of }) => (
        { feature: of.name, share, final: isKept(of, k) ? "kept" : "left out" }));
      redraw("stability", rows, (spec) => {
        spec.datasets.features = rows;
        spec.encoding.y.scale.domain = rows.map((row) => row.feature);
        spec.height = 18 * rows.length + 10;
      });
    };
    let settled = null;
    const show = (k) => {
      const size = sizes.get(k) ?? unmeasured(k);
      const say = (id, text) => { document.getElementById(id).textContent = text; };
      say("sentence", size.sentence);
      say("reason", k === page.n_kept
        ? size.reason : `You are looking at the first ${k} features of the path; the choice is ${page.n_kept}.`);
      say("badge", size.sure);
      document.getElementById("badge").className = `badge ${size.glad ? "proven" : "unproven"}`;
      say("risk", size.risk);
      say("queries-say", size.queries);
      say("stability-says", size.stability);
      fillTiles(size.tiles);
      fillLosers(size.losers);
      const often = size.frequency && new Map(size.frequency);
      features.forEach((feature, column) => { feature.frequency = often ? often.get(column) ?? 0 : null; });
      const shown = document.getElementById("k-shown");
      if (shown) shown.textContent = k;
      const cost = costOf(k);
      document.getElementById("cost-says").textContent = `Together they cost ${short(cost)} of ${short(page.total_cost)}.`;
      fillKept(k);
      fillLeftOut(k);
      if (views.curve) views.curve.signal("k", k).runAsync();
      clearTimeout(settled);
      if (root.dataset.ready) settled = setTimeout(() => drawSize(size, k), 80); // not at every step of a drag
      else drawSize(size, k);
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
