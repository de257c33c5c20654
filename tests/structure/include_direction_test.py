"""Every include follows the direction of the layers: LAYERS is the table."""

import re
import unittest

from tree import is_test, read, sources

# Prefixes of headers that only the named layers may include.
CUDA = ("cuda", "cublas", "cudnn", "cupti", "nvrtc", "nvml", "nvperf")
RESTRICTED = (*CUDA, "yaml-cpp/")
# Shared by kernels, model and texts.
GEMM = ("model/gemm/output/", "model/gemm/problem/", "model/gemm/config/", "model/gemm/order/")
STREAM = ("model/stream/block_walk", "model/stream/stream_config", "model/stream/stream_problem")
ATTENTION = ("model/attention/attention_problem", "model/attention/attention_config",
             "model/attention/attention_work", "model/attention/attention_text")
TEXTS = ("model/base/", "model/op/")
OPS = (*TEXTS, *GEMM, *STREAM, *ATTENTION)
LAB = (*TEXTS, "model/ops/", "validate/record/", "validate/run/", "kernels/jit/", "kernels/micro/",
       "kernels/verify/", "kernels/registry.h")
ONE_LAB = ("kernels/", "validate/measure/timing/", "validate/measure/lab_op.h", "validate/measure/kernel_contender.h",
           "validate/measure/output_check.h", "validate/measure/device_", *LAB)
SPEC = ("model/base/", "model/spec/")
CHIP = (*SPEC, "model/sim/engine/")
SIMULATED = (*SPEC, "model/sim/", "model/gemm/costs/", *GEMM)
TILECAST_GPU = ("model/", "kernels/", "validate/", "cli/")

# Folder or prefix: what it may include besides itself. The layer of a path is the first entry with
# which the path begins.
LAYERS = {
    "model/base/": (),
    "model/op/": ("model/base/",),
    "model/spec/": ("model/base/", "yaml-cpp/"),
    "model/sim/engine/": ("model/base/",),
    "model/sim/chip/": CHIP,
    "model/sim/parts/": (*CHIP, "model/sim/chip/"),
    "model/form/": SPEC,
    "model/clock/": SPEC,
    "model/gemm/output/": ("model/base/",),
    "model/gemm/problem/": (*TEXTS, *GEMM),
    "model/gemm/config/": (*TEXTS, *GEMM),
    "model/gemm/order/": ("model/base/", *GEMM),
    "model/gemm/rules/": (*TEXTS, *GEMM),
    "model/gemm/costs/": (*SPEC, *GEMM),
    "model/gemm/form/": (*SPEC, "model/form/", "model/gemm/costs/", *GEMM),
    "model/gemm/sim/kernel/": SIMULATED,
    "model/gemm/sim/schedules/": (*SIMULATED, "model/gemm/sim/kernel/"),
    "model/gemm/sim/": (*SIMULATED, "model/gemm/sim/kernel/", "model/gemm/sim/schedules/"),
    "model/gemm/menu/": (*TEXTS, "model/spec/", "model/gemm/rules/", "model/gemm/costs/", *GEMM),
    "model/gemm/triton/": (*SPEC, "model/form/", "model/rank/", "model/gemm/predict/gemm_question.h", *GEMM),
    "model/gemm/predict/": (*TEXTS, "model/spec/", "model/clock/", "model/rank/", "model/learn/", "model/ops/",
                            "model/gemm/"),
    "model/stream/block_walk": ("model/base/",),
    "model/stream/stream_config": (*TEXTS, "model/stream/block_walk"),
    "model/stream/stream_problem": (*TEXTS, *STREAM),
    "model/stream/": (*TEXTS, "model/spec/", "model/form/", "model/clock/", "model/rank/", "model/ops/",
                      "model/stream/"),
    "model/attention/attention_problem": ("model/base/",),
    "model/attention/attention_config": ("model/base/", "model/attention/attention_problem"),
    "model/attention/attention_work": ("model/base/", *ATTENTION),
    "model/attention/attention_text": (*TEXTS, *ATTENTION),
    "model/attention/": (*TEXTS, "model/spec/", "model/form/", "model/sim/", "model/clock/", "model/rank/",
                         "model/learn/", "model/ops/", "model/attention/"),
    # Defines functions that model/spec/load_gpu.h declares for the ops.
    "model/ops/gpu_for_ops.cpp": (*SPEC, "model/gemm/rules/compiler_rejections.h"),
    "model/ops/": OPS,
    "model/rank/": (*TEXTS, "model/ops/", "model/spec/", "model/form/", "model/clock/"),
    "model/learn/": (*SPEC, "model/clock/", "model/rank/"),
    "model/predict/": ("model/",),
    "kernels/emit/emit.": ("model/", "kernels/"),  # of every op
    "kernels/emit/emit_test.cpp": ("kernels/",),
    "kernels/revision_test.cpp": ("kernels/",),
    "kernels/": (*TEXTS, "model/gemm/rules/", "model/stream/", *GEMM, *ATTENTION, *CUDA),
    "validate/record/": ("model/ops/", "kernels/revision.h", *OPS),
    "validate/plan/": ("model/", "validate/record/"),
    "validate/run/": ("model/ops/", "validate/record/", "validate/plan/", *OPS),
    # The benchmark harness knows no operation: each is a folder and a row of lab_ops.cpp.
    "validate/measure/gemm/": ("model/gemm/rules/", *GEMM, *ONE_LAB, *CUDA),
    "validate/measure/stream/": ("model/stream/", *ONE_LAB, *CUDA),
    "validate/measure/attention/": (*ATTENTION, *ONE_LAB, *CUDA),
    "validate/measure/lab_ops.cpp": ("model/base/", "validate/measure/"),
    "validate/measure/timing/": ("validate/measure/device_", "validate/measure/counters/cupti_error.h", *LAB, *CUDA),
    "validate/measure/": ("validate/measure/timing/", *LAB, *CUDA),
    "validate/compare/": ("model/", "validate/record/"),
    "validate/calibrate/": ("model/", "validate/record/"),
    "reports/": ("model/", "validate/record/", "validate/compare/"),
    # Files of tilecast-gpu (cli/CMakeLists.txt), and those of tilecast, which has no CUDA.
    "cli/gpu_": TILECAST_GPU,
    "cli/probe": TILECAST_GPU,
    "cli/emit": ("model/", "kernels/emit/", "cli/"),
    "cli/": ("model/", "validate/record/", "validate/run/", "validate/plan/", "validate/compare/",
             "validate/calibrate/", "reports/"),
    "include/": (),
    "library/": ("model/", "kernels/", *CUDA),
    "python/bindings/": ("model/", "cli/"),
    "examples/": ("cuda",),
    "tests/": ("model/", "kernels/", "validate/", "reports/", "cli/", *CUDA),
}
MEASURING = "validate/measure/"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]*)', re.MULTILINE)


def layer_of(path):
    return next((folder for folder in LAYERS if path.startswith(folder)), None)


def may_include(layer, path, included):
    # Nothing includes a test, so a test may compare its layer with the model and use test helpers; a kernel's may
    # be measured by the whole harness.
    for_test = ("tests/", "model/", *([MEASURING] if path.startswith(MEASURING) else []))
    return (layer_of(included) == layer or included.startswith(LAYERS[layer]) or
            is_test(path) and included.startswith(for_test))


def violations(path, content):
    """Returns `path:line: what is wrong` for each include against the direction."""
    layer = layer_of(path)
    if layer is None:
        return [f"{path}: lies in no layer"]
    found = []
    for match in INCLUDE.finditer(content):
        mark, name = match.groups()
        why = ""
        if mark == '"' and layer_of(name) is None:
            why = f'"{name}" does not begin with a layer\'s folder'
        elif mark == '"' and not may_include(layer, path, name):
            why = f"{layer} may not include {name}"
        elif mark == "<" and name.startswith(RESTRICTED) and not name.startswith(
                tuple(one for one in LAYERS[layer] if one in RESTRICTED)):
            why = f"{layer} may not include <{name}>"
        if why:
            found.append(f"{path}:{content.count(chr(10), 0, match.start()) + 1}: {why}")
    return found


class Includes(unittest.TestCase):
    def test_every_include_follows_the_direction(self):
        self.assertGreater(len(sources()), 50)
        self.assertEqual([], [one for path in sources() if not path.startswith("tests/planted/")
                              for one in violations(path, read(path))])

    def test_a_source_includes_its_own_header_first_which_checks_that_it_compiles_alone(self):
        own = 0
        for path in sources():
            header = re.sub(r"(_test)?\.cpp$", ".h", path)
            if header != path and header in sources():
                own += 1
                self.assertEqual(INCLUDE.search(read(path))[2], header, path)
        self.assertGreater(own, 100)

    def test_an_include_against_the_direction_is_found_with_its_place(self):
        spec = '#pragma once\n#include "model/spec/gpu_spec.h"\n'
        self.assertEqual(violations("model/gemm/order/planted.h", spec),
                         ["model/gemm/order/planted.h:2: model/gemm/order/ may not include model/spec/gpu_spec.h"])
        self.assertEqual(violations("model/gemm/costs/planted.h", spec), [])

    def test_layers_on_the_same_level_do_not_include_each_other(self):
        refused = """
            model/clock/a.cpp model/form/b.h
            model/form/a.cpp model/clock/b.h
            model/form/a.cpp model/gemm/order/b.h
            model/form/a.cpp model/gemm/form/b.h
            model/gemm/sim/a.cpp model/gemm/form/b.h
            model/gemm/form/a.cpp model/stream/b.h
            model/sim/chip/a.cpp model/sim/parts/b.h
            model/sim/chip/a.cpp model/gemm/config/b.h
            model/sim/parts/a.cpp model/gemm/sim/kernel/b.h
            model/gemm/sim/schedules/a.cpp model/gemm/sim/b.h
            model/gemm/sim/kernel/a.cpp model/gemm/sim/schedules/b.h
            validate/measure/a.cpp model/predict/b.h
            validate/measure/a.cpp validate/measure/gemm/b.h
            validate/measure/stream/a.cpp validate/measure/gemm/b.h
            validate/plan/a.cpp validate/run/b.h
            validate/run/a.cpp cli/b.h
            validate/compare/a.cpp kernels/b.h
            validate/compare/a.cpp reports/b.h
            reports/a.cpp validate/measure/b.h
            reports/a.cpp cli/b.h
            cli/a.cpp kernels/b.h
            cli/a.cpp cli/gpu_b.h
            kernels/jit/a.cpp model/predict/b.h
            kernels/jit/a_test.cpp validate/record/b.h
            model/base/text.cpp tests/catch.h
            model/gemm/order/a.h raster.h"""
        allowed = """
            model/gemm/form/a.cpp model/form/b.h
            model/gemm/sim/kernel/a.cpp model/sim/parts/b.h
            model/gemm/sim/schedules/a.cpp model/gemm/sim/kernel/b.h
            model/gemm/sim/a.cpp model/gemm/sim/schedules/b.h
            validate/measure/lab_ops.cpp validate/measure/gemm/b.h
            validate/run/a.cpp validate/plan/b.h
            validate/compare/a.cpp model/predict/b.h
            reports/a.cpp reports/b.h
            cli/a.cpp reports/b.h
            cli/probe.cpp cli/gpu_b.h
            cli/gpu_a.cpp kernels/b.h
            kernels/jit/a_test.cpp model/predict/b.h
            model/base/text_test.cpp tests/catch.h"""
        for expected, pairs in ((1, refused), (0, allowed)):
            for path, header in map(str.split, pairs.strip().splitlines()):
                self.assertEqual(len(violations(path, f'#include "{header}"')), expected, f"{path} includes {header}")
        self.assertEqual(len(violations("model/new_layer/a.h", "")), 1)

    def test_only_kernels_and_measurement_include_cuda_and_only_the_spec_layer_yaml_cpp(self):
        for path, line, expected in (("model/gemm/order/a.h", "#include <cuda_runtime.h>", 1),
                                     ("cli/a.cpp", "  #  include <cupti.h>", 1),
                                     ("kernels/jit/a.cpp", "#include <nvrtc.h>", 0),
                                     ("validate/measure/a.cpp", "#include <cublasLt.h>", 0),
                                     ("model/predict/a.cpp", "#include <yaml-cpp/yaml.h>", 1),
                                     ("model/spec/a.cpp", "#include <yaml-cpp/yaml.h>", 0)):
            self.assertEqual(len(violations(path, line)), expected, f"{path}: {line}")
