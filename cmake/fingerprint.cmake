# Writes OUTPUT: a C++ file with a hash of FILES (paths relative to ROOT), their names and contents.
set(all "")
foreach(file IN LISTS FILES)
  file(SHA256 ${ROOT}/${file} hash)
  string(APPEND all "${file} ${hash}\n")
endforeach()
string(SHA256 fingerprint "${all}")
file(WRITE ${OUTPUT}.tmp "// Generated; see cmake/fingerprint.cmake.
#include \"reports/prediction_cache.h\"

namespace tilecast {

std::string_view model_fingerprint() { return \"${fingerprint}\"; }

}  // namespace tilecast
")
file(RENAME ${OUTPUT}.tmp ${OUTPUT})
