"""Rules of the sources: process state, names of types, operations named in shared layers, numbers, escaping."""

import re
import unittest

from tree import is_test, read, sources

# Code that runs in a caller's process must not change the process: it must not set the umask,
# locale, environment or working directory, nor read them where other threads may set them. Numbers
# are converted by std::from_chars and fmt, which do not depend on the locale.
PROCESS_STATE = {
    r"sto[dfil]|stold|stoll|stoul|stoull|strto(?:d|f|ld|l|ul|ll|ull|imax|umax)|ato[fil]|atoll|v?[fs]?scanf":
        "the locale decides what it reads; use std::from_chars",
    r"w?[io]?stringstream|w?[io]?fstream|cout|cerr|setprecision|put_time|get_time":
        "a stream converts numbers by a locale; use fmt and model/base/file.h",
    r"setlocale|uselocale|newlocale|localeconv|imbue": "the locale is the caller's",
    r"umask": "the umask is the whole process's, and can only be read by changing it",
    r"setenv|unsetenv|putenv|clearenv": "other threads may read the environment",
    r"getenv|secure_getenv": "other threads may change the environment",
    r"chdir|fchdir|current_path|getcwd": "the working directory is the whole process's",
    r"localtime|localtime_r|mktime|tzset": "the time zone comes from the environment",
    r"srand|rand|drand48|strtok": "its state is the whole process's",
}
# File and name: why the use is allowed. The environment is read where a documented variable takes
# effect, by the library once per plan or forecast. A caller that changes it concurrently breaks
# every reader.
EXCEPTIONS = {
    ("model/spec/load_gpu.cpp", "getenv"): "TILECAST_CONFIG_DIR",
    ("library/installed_configs.cpp", "getenv"): "TILECAST_CONFIG_DIR",
    ("library/request.cpp", "getenv"): "TILECAST_CHECK_GROUPS",
    ("kernels/jit/cubin_cache.cpp", "getenv"): "the cache's folder",
    ("cli/gpu_device.cpp", "getenv"): "CUDA_VISIBLE_DEVICES, in a program",
    ("cli/report.cpp", "getenv"): "where the report's charts come from, in a program",
    ("model/base/file.cpp", "ifstream"): "bytes as they are",
    ("model/spec/yaml_tree.cpp", "istringstream"): "yaml-cpp reads text from a stream",
    ("cli/problem_list.cpp", "ifstream"): "lines, not numbers",
    ("cli/problem_list.cpp", "istringstream"): "lines, not numbers",
    ("cli/read_problems.cpp", "istringstream"): "lines, not numbers",
    ("validate/measure/device_facts.cpp", "ifstream"): "lines, not numbers",
    ("validate/measure/device_facts.cpp", "istringstream"): "words, not numbers",
}
HOST_LAYERS = ("model/", "library/", "cli/", "kernels/", "validate/", "reports/", "include/", "python/bindings/")
# Relies on clang-format: declarations at namespace level start at the beginning of a line.
TYPE = re.compile(r"^(?:struct|class|union|enum class|enum) (?:alignas\([^)]*\) )?([A-Z]\w*)"
                  r"(?: final)?(?: : [^;\n]*)?(?: \{.*)?$", re.MULTILINE)
TEXT = r'"(?:[^"\\\n]|\\.)*"'


def process_state(content):
    """Returns the functions that read or change process state, except in comments, strings and includes, and why
    they are refused."""
    code = re.sub(rf"^#include.*|//.*|{TEXT}|'(?:[^'\\\n]|\\.)'", "", content, flags=re.MULTILINE)
    return {name: why for names, why in PROCESS_STATE.items() for name in re.findall(rf"\b(?:{names})\b", code)}


def leaves_process_alone(path):
    """Whether the rule applies: to all layers, except tests and device code."""
    return (path.startswith(HOST_LAYERS) and path.endswith((".h", ".hpp", ".cpp")) and
            not path.endswith(("_test.cpp", "_benchmark.cpp")))


def has_markup(code):
    return any(re.search("</?[a-zA-Z]", text) for text in re.findall(TEXT, code))


def numbers_in(source):
    """Returns floating literals other than 0, 0.5, 1 and 2 in statements that declare no constant."""
    code = re.sub(rf"//[^\n]*|{TEXT}", "", source)
    return [number for statement in code.split(";")
            if not re.search(r"\b(?:constexpr|const)\b[^()]*\bk[A-Z]\w*\s*[={[]", statement)
            for number in re.findall(r"(?<![\w.])(?:\d+\.\d*|\.\d+)(?:e[-+]?\d+)?|(?<![\w.])\d+e[-+]?\d+", statement)
            if not re.fullmatch(r"0?\.5|[012]\.0*", number)]


def named_in_shared_layers():
    """Returns the sources of layers that all operations share in which GEMM's types are named."""
    shared = ("model/sim/engine/", "model/sim/chip/", "model/sim/parts/", "model/form/", "model/clock/",
              "model/learn/", "model/rank/", "validate/measure/")
    ops = ("validate/measure/gemm/", "validate/measure/stream/", "validate/measure/attention/",
           "validate/measure/lab_ops.cpp")
    return [path for path in sources()
            if path.startswith(shared) and not path.startswith(ops) and not is_test(path) and
            re.search("Gemm|gemm|KernelConfig|Tiling|Residual", read(path))]


def compared_operations():
    """Returns the sources, except the tables of operations, that ask which operation it is."""
    tables = ("model/op/", "model/ops/", "model/stream/", "tests/")
    return [path for path in sources() if not path.startswith(tables) and not is_test(path) and
            re.search(r"[!=]=\s*Op::k|Op::k\w+\s*[!=]=|case Op::k", read(path))]


class Sources(unittest.TestCase):
    def test_library_code_neither_changes_the_process_nor_depends_on_its_locale(self):
        known = {path: {name for at, name in EXCEPTIONS if at == path} for path, _ in EXCEPTIONS}
        checked = [path for path in sources() if leaves_process_alone(path)]
        self.assertGreater(len(checked), 500)
        self.assertLessEqual(set(known), set(checked))
        for path in checked:
            found = process_state(read(path))
            with self.subTest(path):
                self.assertEqual(set(found), known.get(path, set()), found)
        for code in ("::umask(0);", 'std::setlocale(LC_ALL, "");', "sscanf(a, b);", "std::ostringstream out;",
                     "::setenv(a, b, 1);", "std::getenv(a);", "fs::current_path(a);", "double x = std::stod(text);"):
            self.assertEqual(len(process_state(code)), 1, code)
        for code in ('// atof of a comment\nf("umask");', "unmask(0); my_atof(a); std::cout_;"):
            self.assertEqual(process_state(code), {}, code)

    def test_no_two_headers_define_types_of_the_same_name(self):
        for ending in (".h", ".cuh"):  # device code is compiled one kernel at a time, but is read as one
            seen = {}
            for path in sources():
                # Stand-ins have the names of the originals and are never compiled with them.
                if path.endswith(ending) and not path.startswith("tests/roles/host/"):
                    for name in TYPE.findall(read(path)):
                        self.assertEqual(seen.setdefault(name, path), path, name)
            self.assertGreater(len(seen), 200 if ending == ".h" else 0)
        self.assertEqual(TYPE.findall("struct A;\nstruct A {\n  struct B {\n  };\n};\nclass C final : public A {\n"
                                      "enum class D : i32 { kOne };\n"), ["A", "C", "D"])

    def test_escaping_for_html_and_for_a_shell_is_in_one_place_each(self):
        for text, escaper in (("&lt;", "reports/html_text.cpp"), (r"'\\''", "model/base/shell_text.cpp")):
            self.assertEqual([path for path in sources() if not is_test(path) and text in read(path)], [escaper])

    def test_markup_is_in_the_reports_template_so_that_every_value_is_escaped(self):
        self.assertEqual([], [path for path in sources()
                              if path.startswith("reports/") and not is_test(path) and
                              path != "reports/html_text.cpp" and has_markup(read(path))])
        self.assertTrue(has_markup('html += "<td>" + cell;'))
        self.assertFalse(has_markup('row["a"].get<double>() + row["b"];'))

    def test_a_header_can_be_included_twice(self):
        self.assertEqual([], [path for path in sources()
                              if path.endswith((".h", ".cuh")) and "\n#pragma once\n" not in read(path)])

    def test_layers_shared_by_all_ops_name_none(self):
        self.assertEqual([], named_in_shared_layers())

    def test_only_an_ops_folder_and_the_tables_of_ops_depend_on_which_op_it_is(self):
        self.assertEqual([], compared_operations())

    def test_numbers_of_the_model_are_in_configs_in_tables_or_named_constants(self):
        self.assertEqual(numbers_in("double f(double x) { return 1.5 * x; }"), ["1.5"])
        self.assertEqual(numbers_in("x = y * 1e-6; // 3.5"), ["1e-6"])
        self.assertEqual(numbers_in("constexpr double kA = 1.5, kB = 3e5; return 0.5 * x + 2.0 + 1.0;"), [])
        tables = ("model/spec/gpu_fields.cpp", "model/spec/quantity.cpp",  # ranges, units
                  "model/gemm/output/")  # definitions of functions
        for path in sources():
            if (path.startswith("model/") and not path.startswith(tables) and "/example_" not in path and
                    not path.endswith(("_test.cpp", "_benchmark.cpp"))):
                self.assertEqual(numbers_in(read(path)), [], path)
