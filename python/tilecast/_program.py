"""Commands that need the whole program: it is not in the package, which holds the model alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from typing import Union

from ._model import Error, FileError

_Path = Union[str, os.PathLike]


def _program() -> str:
    named = os.environ.get("TILECAST_PROGRAM")
    found = shutil.which(named or "tilecast")
    if not found:
        raise FileError(
            "this needs the program, which the Python package does not hold: "
            + (f"TILECAST_PROGRAM={named} is no program" if named else
               "put the repository's launcher `tilecast` on PATH, or its path in TILECAST_PROGRAM"))
    return found


def _run(arguments: list[str]) -> str:
    done = subprocess.run([_program(), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise Error(lines[-1] if lines else f"tilecast ended with exit code {done.returncode}")
    return done.stdout


def _files(data: Union[_Path, Iterable[_Path]]) -> list[str]:
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    return ["--data", *(os.fspath(file) for file in data)]


def calibrate(data: Union[_Path, Iterable[_Path]], out: _Path, *, gpu: str = "h200_sxm") -> str:
    """Fits a GPU's constants to measured rows and writes the overlay `out`; returns what the
    program prints. `data`: one measurement CSV or several (docs/files.md).

    Runs the program's `calibrate`: FileError, an OSError, where there is no program (the message
    says how to name one), Error with the program's line where it fails.
    """
    return _run(["calibrate", "--gpu", gpu, *_files(data), "--out", os.fspath(out)])


def report(data: Union[_Path, Iterable[_Path]], out: _Path, *, gpu: str = "h200_sxm") -> str:
    """Writes a page of predicted and measured kernels to the folder `out`; otherwise as `calibrate`."""
    return _run(["report", "--gpu", gpu, *_files(data), "--out", os.fspath(out)])
