"""Writes the chart library as one script: bundle.py PACKAGES reports/vega/vega.js.gz"""

import gzip
import os
import sys


def main():
    packages, out = sys.argv[1:]
    sys.path.insert(0, packages)
    import vl_convert

    script = vl_convert.javascript_bundle()
    with open(out + ".part", "wb") as file:
        file.write(gzip.compress((script.rstrip() + "\n").encode("utf-8"), 9, mtime=0))
    os.rename(out + ".part", out)


main()
