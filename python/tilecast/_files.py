"""Reads and writes whole files like the program (model/base/file.h): a file is written next to its
destination and renamed, so that a reader never sees half of it and a failed write leaves the old
content."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
from collections.abc import Iterator
from typing import Any, Optional, Union

from ._model import ConfigError, FileError

_Path = Union[str, os.PathLike]


def read_json(path: _Path) -> Any:
    """Raises FileError, or ConfigError if the file is not JSON."""
    with _naming(path, "read"):
        try:
            with open(path, encoding="utf-8-sig") as file:
                return json.load(file)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{os.fspath(path)}: expected JSON: {error}") from None


def write_file(path: _Path, text: str) -> None:
    """Writes a file, creating missing parent folders. A replaced file keeps its permissions; a
    symbolic link keeps pointing to the replaced one. Raises FileError."""
    with _naming(path, "write"):
        if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe, which must not be replaced
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return
        target = os.path.realpath(path) if os.path.exists(path) else os.fspath(path)
        with _written_next_to(target, text, _mode_of(target)) as written:
            os.replace(written, target)


def write_new_file(path: _Path, text: str) -> bool:
    """Writes a file that must not exist yet. Returns False and changes nothing if it does."""
    with _naming(path, "write"), _written_next_to(os.fspath(path), text, None) as written:
        try:
            os.link(written, path)
        except FileExistsError:
            return False
        return True


@contextlib.contextmanager
def _naming(path: _Path, what: str) -> Iterator[None]:
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: cannot {what}: {error.strerror}") from None


def _mode_of(path: str) -> Optional[int]:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def _written_next_to(path: str, text: str, mode: Optional[int]) -> Iterator[str]:
    """Yields the name of a temporary file, and removes the file on exit if it still exists. Without
    `mode`, the umask decides the permissions."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    name, private = f"{path}.{secrets.token_hex(4)}", 0o666 if mode is None else 0o600
    try:
        with open(name, "x", encoding="utf-8", opener=lambda file, flags: os.open(file, flags, private)) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            if mode is not None:
                os.fchmod(file.fileno(), mode)
        yield name
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
