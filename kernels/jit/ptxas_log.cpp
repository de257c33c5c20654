#include "kernels/jit/ptxas_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/base/error.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr i64 kSetmaxnregIgnored = 7508;
constexpr i64 kFirstWgmmaNote = 7510;
constexpr i64 kLastWgmmaNote = 7519;
constexpr std::size_t kCodeDigits = 4;

/// The integer directly before `suffix` in `line`.
std::optional<i64> integer_before(std::string_view line, std::string_view suffix) {
  const std::size_t end = line.find(suffix);
  if (end == std::string_view::npos) {
    return {};
  }
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') {
    --begin;
  }
  return parse_integer(line.substr(begin, end - begin));
}

std::optional<i64> note_code(std::string_view line) {
  const std::size_t open = line.find("(C");
  if (open == std::string_view::npos || line.size() < open + 2 + kCodeDigits + 1 ||
      line[open + 2 + kCodeDigits] != ')') {
    return {};
  }
  return parse_integer(line.substr(open + 2, kCodeDigits));
}

bool is_refused(i64 code) {
  return code == kSetmaxnregIgnored || (code >= kFirstWgmmaNote && code <= kLastWgmmaNote);
}

/// "C7511: message".
std::string note_text(i64 code, std::string_view line) {
  std::string_view text = line.substr(line.find("(C") + 2 + kCodeDigits + 1);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return fmt::format("C{:0{}}: {}", code, kCodeDigits, text);
}

}  // namespace

PtxasReport parse_ptxas_log(std::string_view log) {
  PtxasReport report{};
  bool has_stack = false;
  for (const std::string_view line : split(log, '\n')) {
    if (const auto stack = integer_before(line, " bytes stack frame")) {
      const auto stores = integer_before(line, " bytes spill stores");
      const auto loads = integer_before(line, " bytes spill loads");
      has_stack = stores.has_value() && loads.has_value();
      report.stack_frame = std::max(report.stack_frame, Bytes{static_cast<double>(*stack)});
      report.spill_stores =
          std::max(report.spill_stores, Bytes{static_cast<double>(stores.value_or(0))});
      report.spill_loads =
          std::max(report.spill_loads, Bytes{static_cast<double>(loads.value_or(0))});
    } else if (const auto registers = integer_before(line, " registers")) {
      report.registers = std::max(report.registers, static_cast<i32>(*registers));
    } else if (const auto code = note_code(line)) {
      const std::string note = note_text(*code, line);
      if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end()) {
        report.notes.push_back(note);
      }
    }
  }
  if (!has_stack || report.registers == 0) {
    throw Error(ExitCode::kWrong, "ptxas did not report the kernel's registers and stack size");
  }
  return report;
}

std::string rejection(const PtxasReport& report) {
  if (report.spill_stores.value > 0 || report.spill_loads.value > 0) {
    return fmt::format("spills: {} bytes stored, {} bytes loaded", report.spill_stores.value,
                       report.spill_loads.value);
  }
  for (const std::string& note : report.notes) {
    if (is_refused(parse_integer(std::string_view(note).substr(1, kCodeDigits)).value_or(0))) {
      return note;
    }
  }
  if (report.stack_frame.value > 0) {
    return fmt::format("stack frame of {} bytes", report.stack_frame.value);
  }
  return {};
}

}  // namespace tilecast
