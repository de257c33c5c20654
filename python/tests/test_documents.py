"""Runs each Python block of the pages by itself; the blocks of torch.md need a GPU."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCKS = [pytest.param(page.name, block, id=f"{page.stem}-{number}")
          for page in (ROOT / "README.md", ROOT / "docs/python.md", ROOT / "docs/torch.md", ROOT / "docs/layers.md",
                       ROOT / "docs/triton.md")
          for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S))]


def test_pages_have_blocks():
    assert len(BLOCKS) >= 8


@pytest.mark.parametrize("page,block", BLOCKS)
def test_a_block_runs(page, block):
    if page == "layers.md":
        pytest.importorskip("torch")
    if page == "torch.md" and not pytest.importorskip("torch").cuda.is_available():
        pytest.skip("no GPU")
    exec(compile(block, "block", "exec"), {})
