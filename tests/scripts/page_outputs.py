"""Fills the blocks of pages that show a program's output, or with --check reports stale ones.

    TILECAST=build/release/tilecast python3 tests/scripts/page_outputs.py [--check] [PAGE ...]

PAGE: by default README.md. A comment `<!-- output: COMMAND -->` is followed by the output of the shell
command, in a fenced block, or up to `<!-- end -->` if it is Markdown; `./tilecast` in the command is the
program named by TILECAST.
"""

import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"(<!-- output: ([^\n]*?) -->\n(?:(```\n)|\n))(.*?)((?(3)```|<!-- end -->)\n)", re.DOTALL)


def output_of(command):
    program = os.environ["TILECAST"]
    run = subprocess.run(["bash", "-o", "pipefail", "-c", command.replace("./tilecast", program)],
                         capture_output=True, text=True)
    if run.returncode != 0 or not run.stdout:
        sys.exit(f"{command}: {run.stderr.strip() or 'prints nothing'}")
    return run.stdout


def main():
    stale = []
    pages = [word for word in sys.argv[1:] if word != "--check"] or ["README.md"]
    for page in map(pathlib.Path, pages):
        text = page.read_text()
        new = BLOCK.sub(lambda m: m[1] + output_of(m[2]) + m[5], text)
        if new != text and "--check" in sys.argv:
            stale.append(page.name)
        elif new != text:
            page.write_text(new)
    if stale:
        sys.exit(f"{', '.join(stale)}: run TILECAST=... python3 tests/scripts/page_outputs.py {' '.join(pages)}")


main()
