"""Writes the generated parts of docs/accuracy.md: the headline and its figure, the error on every
held-out test set of validate/data, and the error against published times of libraries.

    TILECAST=./tilecast python3 validate/accuracy.py [FOLDER OF JSON]

Runs `report` for the headline and `validate --format json` once per set and per GPU with a library's times,
about twenty minutes on one core.
With a folder, results are kept there as NAME.json and not computed again. The figure needs a plotting
package (reports/README.md).
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
SETS = [  # title, folder under h200_sxm that has a split.yaml
    ("fp16, bf16: the data set", "dataset"),
    ("layers of language models, random shapes", "models"),
    ("more layers, random shapes, vocabularies", "more_models"),
    ("layers, few rows", "layers"),
    ("fp8", "fp8"),
    ("batches", "batched"),
    ("groups (MoE forward)", "grouped"),
    ("masked groups, fp8 groups", "masked"),
    ("groups along K, small batches", "grouped_k"),
    ("block scales, exact accumulation, groups", "kinds"),
    ("epilogues: bias, activation", "epilogues"),
    ("residual, gates, fp32 and fp8 output", "results"),
    ("swapped operands (few rows)", "swapped"),
    ("layouts nn, nt, tt", "layouts"),
    ("odd dimensions", "odd_sides"),
    ("K under 64", "small_k"),
]
OTHERS = [  # title, name, arguments
    ("first kernels of 120 drawn problems", "sixteen",
     ["--data", *(f"{H200}sixteen/{file}.csv.gz" for file in ("bursts", "second/bursts", "second/sustained"))]),
    ("top three of the whole search space, and the fastest known", "whole_menu_again",
     ["--data", H200 + "picks/whole_menu_again.csv.gz"]),
    ("H100: the data set's test problems", "h100",
     ["--gpu", "h100_sxm", "--data", "validate/data/h100_sxm/judged/judged.csv.gz"]),
]
LIBRARY = "validate/data/public/library_gemm_bf16.csv.gz"
# all that have rows, and tilecast's schedules
LIBRARY_GPUS = ["h200_sxm", "h100_sxm", "b200", "gb200", "a100_sxm80", "l40s", "rtx_pro_6000_server"]
LIBRARY_HEAD = ("| GPU | their time | problems | against the median: mean error | bias | against the fastest: mean error "
                "| bias | inside the 90 % interval | roofline / 0.8 + 3 us: mean error | bias |\n"
                "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
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


def library_rows(gpu, found):
    def cells(errors):
        return [percent(errors["mape"]), f"{100 * errors['bias']:+.1f} %"]
    return "".join("| " + " | ".join(
        [gpu, size["size"], str(size["points"]), *cells(size["median_collection"]), *cells(size["fastest_collection"]),
         f"{100 * size['coverage_90']:.0f} %", *cells(size["fallback"])]) + " |\n" for size in found["sizes"])


def headline(folder):
    """Returns the sentences that `report` prints, and its chart of errors as SVG, or None without a
    plotting package."""
    sentences = subprocess.run([os.environ["TILECAST"], "report", "--manifest", "reports/h200.yaml",
                                "--out", folder], check=True, capture_output=True, text=True).stdout
    table = json.loads(pathlib.Path(folder, "report.json").read_text())["errors"]["curve"]
    chart = json.loads(pathlib.Path("reports/page/charts/errors.vl.json").read_text())
    chart |= {"width": 640, "datasets": {"errors": [dict(zip(table["columns"], row)) for row in table["rows"]]}}
    packages = pathlib.Path(os.environ.get("TILECAST_REPORT_VEGA", "build/release/reports/vega"), "packages")
    svg = None
    if packages.exists():
        svg = subprocess.run([sys.executable, "reports/vega/draw.py", str(packages), json.dumps(chart)],
                             check=True, capture_output=True, text=True).stdout
    return "".join(sentences.splitlines(keepends=True)[:-1]), svg  # the last line names the page


def filled(text, name, content):
    block = re.compile(rf"(<!-- {name}:begin -->\n).*(<!-- {name}:end -->)", re.DOTALL)
    return block.sub(lambda m: m[1] + content + m[2], text)


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = sys.argv[1] if len(sys.argv) > 1 else temporary
        lines = [row(title, answer(folder, name, ["--data", *sorted(glob.glob(f"{H200}{name}/*.csv.gz")),
                                                  "--split", f"{H200}{name}/split.yaml", "--part", "judge"]))
                 for title, name in SETS]
        lines += [row(title, answer(folder, name, arguments)) for title, name, arguments in OTHERS]
        library = [library_rows(gpu, answer(folder, f"library_{gpu}", ["--gpu", gpu, "--against-library", LIBRARY]))
                   for gpu in LIBRARY_GPUS]
        sentences, svg = headline(os.path.join(temporary, "report"))
    page = pathlib.Path("docs/accuracy.md")
    text = filled(page.read_text(), "sets", HEAD + "".join(lines))
    text = filled(text, "library", LIBRARY_HEAD + "".join(library))
    page.write_text(filled(text, "headline", sentences))
    if svg:
        pathlib.Path("docs/figures/overview.svg").write_text(svg)


if __name__ == "__main__":
    main()
