#!/bin/bash
# The output that README.md shows is what the commands above it print, and the ladder's tables are
# what committed measurements make.
set -u
command -v python3 >/dev/null || exit 77
python3 validate/ladder.py --check && exec python3 tests/scripts/page_outputs.py --check
