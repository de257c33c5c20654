"""Links, commands, keys and code on pages, and files named in comments, exist. TILECAST is the program."""

import functools
import os
import pathlib
import re
import subprocess
import unittest

from tree import pages, read, sources


def lines_of(markdown):
    """Yields line number, text and whether it is in a fenced block."""
    is_code = False
    for number, text in enumerate(markdown.split("\n"), 1):
        if text.strip().startswith("```"):
            is_code = not is_code
        else:
            yield number, text, is_code


def links_in(markdown):
    return [(number, target) for number, text, is_code in lines_of(markdown) if not is_code
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub("`[^`]*`", "", text))
            if not target.startswith(("http://", "https://"))]


def anchors_in(markdown):
    headings = (re.match("#+ +(.*)", text) for _, text, is_code in lines_of(markdown) if not is_code)
    return {re.sub(r"[^\w-]", "", heading[1].strip().replace(" ", "-")).lower() for heading in headings if heading}


def checks_in(source):
    """Returns files after "Checked by", up to the end of the paragraph of the comment."""
    return [name for paragraph in re.findall(r"Checked by.*(?:\n[ ]*//[^\n]{2,})*", source)
            for name in re.findall(r"[\w./-]+\.(?:cpp|h|cuh|cu|sh|py)\b", paragraph)]


def keys_in(markdown, sections):
    return [(number, ".".join(key)) for number, text, _ in lines_of(markdown) for quoted in re.findall("`[^`]*`", text)
            for key in re.findall(r"([\w./-]+)\.([a-z]\w*)(?![\w./(-])", quoted) if key[0] in sections]


def commands_in(markdown):
    """Returns line number, words of the command and its options without values, in blocks and between back
    quotes."""
    found = []
    for number, text, is_code in lines_of(markdown):
        for line in [text] if is_code else re.findall(r"`((?:\./)?tilecast[^`]*)`", text):
            words = re.split(r"\s(?:\||#|&&?)(?:\s|$)", re.sub(r"""'[^']*'|"[^"]*\"""", "X", line))[0].split()
            if len(words) > 1 and re.fullmatch(r"(\./)?tilecast(-gpu|-data)?", words[0]):
                options = [re.split("[=.,;)\\]]", word)[0] for word in words if word.startswith("--")]
                found.append((number, words[1:3], options))
    return found


@functools.cache
def completed(line):
    """Returns the words that complete the line."""
    return subprocess.run([os.environ["TILECAST"], "completion", "bash", line], capture_output=True, text=True,
                          check=True).stdout.split()


def declared_options(words):
    """Returns the options of a command, with those of its verb or verbs; None if there is no such command."""
    if words[0] in ("--help", "--help-all", "COMMAND"):
        return {"--help", "--help-all"}
    verbs = completed("tilecast campaign ")
    if words[0] not in (*completed("tilecast "), *verbs, "compile", "probe", "test"):
        return None
    line = f"campaign {words[0]}" if words[0] in verbs else words[0]
    options = set(completed(f"tilecast {line} -"))
    return options.union(*(completed(f"tilecast campaign {verb} -") for verb in verbs if words[0] == "campaign"))


def is_history(page):
    """Whether a page keeps the commands and keys of its date."""
    return page == "CHANGELOG.md" or page.startswith("docs/dev/notebook/")


class Documents(unittest.TestCase):
    def test_every_link_of_a_page_leads_to_an_existing_file_and_heading(self):
        links = 0
        for page in pages():
            for number, link in links_in(read(page)):
                links += 1
                file, _, anchor = link.partition("#")
                target = pathlib.Path(page).parent / file if file else pathlib.Path(page)
                self.assertTrue(target.exists(), f"{page}:{number}: {link}")
                if anchor and target.is_file():
                    self.assertIn(anchor, anchors_in(read(target)), f"{page}:{number}: {link}")
        self.assertGreater(links, 50)

    def test_every_command_line_of_a_page_uses_an_existing_command_and_options(self):
        commands = 0
        for page in pages():
            for number, words, options in [] if is_history(page) else commands_in(read(page)):
                commands += 1
                declared = declared_options(words)
                self.assertIsNotNone(declared, f"{page}:{number}: {words[0]}")
                if words[0] != "test":
                    self.assertLessEqual(set(options), declared, f"{page}:{number}: {words[0]}")
        self.assertGreater(commands, 50)

    def test_every_file_that_a_comment_names_as_its_check_exists(self):
        names = {pathlib.Path(path).name for path in sources()}
        checks = 0
        for path in sources():
            for named in checks_in(read(path)):
                checks += 1
                self.assertTrue(named in names if "/" not in named else os.path.exists(named), f"{path}: {named}")
        self.assertGreater(checks, 150)

    def test_every_test_named_for_a_reported_fault_exists(self):
        page = read("docs/dev/reported-faults.md")
        joined = "".join(re.sub(r'"\n *"', "", read(path)) for path in sources() if path.endswith("_test.cpp"))
        titles = set(re.findall(r'TEST_CASE\(\s*"((?:[^"\\]|\\.)*)"', joined))
        functions = "".join(path.read_text() for path in pathlib.Path("python/tests").glob("*.py"))
        declared = read("tests/CMakeLists.txt")
        scripts = {f"cli_{path.stem}" for path in pathlib.Path("tests/cli").glob("*.sh")}
        named = re.findall(r"`(ctest|pytest|tilecast_\w+_test) ([^`]*)`", page)
        for kind, test in named:
            exists = (test in scripts or re.search(rf"(NAME|test\() *{re.escape(test)}\b", declared) if kind == "ctest" else
                      f"def {test}(" in functions if kind == "pytest" else test.strip('"') in titles)
            self.assertTrue(exists, f"{kind} {test}")
        self.assertGreater(len(named), 40)

    def test_every_gpu_file_key_on_a_page_is_in_a_gpu_file(self):
        keys = set()
        for file in pathlib.Path("configs/gpus").glob("*.yaml"):
            section = ""
            for line in read(file).split("\n"):
                section = line[:-1] if re.fullmatch(r"\w+:", line) else section
                if key := re.match(r"  (\w+):", line):
                    keys.add(f"{section}.{key[1]}")
        # Names of micro-benchmarks look like keys, and a section may have the name of a source file.
        harness = "".join(read(path) for path in sources() if path.startswith("validate/measure/"))
        files = {pathlib.Path(path).name for path in sources()}
        found = 0
        for page in pages():
            sections = {key.partition(".")[0] for key in keys}
            for number, key in [] if is_history(page) else keys_in(read(page), sections):
                found += key in keys
                self.assertTrue(key in keys or key in files or f'"{key}"' in harness, f"{page}:{number}: {key}")
        self.assertGreater(found, 3)

    def test_the_code_in_cpp_md_is_that_of_the_examples_which_are_built_and_run(self):
        examples = "".join(path.read_text() for path in pathlib.Path("examples").iterdir() if path.is_file())
        blocks = re.findall(r"\n```c(?:pp)?\n(.*?)```", read("docs/cpp.md"), re.DOTALL)
        self.assertEqual(len(blocks), 4)
        for block in blocks:
            self.assertIn(block, examples)

    def test_links_checks_keys_anchors_and_commands_are_found(self):
        self.assertEqual(links_in("see [b](b.md#x) and [c](https://c)\n```\n[d](d.md)\n```\n`[e](e.md)` ![f](f.svg)\n"),
                         [(1, "b.md#x"), (5, "f.svg")])
        self.assertEqual(checks_in("// a.cpp. Checked by: b_test.cpp (sums),\n// c/d_test.cu.\n//\n// e.h\n"
                                   '#include "f.h"\n'), ["b_test.cpp", "c/d_test.cu"])
        self.assertEqual(keys_in("l2.a `l2.b` `x = l2.c_d * 2`\n`el2.e`, `a/l2.f`, `l2.g/h`\n", {"l2"}),
                         [(1, "l2.b"), (1, "l2.c_d")])
        self.assertEqual(anchors_in("# On Blackwell, too\n## 1. one_buffer\n```\n# not this\n```\n#nor this\n"),
                         {"on-blackwell-too", "1-one_buffer"})
        self.assertEqual(commands_in("`./tilecast report --out DIR` and `tilecast`\n```\n./tilecast predict 1x1x1 --top=3 "
                                     "--config 'a --b' | head\ncmake --build x\n```\n"),
                         [(1, ["report", "--out"], ["--out"]),
                          (3, ["predict", "1x1x1"], ["--top", "--config"])])
