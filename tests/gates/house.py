#!/usr/bin/env python3
"""Prints the figures of the tree that its gates limit:

  tests/gates/house.py

Lines are counted by lines.sh, files of a feature by features.py. `names of GEMMs` are counted in the layers that
all operations share, `comparisons with an operation` outside the tables of operations (tests/structure/source_test.py
fails if there is one). An operation is judged by attention: the files in its folders, and the lines that name it in
the layers between problem and answer. Exit code 1 if a figure exceeds its limit, except the numbers of lines.
"""
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
sys.path.insert(0, str(FOLDER.parent / "structure"))

import source_test  # noqa: E402
from tree import is_test, read, sources  # noqa: E402

# Layers through which every operation's problem passes, and tables and baselines apart.
MIDDLE = ("model/op/", "model/rank/", "model/learn/", "model/predict/", "validate/run/", "validate/plan/",
          "validate/measure/timing/", "validate/measure/lab")
APART = ("model/op/op.", "model/predict/predict_op.h", "model/predict/library_time", "validate/measure/lab_ops.cpp")


def lines_of(*command: object) -> list[str]:
    return subprocess.run([str(part) for part in command], cwd=ROOT, text=True, check=True,
                          stdout=subprocess.PIPE).stdout.splitlines()


def tracked() -> list[pathlib.Path]:
    return [ROOT / name for name in lines_of("git", "ls-files")]


def files_in(folder: str) -> int:
    return sum(not is_test(path) and not path.endswith(".md") for path in sources() if path.startswith(folder))


def main() -> None:
    by_name = dict(line.rsplit(maxsplit=1) for line in lines_of(FOLDER / "lines.sh"))
    code = {path: re.sub(r"//[^\n]*", "", read(path)) for path in sources() if not is_test(path)}
    middle = {path: sum("attention" in line.lower() for line in text.splitlines())
              for path, text in code.items() if path.startswith(MIDDLE) and not path.startswith(APART)}
    figures = [
        ("production lines of code", int(by_name["production"]), 56_000),
        ("test lines of code", int(by_name["tests"]), 26_000),
        ("files of attention in model", files_in("model/attention/"), 10),
        ("files of attention in kernels", files_in("kernels/attention/"), 10),
        ("lines that name attention in the shared middle", sum(middle.values()), 15),
        ("files that name attention in the shared middle", sum(count > 0 for count in middle.values()), 5),
        ("names of GEMMs in shared layers", len(source_test.named_in_shared_layers()), 0),
        ("comparisons with an operation", len(source_test.compared_operations()), 0),
        ("megabytes of a clone without its history", sum(path.lstat().st_size for path in tracked()) / 1e6, 20),
    ]
    failed = False
    for name, figure, most in figures:
        shown = f"{figure:,}" if isinstance(figure, int) else f"{figure:.2f}"
        print(f"{name:<48} {shown:>9}  at most {most:,}")
        failed |= figure > most and "lines of code" not in name
    for line in lines_of(sys.executable, FOLDER / "features.py", "--count"):
        print(line)
    sys.exit(failed)


if __name__ == "__main__":
    main()
