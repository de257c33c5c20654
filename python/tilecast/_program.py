"""Commands that need the full program, which the package does not include: it holds only the model."""

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
            "this function needs the tilecast program, which is not part of the Python package: "
            + (f"TILECAST_PROGRAM={named} is not an executable" if named else
               "add the repository's launcher `tilecast` to PATH, or set TILECAST_PROGRAM to its path"))
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
    """Fits a GPU's constants to measurements and writes the overlay `out`; returns the
    program's output. `data`: one or more measurement CSVs (docs/files.md).

    Runs the program's `calibrate`. Raises FileError, an OSError, if there is no program (the message
    tells how to name one), Error with the program's message if it fails.
    """
    return _run(["calibrate", "--gpu", gpu, *_files(data), "--out", os.fspath(out)])


def report(data: Union[_Path, Iterable[_Path]], out: _Path, *, gpu: str = "h200_sxm") -> str:
    """Writes a page of predicted and measured kernels to the folder `out`; otherwise like `calibrate`."""
    return _run(["report", "--gpu", gpu, *_files(data), "--out", os.fspath(out)])
