"""Draws the charts of a report as SVG: draw.py PACKAGES CHARTS.json OUT_FOLDER

CHARTS.json is what reports/report_json.h describes. A chart is drawn as it first stands on the page,
with every filter at its first choice. Prints the name of each chart that could not be drawn.
"""

import json
import re
import sys

FONT = "Liberation Sans"  # comes with the package, so that texts are as wide everywhere
MOST_ROWS = 600
LIGHT = {
    "font": FONT,
    "background": "#ffffff",
    "aria": False,
    "axis": {"labelFont": FONT, "titleFont": FONT, "gridColor": "#e6e8eb", "titleFontWeight": "normal",
             "labelSeparation": 8},
    "legend": {"labelFont": FONT, "titleFont": FONT, "titleFontWeight": "normal", "orient": "top",
               "columns": 6, "symbolLimit": 40, "labelLimit": 260},
    "view": {"stroke": None},
    "range": {"category": ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#2b8cc4",
                           "#7b3fbf", "#c48200", "#5b6770", "#b2182b", "#1b7837", "#35618f"]},
}


def rows_of(table):
    """The table's columns as a list of rows."""
    columns = {}
    for key, column in table["columns"].items():
        if "words" in column:
            columns[key] = [None if i is None else column["words"][i] for i in column["at"]]
        else:
            columns[key] = column["values"]
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def thinned(rows):
    """At most MOST_ROWS of them, evenly over the table: a figure shows the shape of many points."""
    step = -(-len(rows) // MOST_ROWS)
    return rows[::step] if rows else rows


def first_choice(rows, filters):
    for choice in filters:
        if choice["one"]:
            column = choice["column"]
            rows = [row for row in rows if column not in row or row[column] == choice["chosen"]]
    return rows


def drawn(rows, spec):
    """Without those that the specification leaves out, which it names in `shown`."""
    for column, word in spec.get("usermeta", {}).get("shown", {}).items():
        rows = [row for row in rows if column not in row or
                (row[column] is not None if word == "*" else row[column] == word)]
    return rows


def spec_of(chart, tables):
    spec = dict(chart["spec"])
    spec["datasets"] = {
        name: thinned(drawn(first_choice(tables[name], chart["filters"]), spec)) for name in chart["tables"]
    }
    spec["width"] = 720
    return spec


def rounded(svg):
    """A hundredth of a pixel is enough: a third of the file is digits beyond it."""
    return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number.group()):.2f}".rstrip("0").rstrip("."), svg)


def main():
    packages, source, out = sys.argv[1:]
    sys.path.insert(0, packages)
    import vl_convert

    with open(source, encoding="utf-8") as file:
        report = json.load(file)
    tables = {name: rows_of(table) for name, table in report["tables"].items()}
    for name, chart in report["charts"].items():
        try:
            svg = vl_convert.vegalite_to_svg(spec_of(chart, tables), config=LIGHT)
        except ValueError as error:
            print(f"{name}: {error}")
            continue
        with open(f"{out}/{name}.svg", "w", encoding="utf-8") as file:
            file.write(rounded(svg).rstrip() + "\n")


main()
