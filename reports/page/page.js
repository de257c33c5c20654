// Draws the charts of the page and filters them. All data and specifications are in #report-data;
// reports/report_json.h says how they are written. Nothing is fetched.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("report-data").textContent);
  const PALETTE = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#2b8cc4",
    "#7b3fbf", "#c48200", "#5b6770", "#b2182b", "#1b7837", "#35618f",
  ];
  const DARK_PALETTE = [
    "#56b4e9", "#f58549", "#33c99b", "#e29ac4", "#d8b93a", "#8fd0f7",
    "#b28be6", "#f5c04a", "#9aa6b0", "#ee6a73", "#6cc98a", "#8fb4dd",
  ];
  const MOST_SVG_ROWS = 3000;  // more are drawn on a canvas

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;
  const palette = () => (dark() ? DARK_PALETTE : PALETTE);

  /** Columns of a table as a list of rows. */
  function rowsOf(table) {
    const columns = Object.entries(table.columns).map(([key, column]) => [
      key,
      column.words ? column.at.map((i) => (i === null ? null : column.words[i])) : column.values,
    ]);
    return Array.from({ length: table.rows }, (_, i) =>
      Object.fromEntries(columns.map(([key, values]) => [key, values[i]])));
  }

  const tables = {};
  const tableRows = (name) => (tables[name] ??= rowsOf(report.tables[name]));

  function config() {
    const ink = css("--ink"), soft = css("--soft"), grid = css("--grid"), line = css("--line");
    return {
      background: "transparent",
      aria: false, // the figure's label says what it is; the numbers are in tables
      font: getComputedStyle(document.body).fontFamily,
      view: { stroke: null },
      axis: {
        labelColor: soft, titleColor: ink, gridColor: grid, domainColor: line, tickColor: line,
        titleFontWeight: "normal", labelFontSize: 11, titleFontSize: 12, labelSeparation: 8,
      },
      legend: {
        labelColor: ink, titleColor: soft, titleFontWeight: "normal", symbolLimit: 40,
        symbolBaseFillColor: soft, symbolBaseStrokeColor: soft, // else black, in the dark too
        labelLimit: 220, orient: "top", columns: innerWidth < 700 ? 2 : 6, labelFontSize: 12,
      },
      title: { color: ink },
      text: { color: ink },
      rule: { color: soft },
      range: { category: palette() },
      style: { bar: { fill: css("--mark") } },
    };
  }

  /** Long labels of rows in several lines, and room for them. */
  function wrapped(spec) {
    spec.height = { step: spec.height.step * 2.4 };
    for (const layer of spec.layer) {
      if (layer.encoding?.y?.axis) {
        Object.assign(layer.encoding.y.axis, { labelExpr: "split(datum.label, /: +|, /)", labelOffset: -17 });
      }
      for (const channel of ["color", "shape"]) {
        if (layer.encoding?.[channel]) layer.encoding[channel].legend = { columns: 1 };
      }
    }
  }

  /** Labels of an axis may take at most this part of a narrow screen. */
  function narrowed(spec, width) {
    const most = Math.round(width * 0.36);
    const walk = (node) => {
      if (node === null || typeof node !== "object") return;
      if (node.labelLimit > most) node.labelLimit = most;
      Object.values(node).forEach(walk);
    };
    if (width < 700) walk({ ...spec, datasets: null });
    if (width < 700 && spec.usermeta?.wrap) wrapped(spec);
    return spec;
  }

  /** A chart with its filters: what is chosen, and the rows that are left. */
  class Chart {
    constructor(figure) {
      this.id = figure.dataset.chart;
      this.chart = report.charts[this.id];
      this.plot = figure.querySelector(".plot");
      this.bar = figure.querySelector(".filters");
      this.off = new Map(); // words that are switched off, by column
      this.chosen = new Map(this.chart.filters.filter((f) => f.one).map((f) => [f.column, f.chosen]));
      this.makeFilters();
    }

    source() {
      return tableRows(this.chart.tables[0]);
    }

    wordsOf(filter, rows) {
      const words = [...new Set(rows.map((row) => row[filter.column]))];
      return words.filter((word) => word !== null && word !== undefined)
        .sort((a, b) => String(a).localeCompare(String(b), "en", { numeric: true }));
    }

    /** Rows of a table that every filter lets through; `before`: only filters before that one. */
    rows(name, before = null) {
      let rows = tableRows(name);
      for (const filter of this.chart.filters) {
        if (filter === before) break;
        if (!rows.length || !(filter.column in rows[0])) continue;
        const off = this.off.get(filter.column);
        rows = rows.filter((row) => filter.one
          ? row[filter.column] === this.chosen.get(filter.column)
          : !off?.has(row[filter.column]));
      }
      return rows;
    }

    makeFilters() {
      this.bar.replaceChildren();
      for (const filter of this.chart.filters) {
        const words = this.wordsOf(filter, this.rows(this.chart.tables[0], filter));
        if (filter.one) {
          if (!words.includes(this.chosen.get(filter.column))) this.chosen.set(filter.column, words[0]);
        }
        if (words.length > 1) this.bar.append(filter.one ? this.select(filter, words) : this.chips(filter, words));
      }
      this.count = document.createElement("span");
      this.count.className = "count";
      this.count.setAttribute("role", "status");
      this.bar.append(this.count);
      this.tell();
    }

    select(filter, words) {
      const label = document.createElement("label");
      const select = document.createElement("select");
      for (const word of words) select.add(new Option(word, word, false, word === this.chosen.get(filter.column)));
      select.dataset.column = filter.column;
      select.addEventListener("change", () => {
        this.chosen.set(filter.column, words[select.selectedIndex]);
        this.makeFilters();
        this.bar.querySelector(`select[data-column="${filter.column}"]`)?.focus();
        this.update();
      });
      label.append(filter.label, select);
      return label;
    }

    chips(filter, words) {
      const field = document.createElement("fieldset");
      const legend = document.createElement("legend");
      legend.textContent = filter.label;
      field.append(legend);
      const off = this.off.get(filter.column) ?? new Set();
      this.off.set(filter.column, off);
      for (const word of words) {
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.column = filter.column;
        button.dataset.word = word;
        button.setAttribute("aria-pressed", String(!off.has(word)));
        const color = filter.column === "schedule" ? this.scheduleColor(word) : null;
        if (color) {
          const swatch = document.createElement("span");
          swatch.className = "swatch";
          swatch.style.background = color;
          button.append(swatch);
        }
        button.append(String(word));
        button.addEventListener("click", () => {
          off.has(word) ? off.delete(word) : off.add(word);
          button.setAttribute("aria-pressed", String(!off.has(word)));
          this.update();
        });
        field.append(button);
      }
      return field;
    }

    scheduleColor(word) {
      const at = (report.schedules ?? []).indexOf(word);
      return at < 0 ? null : palette()[at % palette().length];
    }

    tell() {
      // What a specification draws of its rows: columns that have a value ("*"), or this one.
      const shown = Object.entries(this.chart.spec.usermeta?.shown ?? {});
      const drawn = (row) =>
        shown.every(([column, value]) => (value === "*" ? row[column] != null : row[column] === value));
      const left = this.rows(this.chart.tables[0]).filter(drawn).length;
      const all = this.source().filter(drawn).length;
      const choices = this.chart.filters.length > 0 && all > 1;
      this.count.textContent = choices ? `${left} of ${all}` : "";
    }

    /** Draws with what is chosen now. Drawings follow one another, and of those that wait only the
        last is made: an earlier choice never lands on a later one. */
    draw() {
      this.wanted = true;
      this.waiting ??= (this.drawing ?? Promise.resolve()).then(() => {
        this.waiting = null;
        this.drawing = this.drawNow().catch((error) => {
          this.plot.textContent = `This chart could not be drawn: ${error.message}`;
          console.error(this.id, error);
        });
        return this.drawing;
      });
      return this.waiting;
    }

    async drawNow() {
      const width = Math.max(this.plot.clientWidth, 280);
      const spec = narrowed(structuredClone(this.chart.spec), width);
      spec.width = width;
      if (spec.height.step) {
        // As high as it has rows: the specification names the columns that tell rows apart.
        const keys = this.rows(this.chart.tables[0])
          .map((row) => spec.usermeta.rows.map((column) => row[column]).join("\n"));
        spec.height = spec.height.step * Math.max(new Set(keys).size, 1);
      }
      spec.autosize = { type: "fit-x", contains: "padding" };
      spec.datasets = Object.fromEntries(this.chart.tables.map((name) => [name, this.rows(name)]));
      const many = this.chart.tables.some((name) => tableRows(name).length > MOST_SVG_ROWS) && !spec.usermeta?.few;
      const before = this.result;
      this.result = await vegaEmbed(this.plot, spec, {
        actions: false, config: config(), renderer: many ? "canvas" : "svg", mode: "vega-lite",
        tooltip: { theme: "custom" },
      });
      before?.finalize();
      this.plot.firstElementChild?.setAttribute("aria-hidden", "true");
      this.drawn = true;
      return this.result.view;
    }

    /** The same chart with the rows that are left now. */
    async update() {
      this.tell();
      if (this.wanted) await this.draw();
    }
  }

  const charts = new Map();
  for (const figure of document.querySelectorAll("figure.chart")) {
    charts.set(figure.dataset.chart, new Chart(figure));
  }

  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) {
        seen.unobserve(entry.target);
        charts.get(entry.target.dataset.chart).draw();
      }
    }
  }, { rootMargin: "600px 0px" });
  for (const figure of document.querySelectorAll("figure.chart")) seen.observe(figure);

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const chart of charts.values()) {
      chart.makeFilters();
      chart.update();
    }
  });

  /** Says of each table whether it is wider than its frame. */
  function markScrolling() {
    for (const frame of document.querySelectorAll(".table")) {
      frame.classList.toggle("scrolls", frame.scrollWidth > frame.clientWidth + 1);
    }
  }
  markScrolling();

  let resizing;
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return; // a phone's bars come and go
    width = innerWidth;
    clearTimeout(resizing);
    resizing = setTimeout(() => {
      markScrolling();
      for (const chart of charts.values()) chart.update();
    }, 150);
  });

  // For tests and for print.
  const drawAll = async () => {
    for (const chart of charts.values()) await (chart.waiting ?? chart.drawing ?? chart.draw());
  };
  addEventListener("beforeprint", drawAll);
  globalThis.tilecastReport = { charts, drawAll };
})();
