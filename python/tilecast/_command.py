"""Frame of the package's commands: output, one-line errors and exit codes, as in the program."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ._model import ConfigError, Error, FileError


def run(name: str, answer: Callable[[], object]) -> int:
    """Prints `answer()`, or its error on one line; returns the exit code."""
    try:
        print(answer())
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _failed(name, "interrupted", 128 + 2)  # SIGINT
    except (Error, ConfigError, FileError) as error:
        return _failed(name, error, 6 if isinstance(error, FileError) else 2)
    except OSError as error:
        # Python flushes once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 128 + 13  # SIGPIPE, like the program
        return _failed(name, f"standard output: cannot write: {error.strerror}", 6)
    return 0


def _failed(name: str, error: object, code: int) -> int:
    # Names of files and options may contain line breaks and a terminal's escape sequences.
    text = "".join(one if one.isprintable() else repr(one)[1:-1] for one in str(error))
    print(f"{name}: {text}", file=sys.stderr)
    return code
