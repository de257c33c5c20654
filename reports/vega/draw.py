"""Draws one chart as SVG, without a browser: draw.py PACKAGES SPEC

SPEC: a Vega-Lite specification with its rows, as JSON. PACKAGES: the folder of the package vl_convert.
"""

import json
import re
import sys

FONT = "Liberation Sans"  # comes with the package, so text has the same width everywhere
LIGHT = {
    "font": FONT,
    "background": "#ffffff",
    "aria": False,
    "axis": {"labelFont": FONT, "titleFont": FONT, "gridColor": "#e6e8eb", "titleFontWeight": "normal"},
    "text": {"font": FONT},
    "view": {"stroke": None},
    "range": {"category": ["#0072b2", "#c14a00", "#00795a", "#6b7680"]},
}


def rounded(svg):
    """A hundredth of a pixel is enough: a third of the file is digits beyond it."""
    return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number.group()):.2f}".rstrip("0").rstrip("."), svg)


sys.path.insert(0, sys.argv[1])
import vl_convert  # noqa: E402

print(rounded(vl_convert.vegalite_to_svg(json.loads(sys.argv[2]), config=LIGHT)).rstrip())
