#!/usr/bin/env python3
"""Adds a feature that the tree does not have to a copy of it, and counts what that took.

  tests/gates/features.py activation|operand [--build DIR]

activation: hard_swish, x min(max(x + 3, 0), 6) / 6, in at most 3 files. operand: a matrix like C
that the result is multiplied by, in at most 8. The copy is built without CUDA, forecasts the
feature and passes the tests of output steps. Where there is an nvcc, a program with the kernel is
emitted and compiled, and run where there is a GPU: it compares C with an fp64 reference. DIR keeps
the copy and its build. Exit code 1 where the feature takes more files or something fails.
"""
import argparse
import csv
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHAPE = "512x1024x768"

STEP = """// A step that the tree does not have.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {{

{}
}}  // namespace tilecast
"""
HARD_SWISH = STEP.format("""struct HardSwish : Activation {
  static constexpr const char* kWord = "hard_swish";
  static constexpr const char* kMeaning = "x min(max(x + 3, 0), 6) / 6";
  static constexpr ElementWork kWork{.issued = 4};

  template <class Math>
  TILECAST_HD static constexpr typename Math::Real apply(typename Math::Real x) {
    using Real = typename Math::Real;
    const Real six = x < -3 ? 0 : x > 3 ? 6 : x + 3;
    return x * six * static_cast<Real>(1.0 / 6);
  }
};
""")
FACTOR = STEP.format("""struct Factor : LoadStep {
  static constexpr const char* kWord = "factor";
  static constexpr const char* kMeaning = "multiplies by a matrix like C, which may be C itself";

  template <class Math>
  TILECAST_HD static constexpr typename Math::Real apply(typename Math::Real x,
                                                         typename Math::Real element) {
    return x * element;
  }
};
""")
STEPS = "model/gemm/output/steps.h"
# Most files, options of commands, a configuration; new files; replacements (path, old, new).
FEATURES = {
    "activation": (3, ["--epilogue", "bias_n+hard_swish"], "ws:tile=128x128x64,stages=4",
                   {"model/gemm/output/hard_swish.h": HARD_SWISH},
                   [(STEPS, '#include "model/gemm/output/relu.h"\n',
                     '#include "model/gemm/output/hard_swish.h"\n#include "model/gemm/output/relu.h"\n'),
                    (STEPS, "Swiglu, Geglu,", "Swiglu, Geglu, HardSwish,"),
                    ("include/tilecast/tilecast.h", "  TILECAST_GEGLU = 6 ",
                     "  TILECAST_HARD_SWISH = 7, /* x min(max(x + 3, 0), 6) / 6 */\n  TILECAST_GEGLU = 6 ")]),
    "operand": (8, ["--epilogue", "bias_n+factor"], "ws:tile=128x128x64,stages=4",
                {"model/gemm/output/factor.h": FACTOR},
                [(STEPS, '#include "model/gemm/output/geglu.h"\n',
                  '#include "model/gemm/output/factor.h"\n#include "model/gemm/output/geglu.h"\n'),
                 (STEPS, "Residual,", "Residual, Factor,")]),
}


def run(command: list[object], folder: pathlib.Path, **options) -> str:
    ran = subprocess.run([str(part) for part in command], cwd=folder, text=True, **options,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ran.returncode:
        sys.exit(f"features: {' '.join(map(str, command))}: exit code {ran.returncode}\n{ran.stdout[-4000:]}")
    return ran.stdout


def change(tree: pathlib.Path, new: dict[str, str], replaced: list[tuple[str, str, str]]) -> None:
    for path, text in new.items():
        (tree / path).write_text(text)
    for path, old, text in replaced:
        before = (tree / path).read_text()
        if before.count(old) != 1:
            sys.exit(f"features: {path}: expected {old!r} once, not {before.count(old)} times")
        (tree / path).write_text(before.replace(old, text))


def build(tree: pathlib.Path, folder: pathlib.Path) -> None:
    launcher = shutil.which("ccache")
    run(["cmake", "-S", tree, "-B", folder, "-G", "Ninja" if shutil.which("ninja") else "Unix Makefiles",
         "-DTILECAST_WITH_CUDA=OFF", "-DTILECAST_FAST_BUILD=ON", "-DCMAKE_BUILD_TYPE=Release",
         "-DCMAKE_CXX_FLAGS_RELEASE=-O0"] +
        ([f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"] if launcher else []), tree)
    run(["cmake", "--build", folder, "--parallel", "2", "--target", "tilecast", "tilecast_epilogue_test",
         *(["tilecast-data"] if shutil.which("nvcc") else [])], tree)


def microseconds(program: pathlib.Path, tree: pathlib.Path, options: list[str]) -> float:
    text = run([program, "predict", SHAPE, "--gpu", "h200_sxm", "--format", "csv", *options], tree)
    return float(next(csv.DictReader(io.StringIO(text)))["time_us"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("feature", choices=FEATURES)
    parser.add_argument("--build", type=pathlib.Path, help="keep the copy and its build here")
    options = parser.parse_args()
    most, asked, config, new, replaced = FEATURES[options.feature]
    folder = (options.build or pathlib.Path(tempfile.mkdtemp(prefix="tilecast-feature-"))).resolve()
    tree = folder / "tree"
    try:
        shutil.rmtree(tree, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        run(["git", "clone", "-q", "--shared", ROOT, tree], folder)
        change(tree, new, replaced)
        run(["git", "add", "-A"], tree)
        changed = run(["git", "diff", "--cached", "--numstat"], tree).split("\n")[:-1]
        lines = sum(int(line.split("\t")[0]) for line in changed)
        print("\n".join(changed), f"\n{options.feature}: {len(changed)} files of at most {most}, {lines} lines")
        build(tree, folder / "build")
        program = folder / "build" / "tilecast"
        print(f"{SHAPE}: {microseconds(program, tree, []):.2f} us, with {' '.join(asked)} "
              f"{microseconds(program, tree, asked):.2f} us")
        run([folder / "build" / "tests" / "tilecast_epilogue_test"], tree)
        if shutil.which("nvcc"):
            emitted, check = folder / "emitted", folder / "check"
            shutil.rmtree(emitted, ignore_errors=True)
            run([program, "emit", SHAPE, "--gpu", "h200_sxm", *asked, "--config", config, "--out", emitted],
                tree)
            run(["nvcc", "-std=c++20", "-O3", "-gencode", "arch=compute_90a,code=sm_90a", "-o", check,
                 *emitted.glob("*.cu")], tree)
            print("its kernel compiles")
            if shutil.which("nvidia-smi"):
                print(run([check], tree))
        sys.exit(1 if len(changed) > most else 0)
    finally:
        if options.build is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
