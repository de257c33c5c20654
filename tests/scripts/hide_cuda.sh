# hide_cuda FOLDER: writes a header with an #error for each CUDA header that the tree includes. With
# -I FOLDER these come first, even if the compiler finds CUDA's headers by default.
hide_cuda() {
  grep -rhoE '# *include <(cu|nv)[^>]*>' model kernels validate reports cli library include tests | sed 's/.*<\(.*\)>/\1/' | sort -u |
    while read -r header; do
      mkdir -p "$(dirname "$1/$header")"
      echo "#error <$header> in a build without CUDA" >"$1/$header"
    done
}
