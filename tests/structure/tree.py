"""The files of the tree, for the tests of this folder, which run in its root."""

import functools
import pathlib

FOLDERS = ("model", "kernels", "validate", "reports", "cli", "include", "library", "examples", "python", "tests")
ENDINGS = {".h", ".hpp", ".cpp", ".cu", ".cuh"}


@functools.cache
def read(path):
    return pathlib.Path(path).read_text()


@functools.cache
def sources():
    """Returns paths of C++ and CUDA sources."""
    return sorted(str(path) for folder in FOLDERS for path in pathlib.Path(folder).rglob("*")
                  if path.suffix in ENDINGS)


def is_test(path):
    return "_test." in path


@functools.cache
def pages():
    """Returns paths of Markdown pages outside of build folders."""
    return sorted(str(path) for path in pathlib.Path().rglob("*.md")
                  if not any(part.startswith(".") or part == "build" for part in path.parts))
