"""Commands of the package: python -m tilecast COMMAND."""

import argparse
import sys
from collections.abc import Sequence
from typing import Optional

from . import moe_config
from ._model import ConfigError, Error, FileError


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tilecast", description="Commands of the Python package.")
    commands = parser.add_subparsers(dest="command", required=True)
    moe_config.add_options(commands.add_parser(
        "moe-config", help="write the configuration file of a fused MoE or block-scaled layer for vLLM and SGLang"))
    options = parser.parse_args(arguments)
    try:
        print(moe_config.run(options))
    except (Error, ConfigError, FileError) as error:
        print(f"tilecast {options.command}: {error}", file=sys.stderr)
        return 6 if isinstance(error, FileError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
