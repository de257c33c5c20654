#!/bin/bash
# Tests that the output in README.md equals the output of the commands above it, and that the
# tables in kernels/gemm/README.md are computed from committed measurements.
set -u
command -v python3 >/dev/null || exit 77
python3 validate/ladder.py --check && exec python3 tests/scripts/page_outputs.py --check
