"""Fills the blocks of README.md that show a program's output, or with --check says which are stale.

    TILECAST=build/release/tilecast python3 tests/scripts/page_outputs.py [--check]

A comment `<!-- output: COMMAND -->` is followed by a fenced block, which holds what the shell
command prints; `./tilecast` in it is the program that TILECAST names.
"""

import os
import pathlib
import re
import subprocess
import sys

PAGES = ["README.md"]
BLOCK = re.compile(r"(<!-- output: (.*?) -->\n```\n)(.*?)(```\n)", re.DOTALL)


def output_of(command):
    program = os.environ["TILECAST"]
    run = subprocess.run(["bash", "-o", "pipefail", "-c", command.replace("./tilecast", program)],
                         capture_output=True, text=True)
    if run.returncode != 0 or not run.stdout:
        sys.exit(f"{command}: {run.stderr.strip() or 'prints nothing'}")
    return run.stdout


def main():
    stale = []
    for page in map(pathlib.Path, PAGES):
        text = page.read_text()
        new = BLOCK.sub(lambda m: m[1] + output_of(m[2]) + m[4], text)
        if new != text and "--check" in sys.argv:
            stale.append(page.name)
        elif new != text:
            page.write_text(new)
    if stale:
        sys.exit(f"{', '.join(stale)}: run TILECAST=... python3 tests/scripts/page_outputs.py")


main()
