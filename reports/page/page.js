// Draws the charts and the list of problems from the JSON in the page (reports/report_json.h).
"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const report = read("report"), specs = read("specs");
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const rowsOf = (table) => table.rows.map((row) => Object.fromEntries(row.map((cell, i) => [table.columns[i], cell])));

  function config() {
    const ink = css("--ink"), soft = css("--soft"), line = css("--line");
    return {
      background: "transparent", aria: false, font: getComputedStyle(document.body).fontFamily,
      view: { stroke: null },
      axis: {
        labelColor: soft, titleColor: ink, gridColor: css("--grid"), domainColor: line, tickColor: line,
        titleFontWeight: "normal", labelFontSize: 11, titleFontSize: 12,
      },
      axisX: { tickCount: 5 },
      legend: { labelColor: ink, title: null, symbolBaseFillColor: soft, symbolBaseStrokeColor: soft, orient: "top", columns: innerWidth < 700 ? 2 : 8, labelFontSize: 12, labelLimit: 220 },
      text: { color: ink, fontSize: 11 }, rule: { color: soft }, point: { color: css("--c1") },
      range: { category: [1, 2, 3, 4].map((n) => css(`--c${n}`)).concat("#c48200", "#9a62d0", "#8a6d00") },
    };
  }

  const tables = () => ({
    waves: report.waves?.curves, errors: report.errors.curve, picks: report.picks, clock: report.clock?.kernels,
    lines: report.clock?.lines, timeline: timeline()?.spans,
    layers: report.layers?.times, layer_parts: report.layers?.parts,
  });

  /** Draws a chart as wide as its element. A chart that is drawn again waits for the drawing before. */
  const drawing = new Map();
  function draw(plot) {
    const chart = plot.dataset.chart;
    const next = (drawing.get(chart) ?? Promise.resolve()).then(async () => {
      const spec = structuredClone(specs[chart]);
      spec.datasets = {};
      for (const name of spec.usermeta.tables) spec.datasets[name] = rowsOf(tables()[name] ?? { columns: [], rows: [] });
      spec.width = Math.max(plot.clientWidth, 260);
      spec.autosize = { type: "fit", contains: "padding" };
      if (spec.usermeta.lanes) spec.height = 60 + 17 * new Set(spec.datasets.timeline.map((row) => row.lane)).size;
      await vegaEmbed(plot, spec, { actions: false, config: config(), renderer: "svg", mode: "vega-lite", tooltip: { theme: "custom" } });
      plot.firstElementChild.setAttribute("aria-hidden", "true"); // the element's aria-label describes it
    });
    drawing.set(chart, next);
    return next;
  }
  const drawAll = () => Promise.all([...document.querySelectorAll(".plot")].filter((plot) => plot.clientWidth).map(draw));

  // The list of problems.
  const at = (id) => document.getElementById(id);
  const found = (words) => report.problems.filter((problem) =>
    words.every((word) => `${problem.problem} ${problem.class} ${problem.regime}`.toLowerCase().includes(word)));
  const timelinesOf = (problem) => (report.timelines ?? []).filter((one) => problem.regime === "burst" && one.problem === problem.problem);
  const timeline = () => timelinesOf(chosen)[at("kernel").selectedIndex];
  let listed = [], chosen = report.problems.reduce((a, b) => (timelinesOf(b).length > timelinesOf(a).length ? b : a));

  function element(tag, text, className) {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function search() {
    listed = found(at("search").value.toLowerCase().split(/\s+/).filter(Boolean));
    at("problem").replaceChildren(...listed.map((problem) => {
      const note = timelinesOf(problem).length > 0 ? ", timeline" : "";
      return new Option(`${problem.problem} (${problem.regime}${note})`, "", false, problem === chosen);
    }));
    at("found").textContent = `${listed.length} of ${report.problems.length} problems`;
    if (listed.length > 0 && !listed.includes(chosen)) at("problem").selectedIndex = 0;
    choose();
  }

  function choose() {
    chosen = listed[at("problem").selectedIndex] ?? chosen;
    const rows = chosen.top.map(([config, predicted, measured], i) => [`${i + 1}`, config, predicted, measured]);
    const place = chosen.top.findIndex((row) => row[0] === chosen.fastest[0]);
    if (place < 0) rows.push(["fastest", ...chosen.fastest]);
    if (chosen.cublaslt) rows.push(["cuBLASLt", "top heuristic", "", chosen.cublaslt]);
    if (chosen.cublaslt_best) rows.push(["cuBLASLt", "fastest of 16", "", chosen.cublaslt_best]);
    const head = document.createElement("thead");
    head.append(document.createElement("tr"));
    for (const title of ["rank", "configuration", "predicted, us", "measured, us", "speed, % of fastest"]) {
      const cell = element("th", title);
      cell.scope = "col";
      head.firstChild.append(cell);
    }
    const body = document.createElement("tbody");
    rows.forEach((cells, i) => {
      const row = body.insertRow();
      row.className = i === (place < 0 ? chosen.top.length : place) ? "fastest" : "";
      cells.forEach((cell, column) => row.append(element("td", typeof cell === "number" ? cell.toPrecision(4) : cell, column === 1 && cells[2] !== "" ? "code" : "")));
      row.append(element("td", (100 * chosen.fastest[2] / cells[3]).toFixed(1)));
    });
    at("top").replaceChildren(element("caption", `${chosen.problem} (${chosen.regime}, ${chosen.class})`), head, body);
    at("about").textContent = chosen.source === "whole_space"
      ? `Measured kernels: the top three of the whole search space and the fastest kernels known, ${chosen.kernels} in total. The fastest is bold.`
      : `Ranked by predicted time among the ${chosen.kernels} kernels that were measured. The fastest is bold.`;
    const recorded = timelinesOf(chosen);
    at("recorded").hidden = recorded.length === 0;
    const names = recorded.map((one) => one.config.split(" ", 2).join(" ")); // schedule and tile
    at("kernel").replaceChildren(...recorded.map((one, i) =>
      new Option(names.filter((name) => name === names[i]).length > 1 ? one.config : names[i])));
    if (recorded.length > 0) draw(document.querySelector('[data-chart="timeline"]'));
  }

  at("search").addEventListener("input", search);
  at("problem").addEventListener("change", choose);
  at("kernel").addEventListener("change", () => draw(document.querySelector('[data-chart="timeline"]')));
  search();
  const drawn = drawAll();

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let width = innerWidth, resizing;
  addEventListener("resize", () => {
    if (innerWidth === width) return; // a phone's bars come and go
    width = innerWidth;
    clearTimeout(resizing);
    resizing = setTimeout(drawAll, 150);
  });
  globalThis.tilecastReport = { drawn, drawing }; // for the test
})();
