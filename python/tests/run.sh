#!/bin/bash
# Builds the module against the layers of an existing build, in a separate virtual environment, and
# runs pytest: run.sh BUILD_FOLDER [pytest option...]. Exits with 77, and prints the reason, if
# Python's venv is missing, or PyPI cannot provide nanobind and pytest. TILECAST_TEST_TORCH=2.11.0
# installs that torch too, with its CUDA libraries (3 GB), for tests that are otherwise skipped.
set -u
build=$(cd "$1" && pwd) || exit 1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
venv=$build/python/venv
skip() { echo "skipped: $*" && exit 77; }

python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  skip "no python3, 3.10 or later"
python=$venv/bin/python
if ! "$python" -c 'import nanobind, pytest' 2>/dev/null; then
  python3 -m venv "$venv" >/dev/null 2>&1 || skip "python3 -m venv does not work (python3-venv)"
  timeout 120 "$python" -m pip install --quiet --disable-pip-version-check --retries 0 --timeout 15 \
    nanobind pytest pandas >"$build/python/pip.log" 2>&1 ||
    skip "nanobind and pytest cannot be installed: $(tail -n 1 "$build/python/pip.log")"
fi
if [ -n "${TILECAST_TEST_TORCH-}" ]; then
  "$python" -m pip install --quiet --disable-pip-version-check "torch==$TILECAST_TEST_TORCH" || exit 1
fi
"$python" -c 'import sysconfig, os, sys
sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' ||
  skip "no Python.h (python3-dev)"
cmake -S "$here" -B "$build/python/module" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
  -DPython_EXECUTABLE="$python" -DTILECAST_LAYERS="$build/python/layers.cmake" \
  >"$build/python/configure.log" 2>&1 || { cat "$build/python/configure.log"; exit 1; }
cmake --build "$build/python/module" || exit 1
# The package of the sources, with the built module added.
package=$build/python/package
rm -rf "$package" && mkdir -p "$package" && cp -r "$here/tilecast" "$package/" &&
  rm -f "$package"/tilecast/_native.*.so && cp "$build"/python/module/_native.*so "$package/tilecast/" || exit 1
PYTHONPATH=$package exec "$python" -m pytest -q -p no:cacheprovider "$here/tests" "$@"
