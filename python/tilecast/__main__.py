"""Commands of the package: python -m tilecast COMMAND."""

import argparse
import sys
from collections.abc import Sequence
from typing import Optional

from . import _command, layer, moe_config


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tilecast", description="Commands of the Python package.")
    commands = parser.add_subparsers(dest="command", required=True)
    moe_config.add_options(commands.add_parser(
        "moe-config", help="write the configuration file of a fused MoE or block-scaled layer for vLLM and SGLang"))
    layer.add_options(commands.add_parser(
        "layer", help="forecast a decoder layer of a language model, from its config.json"))
    options = parser.parse_args(arguments)
    answer = {"moe-config": moe_config.run, "layer": layer.run}[options.command]
    return _command.run(f"tilecast {options.command}", lambda: answer(options))


if __name__ == "__main__":
    sys.exit(main())
