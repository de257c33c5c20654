#include "model/gemm/problem/epilogue.h"

#include <optional>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr std::string_view kNone = NoStep::kWord;

std::vector<std::string> every_word() {
  std::vector<std::string> words;
  for (const StepRow& row : output_steps()) {
    words.emplace_back(row.word);
  }
  return words;
}

[[noreturn]] void unknown(std::string_view text, std::string_view part) {
  if (lower_case(part) == "bias") {
    throw ConfigError("epilogue '" + on_one_line(text) +
                      "': expected bias_n, one value per column as nn.Linear's, or bias_m, one "
                      "per row");
  }
  std::vector<std::string> known = every_word();
  known.insert(known.begin(), std::string(kNone));
  throw ConfigError("epilogue '" + on_one_line(text) + "': expected one of " + join(known, ", ") +
                    ", or several of them in this order, such as bias_n+gelu" +
                    did_you_mean(part, known));
}

std::optional<OutputStep> step_named(std::string_view text) {
  const std::string word = lower_case(text);
  for (i32 number = 1; number <= OutputSteps::kCount; ++number) {
    if (row_of({number}).word == word) {
      return OutputStep{number};
    }
  }
  return std::nullopt;
}

/// Throws an error for valid steps in the wrong order.
[[noreturn]] void misordered(std::string_view text) {
  std::vector<std::string> order;
  std::optional<OutputKind> last;
  for (const std::string& word : every_word()) {
    const OutputKind kind = OutputSteps::kind_of(*step_named(word));
    for (const std::string_view part : split(text, '+')) {
      if (lower_case(part) == word && kind != last) {
        order.push_back(word);
        last = kind;
      }
    }
  }
  throw ConfigError("epilogue '" + on_one_line(text) +
                    "': expected one step of a kind, in the order " + join(order, "+"));
}

}  // namespace

const std::vector<StepRow>& output_steps() {
  static const std::vector<StepRow> rows = [] {
    std::vector<StepRow> all;
    for (i32 number = 1; number <= OutputSteps::kCount; ++number) {
      all.push_back(row_of({number}));
    }
    return all;
  }();
  return rows;
}

std::vector<OutputStep> steps_of(OutputKind kind) {
  std::vector<OutputStep> steps;
  for (i32 number = 1; number <= OutputSteps::kCount; ++number) {
    if (OutputSteps::kind_of({number}) == kind) {
      steps.push_back({number});
    }
  }
  return steps;
}

std::string words_of(OutputKind kind) {
  std::vector<std::string> words;
  for (const OutputStep step : steps_of(kind)) {
    words.emplace_back(row_of(step).word);
  }
  return join(words, ", ");
}

std::string to_text(const Epilogue& epilogue) {
  std::vector<std::string> words;
  epilogue.each([&](const StepRow& row) { words.emplace_back(row.word); });
  return words.empty() ? std::string(kNone) : join(words, "+");
}

Epilogue parse_epilogue(std::string_view text) {
  Epilogue epilogue;
  if (lower_case(text) == kNone) {
    return epilogue;
  }
  i32 next = 0;  // kind of the next step
  for (const std::string_view part : split(text, '+')) {
    const std::optional<OutputStep> step = step_named(part);
    if (!step) {
      unknown(text, part);
    }
    if (static_cast<i32>(OutputSteps::kind_of(*step)) < next) {
      misordered(text);
    }
    next = static_cast<i32>(OutputSteps::kind_of(*step)) + 1;
    epilogue.add(*step);
  }
  return epilogue;
}

}  // namespace tilecast
