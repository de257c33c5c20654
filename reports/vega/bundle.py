"""Writes the chart library as one script: bundle.py PACKAGES OUT.js"""

import os
import sys


def main():
    packages, out = sys.argv[1:]
    sys.path.insert(0, packages)
    import vl_convert

    script = vl_convert.javascript_bundle()
    with open(out + ".part", "w", encoding="utf-8") as file:
        file.write(script.rstrip() + "\n")
    os.rename(out + ".part", out)


main()
