#include "model/base/error.h"

namespace tilecast {

void assertion_failed(const char* expression, const std::source_location& where) {
  throw Error(ExitCode::kWrong, std::string("internal error: ") + where.file_name() + ":" +
                                    std::to_string(where.line()) + ": " + expression +
                                    " does not hold; please report it");
}

}  // namespace tilecast
