#!/bin/bash
# The output that README.md shows is what the commands above it print.
set -u
command -v python3 >/dev/null || exit 77
exec python3 tests/scripts/page_outputs.py --check
