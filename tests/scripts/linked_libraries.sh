# Libraries that the programs need to start: tilecast no CUDA library, tilecast-gpu not the driver library.
set -u
command -v readelf >/dev/null || { echo "readelf is missing"; exit 77; }

cuda='lib(cuda|cudart|nvrtc|nvrtc-builtins|cupti|cublas|cublasLt|nvperf_host|nvidia-ml|nvJitLink)\.so'
driver='lib(cuda|nvidia-ml)\.so'

# needs PROGRAM PATTERN: whether it or one of its libraries links such a library
needs() {
  { readelf -d "$1" | grep NEEDED; ldd "$1"; } | grep -E "$2"
}

failed=0
if needs "$TILECAST" "$cuda"; then
  echo "tilecast needs a CUDA library"
  failed=1
fi
if ! needs "$TILECAST" 'libc\.so' >/dev/null; then
  echo "the check itself finds nothing"
  failed=1
fi
if [ -n "$TILECAST_GPU" ]; then
  if needs "$TILECAST_GPU" "$driver"; then
    echo "tilecast-gpu needs the driver's library to start"
    failed=1
  fi
  if ! needs "$TILECAST_GPU" "$cuda" >/dev/null; then
    echo "tilecast-gpu shows no CUDA library: the check is blind"
    failed=1
  fi
  if ldd "$TILECAST_GPU" | grep 'not found'; then
    echo "tilecast-gpu cannot find its libraries"
    failed=1
  fi
fi
exit $failed
