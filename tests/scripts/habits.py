"""Counts phrases that keep readers out, in pages and in the comments and texts of the code.

    python3 tests/scripts/habits.py [--list [--code]]

A page says "compared with", not "beside"; CONTRIBUTING.md, Words, has the rule. Fails if a count
exceeds its limit: a twentieth of the count at 08d4cae0 for pages, the last lowered count for code.
Lower a limit when its count falls. --list shows each place in pages, with --code in code.
"""

import pathlib
import re
import subprocess
import sys

HABITS = {  # name: pattern, limit in pages, limit in code
    "beside": (r"beside", 6, 54),
    "behind": (r"behind", 3, 92),
    "in the mean, in the median": (r"in the (?:mean|median)", 3, 4),
    "nine of ten": (r"nine of ten", 0, 2),
    "first choice": (r"first choices?", 5, 1),
    "best of sixteen": (r"best of (?:its |cuBLASLt's )?(?:16|sixteen)(?! heuristics)", 1, 0),
    "judge": (r"judg(?:e|es|ed|ing)", 7, 24),
    "no fit has seen": (r"(?:no|a|the) fit (?:has|had) (?:not )?seen", 1, 2),
    "learned from": (r"learn(?:ed|t) from", 3, 16),
    "what": (r"what", 31, 550),
    "whoever, whatever, nobody": (r"who(?:so)?ever|whatever|nobody", 1, 46),
    "so many, as many": (r"(?:so|as) many", 2, 85),
    "Of ... at a beginning": (r"(?:(?<=\. )|(?<=\| )|^)Of (?!course)", 3, 122),
    "in the place of": (r"in (?:the|their|its) place of", 0, 2),
    "not there": (r"not there", 1, 3),
}
HISTORY = ("CHANGELOG.md", "docs/dev/notebook/")
GENERATED = re.compile(r"<!-- (\w+):begin -->.*?<!-- \1:end -->|```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)
JOINED = re.compile(r"(?<!\n)\n(?![\n|#]|\s*[-*] |\s*\d+\. )")  # lines of one paragraph
C_TEXT = re.compile(r'//[/!]?<? ?(.*)|"((?:[^"\\\n]|\\.)*)"')
PYTHON_TEXT = re.compile(r'# ?(.*)|"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)


def texts_of(path):
    """A page's paragraphs without code and generated parts; comment lines and strings of code."""
    text = pathlib.Path(path).read_text(errors="replace")
    if path.endswith(".md"):
        return JOINED.sub(" ", GENERATED.sub("", text)).split("\n")
    if path.endswith(".py"):
        found = re.sub(r"#.*", lambda m: m[0].replace('"', " "), text)
        return [line for m in PYTHON_TEXT.finditer(found) for part in m.groups() if part
                for line in part.split("\n")]
    return [part for m in C_TEXT.finditer(text) for part in m.groups() if part]


def main():
    files = subprocess.run(["git", "ls-files", "*.md", "*.h", "*.cpp", "*.cu", "*.cuh", "*.py"],
                           capture_output=True, text=True).stdout.split()
    if not files:
        sys.exit(77)  # no checkout
    patterns = {name: re.compile(rf"\b{pattern}\b" if not pattern.startswith("(?:(?<=") else pattern,
                                 re.IGNORECASE if not pattern.startswith("(?:(?<=") else 0)
                for name, (pattern, _, _) in HABITS.items()}
    counts = {name: [0, 0] for name in HABITS}
    for path in files:
        if path.startswith(HISTORY) or path.endswith("tests/scripts/habits.py"):
            continue
        for line in texts_of(path):
            for name, pattern in patterns.items():
                found = len(pattern.findall(line.strip()))
                counts[name][0 if path.endswith(".md") else 1] += found
                if found and "--list" in sys.argv and (path.endswith(".md") or "--code" in sys.argv):
                    print(f"{path}: {name}: {line.strip()}")
    over = False
    for name, (pages, code) in counts.items():
        _, most_pages, most_code = HABITS[name]
        print(f"{name:28} pages {pages:4} of {most_pages:4}, code {code:4} of {most_code:4}")
        over |= pages > most_pages or code > most_code
    sys.exit("a count exceeds its limit; python3 tests/scripts/habits.py --list shows where" if over else 0)


main()
