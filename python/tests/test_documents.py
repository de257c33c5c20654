"""Blocks of Python in the pages run as they stand, each by itself."""

import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
BLOCKS = [pytest.param(block, id=f"{page.stem}-{number}")
          for page in (DOCS / "python.md", DOCS / "triton.md")
          for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S))]


def test_pages_have_blocks():
    assert len(BLOCKS) >= 5


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_runs(block):
    exec(compile(block, "block", "exec"), {})
