// Sets a locale with a decimal comma during its lifetime: an installed one, else one built by
// localedef.
#pragma once

#include <stdlib.h>

#include <clocale>
#include <cstdio>
#include <string>

#include "tests/temporary_folder.h"

namespace tilecast {

class CommaLocale {
 public:
  CommaLocale() {
    const std::string made = (folder_ / kName).string();
    if (std::setlocale(LC_ALL, kName) == nullptr &&
        std::system(("localedef -i de_DE -f UTF-8 " + made + " >/dev/null 2>&1").c_str()) == 0) {
      ::setenv("LOCPATH", (folder_ / "").c_str(), 1);
      std::setlocale(LC_ALL, kName);
    }
    is_there_ = *std::localeconv()->decimal_point == ',';
    if (!is_there_) {
      std::printf("skipped: no locale with a decimal comma, and localedef makes none\n");
    }
  }
  ~CommaLocale() {
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  bool is_there() const { return is_there_; }

 private:
  static constexpr const char* kName = "de_DE.UTF-8";

  TemporaryFolder folder_;
  bool is_there_ = false;
};

}  // namespace tilecast
