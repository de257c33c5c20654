#!/usr/bin/env python3
"""Adds a missing feature to a copy of the tree, and counts the files that it takes.

  tests/gates/features.py activation|operand|int8 [--build DIR]
  tests/gates/features.py --count    counts the files of each, without a build

activation: hard_swish, x min(max(x + 3, 0), 6) / 6, in at most 3 files. operand: multiplication by
a matrix like C, in at most 8. int8: int8 operands with int32 sums, in at most 10. The copy is built
without CUDA, forecasts the feature and passes the tests of output steps. With an nvcc, a program
with the kernel is emitted and compiled and, with a GPU, run: it compares C with an fp64 reference.
DIR keeps the copy and its build. Exit code 1 if the feature takes more files or something fails.
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
TYPES = "model/base/element_type.h"
WGMMA, CONVERT = "kernels/ptx/wgmma.cuh", "kernels/ptx/convert.cuh"
INT8_ROW = """    case ElementType::kInt8:
      return {.name = "int8",
              .others = "s8",
              .meaning = "A and B in int8, layout tn, sums in int32; C as of fp8",
              .of_cuda = "signed char",
              .bytes = 1,
              .digits = 7,
              .in_c = 6};
"""
FROM_INT32 = """    if constexpr (Config::kElementType == ElementType::kInt8) {
      for (auto& row : accumulator.d) {
#pragma unroll
        for (auto& sums : row) {
#pragma unroll
          for (float& sum : sums) {
            sum = static_cast<float>(static_cast<i32>(__float_as_uint(sum)));
          }
        }
      }
    }
"""
INT8_PAIR = """  if (type == ElementType::kInt8) {
    const auto byte = [](float x) {
      return static_cast<u32>(static_cast<i32>(fminf(fmaxf(x, -127.0f), 127.0f))) & 0xffu;
    };
    return static_cast<unsigned short>(byte(low) | byte(high) << 8);
  }
"""
INT8_HALVES = """  if (type == ElementType::kInt8) {
    const auto half = [](u32 byte) {
      const float value = static_cast<float>(static_cast<signed char>(byte));
      return static_cast<u32>(bits_of(value, ElementType::kFp16));
    };
    return half(fp8_pair & 0xffu) | half(fp8_pair >> 8) << 16;
  }
"""
# Maximum files, command options, a configuration; new files; replacements (path, old, new).
FEATURES = {
    "activation": (3, ["--epilogue", "bias_n+hard_swish"], "ws:tile=128x128x64",
                   {"model/gemm/output/hard_swish.h": HARD_SWISH},
                   [(STEPS, '#include "model/gemm/output/relu.h"\n',
                     '#include "model/gemm/output/hard_swish.h"\n#include "model/gemm/output/relu.h"\n'),
                    (STEPS, "Swiglu, Geglu,", "Swiglu, Geglu, HardSwish,"),
                    ("include/tilecast/tilecast.h", "  TILECAST_GEGLU = 6 ",
                     "  TILECAST_HARD_SWISH = 7, /* x min(max(x + 3, 0), 6) / 6 */\n  TILECAST_GEGLU = 6 ")]),
    "operand": (8, ["--epilogue", "bias_n+factor"], "ws:tile=128x128x64",
                {"model/gemm/output/factor.h": FACTOR},
                [(STEPS, '#include "model/gemm/output/geglu.h"\n',
                  '#include "model/gemm/output/factor.h"\n#include "model/gemm/output/geglu.h"\n'),
                 (STEPS, "Residual,", "Residual, Factor,")]),
    "int8": (10, ["--dtype", "int8"], "ws:tile=128x128x128", {}, [
        (TYPES, "kE4m3, kE5m2 };", "kE4m3, kE5m2, kInt8 };"),
        (TYPES, "kElementTypes = 5;", "kElementTypes = 6;"),
        (TYPES, "  }\n  return {};\n}\nstatic_assert", INT8_ROW + "  }\n  return {};\n}\nstatic_assert"),
        # Registers of any type, and without scale factors of A and B.
        (WGMMA, '#define TILECAST_D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])',
         '#define TILECAST_D1(i) "+r"(reinterpret_cast<u32&>(d[i]))\n'
         "#define TILECAST_D4(i) TILECAST_D1(i), TILECAST_D1(i + 1), TILECAST_D1(i + 2), TILECAST_D1(i + 3)"),
        (WGMMA, '"}, %" #a ", %" #b ", p, 1, 1" major ";\\n}"', '"}, %" #a ", %" #b ", p" major ";\\n}"'),
        (WGMMA, '(n, list, p0, p1, p2, "k16.f32.f16.f16", ", %"', '(n, list, p0, p1, p2, "k16.f32.f16.f16", ", 1, 1, %"'),
        (WGMMA, '(n, list, p0, p1, p2, "k16.f32.bf16.bf16", ", %"',
         '(n, list, p0, p1, p2, "k16.f32.bf16.bf16", ", 1, 1, %"'),
        (WGMMA, '(n, list, p0, p1, p2, "k32.f32.e4m3.e4m3", "");',
         '(n, list, p0, p1, p2, "k32.f32.e4m3.e4m3", ", 1, 1");'),
        (WGMMA, '(n, list, p0, p1, p2, "k32.f32.e5m2.e5m2", "");',
         '(n, list, p0, p1, p2, "k32.f32.e5m2.e5m2", ", 1, 1");'),
        (WGMMA, "#define TILECAST_SHARED_CASE(n, list, p0, p1, p2, p3, p4, p5, p6)",
         '#define TILECAST_INT8_CASE(n, list, p0, p1, p2, p3, p4, p5, p6) \\\n  if constexpr (kN == n) { \\\n'
         '    TILECAST_WGMMA_SHARED(n, list, p0, p1, p2, "k32.s32.s8.s8", ""); \\\n  }\n'
         "#define TILECAST_SHARED_CASE(n, list, p0, p1, p2, p3, p4, p5, p6)"),
        (WGMMA, "  TILECAST_WGMMA_EVERY_N(TILECAST_SHARED_CASE)",
         "  if constexpr (kType == ElementType::kInt8) {\n    TILECAST_WGMMA_EVERY_N(TILECAST_INT8_CASE)\n"
         "  } else {\n    TILECAST_WGMMA_EVERY_N(TILECAST_SHARED_CASE)\n  }"),
        (WGMMA, "  CheckWgmma<kN, kType, kTransposedB>{};",
         '  static_assert(kType != ElementType::kInt8, "int8 comes from shared memory");\n'
         "  CheckWgmma<kN, kType, kTransposedB>{};"),
        ("kernels/device/wgmma_operation.cuh", "    accumulator.fence();\n", "    accumulator.fence();\n" + FROM_INT32),
        (CONVERT, "  unsigned short pair = 0;\n", INT8_PAIR + "  unsigned short pair = 0;\n"),
        (CONVERT, "  u32 pair = 0;\n", INT8_HALVES + "  u32 pair = 0;\n"),
        ("include/tilecast/tilecast.h", "  TILECAST_FP32 = 5", "  TILECAST_INT8 = 6, /* sums in int32 */\n  TILECAST_FP32 = 5"),
    ]),
}


def run(command: list[object], folder: pathlib.Path, **options) -> str:
    ran = subprocess.run([str(part) for part in command], cwd=folder, text=True, **options,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ran.returncode:
        sys.exit(f"features: {' '.join(map(str, command))}: exit code {ran.returncode}\n{ran.stdout[-4000:]}")
    return ran.stdout


def changed_files(tree: pathlib.Path, new: dict[str, str], replaced: list[tuple[str, str, str]]) -> dict[str, str]:
    """Returns the new text of each file that the feature adds or changes."""
    texts = dict(new)
    for path, old, text in replaced:
        before = texts[path] if path in texts else (tree / path).read_text()
        if before.count(old) != 1:
            sys.exit(f"features: {path}: expected {old!r} once, not {before.count(old)} times")
        texts[path] = before.replace(old, text)
    return texts


def count() -> int:
    """Prints the number of files of each feature; returns 1 if one takes too many."""
    failed = 0
    for feature, (most, _, _, new, replaced) in FEATURES.items():
        files = len(changed_files(ROOT, new, replaced))
        print(f"{feature}: {files} files of at most {most}")
        failed |= files > most
    return failed


def build(tree: pathlib.Path, folder: pathlib.Path) -> None:
    launcher = shutil.which("ccache")
    run(["cmake", "-S", tree, "-B", folder, "-G", "Ninja" if shutil.which("ninja") else "Unix Makefiles",
         "-DTILECAST_WITH_CUDA=OFF", "-DTILECAST_FAST_BUILD=ON", "-DCMAKE_BUILD_TYPE=Release",
         # -O0 does not work, because GCC 12 then rejects Eigen's prefetches in precompiled headers.
         "-DCMAKE_CXX_FLAGS_RELEASE=-O1"] +
        ([f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"] if launcher else []), tree)
    run(["cmake", "--build", folder, "--parallel", "2", "--target", "tilecast", "tilecast_epilogue_test",
         *(["tilecast-data"] if shutil.which("nvcc") else [])], tree)


def microseconds(program: pathlib.Path, tree: pathlib.Path, options: list[str]) -> float:
    text = run([program, "predict", SHAPE, "--gpu", "h200_sxm", "--format", "csv", *options], tree)
    return float(next(csv.DictReader(io.StringIO(text)))["time_us"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("feature", choices=FEATURES, nargs="?")
    parser.add_argument("--count", action="store_true", help="count the files of each feature, without a build")
    parser.add_argument("--build", type=pathlib.Path, help="keep the copy and its build here")
    options = parser.parse_args()
    if options.count or options.feature is None:
        sys.exit(count())
    most, asked, config, new, replaced = FEATURES[options.feature]
    folder = (options.build or pathlib.Path(tempfile.mkdtemp(prefix="tilecast-feature-"))).resolve()
    tree = folder / "tree"
    try:
        shutil.rmtree(tree, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        run(["git", "clone", "-q", "--shared", ROOT, tree], folder)
        for path, text in changed_files(tree, new, replaced).items():
            (tree / path).write_text(text)
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
