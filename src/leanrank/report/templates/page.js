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
const percent = (value) => `${(100 * value).toFixed(1)}%`;
const share = (value) => (value === null ? "–" : `${Math.round(100 * value)}%`);
const number = (row, value, text) => cell(row, value, text, true);
// Where the middle half of a feature's values lies, and their median, a line for each group of labels.
const SVG = "http://www.w3.org/2000/svg";
const shape = (tag, at) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(at)) made.setAttribute(name, value);
  return made;
};
const spreadOf = ([low, high, quartiles]) => {
  const across = (value) => (high > low ? Math.max(2, Math.min(98, 2 + 96 * (value - low) / (high - low))) : 50);
  const says = quartiles.map((q) => (q ? String(q[1]) : "–")).join(" / ");
  const picture = shape("svg", { viewBox: `0 0 100 ${7 * quartiles.length + 2}`, role: "img", "aria-label": `medians ${says}` });
  quartiles.forEach((q, i) => {
    if (!q) return;
    const y = 7 * i + 4.5;
    picture.append(shape("line", { x1: across(q[0]), x2: across(q[2]), y1: y, y2: y }),
      shape("circle", { cx: across(q[1]), cy: y, r: 2.6 }));
  });
  return [says, picture];
};
const spreadCell = (row, spread) => {
  if (!spread) { cell(row, null, "–").className = "spread"; return; }
  const [says, picture] = spreadOf(spread);
  const made = cell(row, says, picture);
  made.className = "spread";
  made.title = `medians by label: ${says}`;
};

if (page) {
  const features = page.features.map((values) => Object.fromEntries(page.fields.map((name, i) => [name, values[i]])));
  const columnOf = (feature) => (page.columns ? page.columns[feature.id - 1] : feature.name); // as the data call it
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
      if (page.has_costs) number(row, feature.cost, short(feature.cost));
      number(row, feature.frequency, share(feature.frequency));
      if (page.has_missing) number(row, feature.missing, percent(feature.missing));
      if (page.has_spread) spreadCell(row, feature.spread);
      if (!stands) return;
      const others = stands[i];
      const text = document.createDocumentFragment();
      if (others.length) {
        text.append(`${others.length} feature${others.length === 1 ? "" : "s"}, nearest `, nameOf(others[0][1].name),
          ` ${others[0][0].toFixed(2)}`);
      } else text.append("nothing");
      cell(row, others.length, text).className = "stands";
    });
    table.tBodies[0].replaceWith(body);
    sortAgain(table);
    fold(table);
  };
  const details = document.getElementById("left-out");
  const fillLeftOut = (k) => {
    if (!details) return;
    const out = features.filter((feature) => !isKept(feature, k) && !feature.constant);
    details.hidden = !out.length;
    details.querySelector("summary").textContent =
      `The ${out.length === 1 ? "feature" : `${out.length} features`} left out`;
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
      if (page.has_missing) number(row, feature.missing, percent(feature.missing));
      if (page.has_spread) spreadCell(row, feature.spread);
      if (page.has_graph) {
        const record = nearestKept(feature, k);
        const near = record ? onPath[record[0]].name : "–";
        cell(row, near, nameOf(near));
        number(row, record ? record[1] : null, figure(record ? record[1] : null, 2));
      }
    }
    table.tBodies[0].replaceWith(body);
    sortAgain(table);
    fold(table);
  };
  // What was measured of a size; of one that was not, what lies beside it.
  const sizes = new Map(page.sizes.map((size) => [size.k, size]));
  const signed = (value) => (value < 0 ? "" : "+") + value.toFixed(4);
  const costOf = (k) => onPath.slice(0, k).reduce((total, feature) => total + feature.cost, 0);
  const priced = (cost) => short(cost) + (page.cost_unit && ` ${page.cost_unit}`);
  const unmeasured = (k) => {
    const known = page.sizes.filter((size) => size.difference !== undefined && size.difference !== null);
    const nearest = known.reduce((best, s) => (Math.abs(s.k - k) < Math.abs(best.k - k) ? s : best), known[0]);
    const beside = [known.findLast((size) => size.k < k), known.find((size) => size.k > k)].filter(Boolean);
    const between = beside.map((size) => `${size.k}: ${signed(size.difference)}`).join(", ");
    const tiles = [
      ["features kept", String(k), `of ${page.n_features}`],
      [`${page.metric} against all`, "not measured", between && `beside it ${between}`],
    ];
    if (page.has_costs) tiles.push(["cost", priced(costOf(k)), `of ${priced(page.total_cost)}`]);
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
      slices: [],
      slices_note: "What happens in each slice was not measured with so many features.",
      stability: "Sets of this size were not chosen in the folds.",
      frequency: null,
      surprises: [],
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
  const fillSlices = (rows, note) => {
    const table = document.getElementById("slices");
    if (!table) return;
    const body = document.createElement("tbody");
    for (const [slice, queries, ...values] of rows) {
      const row = body.insertRow();
      cell(row, slice, nameOf(slice));
      number(row, queries, queries.toLocaleString("en"));
      for (const value of values) number(row, value, value === null ? "–" : signed(value));
    }
    table.tBodies[0].replaceWith(body);
    table.closest(".scroll").hidden = rows.length === 0;
    document.getElementById("slices-note").textContent = note;
    sortAgain(table);
    fold(table);
  };
  const fillSurprises = (rows) => {
    const table = document.getElementById("surprises");
    const body = document.createElement("tbody");
    for (const [feature, choice, often, why] of rows) {
      const row = body.insertRow();
      cell(row, feature, nameOf(feature));
      cell(row, choice, choice);
      number(row, often, share(often));
      cell(row, why, why);
    }
    table.tBodies[0].replaceWith(body);
    table.closest(".scroll").hidden = rows.length === 0;
    sortAgain(table);
    fold(table);
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
      spec.encoding.y.axis = most <= 5 ? { values: [...Array(most + 1).keys()], format: "d" } : { format: ",d" };
    });
    const often = new Map(size.frequency ?? []);
    const bars = often.size ? features.map((of, column) => ({ share: often.get(column) ?? 0, of })).filter(
      ({ share, of }) => (isKept(of, k) ? share < 1 : share > 0)) : [];
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
    fillSlices(size.slices, size.slices_note);
    fillSurprises(size.surprises);
    say("ship-says", `Ship ${k === 1 ? "this one" : `these ${k}`}`);
    say("names", onPath.slice(0, k).map((feature) => inCsv(columnOf(feature))).join(", "));
    const often = size.frequency && new Map(size.frequency);
    features.forEach((feature, column) => { feature.frequency = often ? often.get(column) ?? 0 : null; });
    const shown = document.getElementById("k-shown");
    if (shown) shown.textContent = k;
    if (page.has_costs) say("cost-says", `Together they cost ${priced(costOf(k))} of ${priced(page.total_cost)}.`);
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
  const copy = document.getElementById("copy");
  copy.addEventListener("click", async () => {
    const names = document.getElementById("names");
    let copied = false;
    try {
      await navigator.clipboard.writeText(names.textContent);
      copied = true;
    } catch { // not everywhere may a page write there: select the names instead
      window.getSelection().selectAllChildren(names);
      copied = document.execCommand("copy");
    }
    copy.textContent = copied ? "copied" : "selected: copy them with Ctrl+C";
    setTimeout(() => { copy.textContent = "copy the names"; }, 2000);
  });
  if (details) details.addEventListener("toggle", () => fillLeftOut(k));
  show(k);
}
drawAll();
