"""Writes the table of docs/accuracy.md: the error on every held-out test set of validate/data.

    TILECAST=./tilecast python3 validate/accuracy.py [FOLDER OF JSON]

Runs `validate --format json` once for each set, some ten minutes of one core altogether. With a
folder, answers are kept there as NAME.json and not computed again.
"""

import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

H200 = "validate/data/h200_sxm/"
SETS = [  # title, folder under H200, which has a split.yaml
    ("fp16, bf16: the data set", "dataset"),
    ("layers of language models, random shapes", "models"),
    ("more layers, random shapes, vocabularies", "more_models"),
    ("layers, few rows", "layers"),
    ("fp8", "fp8"),
    ("batches", "batched"),
    ("groups (MoE forward)", "grouped"),
    ("masked groups, fp8 groups", "masked"),
    ("groups along K, small batches", "grouped_k"),
    ("epilogues: bias, activation", "epilogues"),
    ("residual, gates, fp32 and fp8 output", "results"),
    ("swapped operands (few rows)", "swapped"),
    ("layouts nn, nt, tt", "layouts"),
    ("odd dimensions", "odd_sides"),
    ("K under 64", "small_k"),
]
OTHERS = [  # title, name, arguments
    ("top three of the whole search space, and the fastest known", "whole_menu_again",
     ["--data", H200 + "picks/whole_menu_again.csv.gz"]),
    ("H100: the data set's test problems", "h100",
     ["--gpu", "h100_sxm", "--data", "validate/data/h100_sxm/judged/judged.csv.gz"]),
]
HEAD = ("| test set | kernels | time, burst: mean (median) | sustained | SM clock "
        "| top pick, burst: geomean (worst) | problems | inside the 90 % interval |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|\n")


def answer(folder, name, arguments):
    kept = pathlib.Path(folder) / f"{name}.json"
    if not kept.exists() or kept.stat().st_size == 0:
        kept.write_text(subprocess.run([os.environ["TILECAST"], "validate", "--format", "json", *arguments],
                                       check=True, capture_output=True, text=True).stdout)
    return json.loads(kept.read_text())


def percent(share):
    return f"{100 * share:.1f} %"


def row(title, found):
    time = found["time"]
    burst, sustained = time.get("burst"), time.get("sustained")
    top = found.get("pick", {}).get("burst", {}).get("top1")
    cells = [title, f"{found['points']:,}",
             f"{percent(burst['mape'])} ({percent(burst['median'])})" if burst else "",
             percent(sustained["mape"]) if sustained else "",
             percent(found["clock"]["mape"]),
             f"{top['geomean']:.3f} ({top['min']:.3f})" if top else "",
             str(top["shapes"]) if top else "",
             f"{100 * found['interval']['coverage_90']:.0f} %"]
    return "| " + " | ".join(cells) + " |\n"


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = sys.argv[1] if len(sys.argv) > 1 else temporary
        lines = [row(title, answer(folder, name, ["--data", *sorted(glob.glob(f"{H200}{name}/*.csv.gz")),
                                                  "--split", f"{H200}{name}/split.yaml", "--part", "judge"]))
                 for title, name in SETS]
        lines += [row(title, answer(folder, name, arguments)) for title, name, arguments in OTHERS]
    page = pathlib.Path("docs/accuracy.md")
    block = re.compile(r"(<!-- sets:begin -->\n).*(<!-- sets:end -->)", re.DOTALL)
    page.write_text(block.sub(lambda m: m[1] + HEAD + "".join(lines) + m[2], page.read_text()))


main()
