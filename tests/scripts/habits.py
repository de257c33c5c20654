"""Counts phrases and terms that keep readers out, in pages and in the comments and texts of the code.

    python3 tests/scripts/habits.py [--list [--code]]

CONTRIBUTING.md, Words, has the rule. Fails if a count exceeds its limit: for pages a twentieth of the
first count (08d4cae0), for code the lowest count so far. Lower a limit when its count falls. Also fails
if the pages exceed MOST_WORDS. --list shows each place in pages, with --code in code.
"""

import pathlib
import re
import subprocess
import sys

MOST_WORDS = 25000  # in README.md, CONTRIBUTING.md, CHANGELOG.md and docs, without code blocks and generated tables
HABITS = {  # name: pattern, limit in pages, limit in code
    "beside": (r"beside", 1, 6),
    "behind": (r"behind", 2, 15),
    "in the mean, in the median": (r"in the (?:mean|median)", 1, 0),
    "nine of ten": (r"nine of ten", 0, 0),
    "first choice": (r"first choices?", 1, 0),
    "best of sixteen": (r"best of (?:its |cuBLASLt's )?(?:16|sixteen)(?! heuristics)", 1, 0),
    "judge": (r"judg(?:e|es|ed|ing)", 3, 11),
    "no fit has seen": (r"(?:no|a|the) fit (?:has|had) (?:not )?seen", 0, 0),
    "learned from": (r"learn(?:ed|t) from", 2, 2),
    "what": (r"what", 28, 88),
    "whoever, whatever, nobody": (r"who(?:so)?ever|(?<!throws )(?<!and )(?<!or )whatever|nobody", 1, 4),
    "so many, as many": (r"(?:so|as) many", 2, 55),
    "Of ... at a beginning": (r"(?:(?<=\. )|(?<=\| )|^)Of (?!course)", 3, 6),
    "in the place of": (r"in (?:the|their|its) place of", 0, 0),
    "not there": (r"not there", 1, 0),
    "answer": (r"answers?", 2, 118),
    "ours": (r"ours", 1, 82),
    "refuse": (r"refus(?:e|es|ed|ing)", 2, 74),
    "reason why": (r"reasons? why", 0, 0),
    "empty: a meaning": (r"(?:empty|none|null): \w+", 0, 15),
    "leaves out, left out": (r"(?:leav(?:e|es|ing)|left)[- ]out", 3, 1),
    "Throws ConfigError that": (r"throws (?:Config|File|Status|Cuda|Device)?Error that", 0, 0),
    "throws whatever": (r"whatever [\w, ]+ throws?", 0, 0),
    "expected ..., not": (r"expected [^,]*, not (?=[{'\"])", 0, 0),
    "expected nothing, both, them": (r"expected (?:them|both|nothing|their|texts|one if)", 0, 2),
    "is of, are of": (r"(?:is|are) of (?!the same|\d)", 1, 0),
    "own rows": (r"own (?:rows?|measurements?|time)", 3, 6),
    "today's": (r"today's", 0, 0),
}
TERMS = {  # private term: pattern, the field's term, limit in pages, limit in code
    "physics alone": (r"physics alone", "uncorrected model", 0, 0),
    "learned part": (r"learned part|what (?:is|was) learned", "learned correction", 0, 0),
    "first pick": (r"first picks?", "top pick", 1, 2),
    "menu": (r"(?:whole|on the) menu", "search space", 0, 2),
    "sides": (r"sides", "dimensions", 1, 153),
    "exact sums": (r"exact sums?", "fp32 promotion", 0, 6),
    "SM intake": (r"SM intakes?", "SM fill", 1, 1),
    "far half": (r"far half", "far L2 partition", 0, 0),
    "rows of no group": (r"of no group", "padding rows", 0, 0),
    "a B of its own": (r"a B (?:for each|of (?:its|their) own)", "its own B; weight traffic", 0, 0),
    "likeness": (r"likeness", "similarity", 0, 1),
    "tight rows": (r"tight rows|(?:is|are|lie) tight|tight in memory", "contiguous, packed", 0, 0),
    "laboratory": (r"laborator(?:y|ies)", "benchmark harness", 0, 1),
    "the card": (r"the card", "the GPU", 0, 1),
    "regret": (r"regret", "top-k quality", 0, 0),
    "rung, ladder": (r"rungs?|ladders?", "teaching kernels", 0, 7),
    "whole 16 bytes": (r"whole (?:16|32|64|128) bytes", "multiples of 16 bytes", 0, 0),
    "pays": (r"(?:can )?pays?", "is worthwhile", 0, 0),
    "draws of a routing": (r"(?:first|each|every|over|eight) draws?", "random routing", 0, 1),
    "elimination": (r"eliminations?", "the time saved if a resource costs nothing", 0, 0),
    "product": (r"(?:single|one|each|all|whole) products?", "GEMM", 0, 6),
    "closed form": (r"closed[- ]forms?", "analytic model", 0, 9),
}
HISTORY = ("CHANGELOG.md", "docs/dev/notebook/")
COUNTED = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/")
GENERATED = re.compile(r"<!-- (\w+):begin -->.*?<!-- \1:end -->|<!-- output: .*?<!-- end -->|```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)
JOINED = re.compile(r"(?<!\n)\n(?![\n|#]|\s*[-*] |\s*\d+\. )")  # lines of one paragraph
C_TEXT = re.compile(r'//[/!]?<? ?(.*)|"((?:[^"\\\n]|\\.)*)"')
PYTHON_TEXT = re.compile(r'# ?(.*)|"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)


def texts_of(path):
    """Yields a page's paragraphs without code and generated parts, or comment lines and strings of
    code."""
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
        sys.exit(77)  # not in a checkout
    limits = {name: (pages, code) for name, (_, pages, code) in HABITS.items()}
    limits |= {name: (pages, code) for name, (_, _, pages, code) in TERMS.items()}
    patterns = {name: re.compile(pattern if pattern.startswith("(?:(?<=") else rf"(?i)\b(?:{pattern})\b")
                for name, (pattern, *_) in (HABITS | TERMS).items()}
    counts = {name: [0, 0] for name in limits}
    words = 0
    for path in files:
        if path.startswith(HISTORY[1]) or path.endswith("tests/scripts/habits.py"):
            continue
        is_page = path.endswith(".md")
        for line in texts_of(path):
            if is_page and path.startswith(COUNTED):
                words += len(re.findall(r"[A-Za-z][A-Za-z'-]*", line))
            if path in HISTORY or re.fullmatch(r"[\w./]+", line.strip()):  # only a file name or a key
                continue
            for name, pattern in patterns.items():
                found = len(pattern.findall(line.strip()))
                counts[name][not is_page] += found
                if found and "--list" in sys.argv and (is_page or "--code" in sys.argv):
                    use = f" ({TERMS[name][1]})" if name in TERMS else ""
                    print(f"{path}: {name}{use}: {line.strip()}")
    over = words > MOST_WORDS
    print(f"{'words of pages':28} {words} of {MOST_WORDS}")
    for name, (pages, code) in counts.items():
        most_pages, most_code = limits[name]
        print(f"{name:28} pages {pages:4} of {most_pages:4}, code {code:4} of {most_code:4}")
        over |= pages > most_pages or code > most_code
    sys.exit("a count exceeds its limit; python3 tests/scripts/habits.py --list shows where" if over else 0)


main()
