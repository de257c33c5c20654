#include "library/tuned_file.h"

#include <fmt/format.h>

#include <mutex>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/ops/any_op.h"

namespace tilecast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCandidates = "candidates";

TunedCandidate read_candidate(const Json& json) {
  const TunedCandidate candidate{json.at("config"), json.at("forecast_us"), json.at("measured_us")};
  (void)parse_config(candidate.config);
  refuse_if(!(candidate.forecast_us > 0 && candidate.measured_us > 0),
            "forecast_us and measured_us must be above 0");
  return candidate;
}

TunedProblem read_line(std::string_view text) {
  Json json = Json::parse(text);
  TunedProblem problem;
  for (const Json& candidate : json.at(kCandidates)) {
    problem.candidates.push_back(read_candidate(candidate));
  }
  refuse_if(problem.candidates.empty(), "candidates: expected at least one");
  json.erase(kCandidates);
  problem.key = json.dump();
  return problem;
}

std::string text_of(const TunedProblem& problem) {
  Json json = Json::parse(problem.key);
  for (const TunedCandidate& candidate : problem.candidates) {
    json[kCandidates].push_back({{"config", candidate.config},
                                 {"forecast_us", candidate.forecast_us},
                                 {"measured_us", candidate.measured_us}});
  }
  return json.dump() + '\n';
}

Json key_of(const AnyProblem& problem, const std::string& device, int driver) {
  Json key{{"device", device},
           {"driver", driver},
           {"library", TILECAST_LIBRARY_VERSION},
           {"problem", to_text(problem)}};
  return key;
}

}  // namespace

std::string tuned_key(const GemmRequest& request, const std::string& device, int driver) {
  Json key = key_of(request.problem, device, driver);
  key["strides"] = {request.a_matrix_stride, request.b_matrix_stride, request.c_matrix_stride};
  key["lda"] = given_row(request.problem.leading.a, sides_of_a(request.problem));
  key["ldb"] = given_row(request.problem.leading.b, sides_of_b(request.problem));
  key["ld_scale"] = {request.a_scale_stride, request.b_scale_stride};
  key["epilogue"] = request.scale == SumScale::kAlphaBeta ? "scaled" : "none";
  if (request.programmatic) {  // consecutive runs of a candidate then overlap
    key["programmatic"] = true;
  }
  return key.dump();
}

std::string tuned_key(const AttentionRequest& request, const std::string& device, int driver) {
  Json key = key_of(request.problem, device, driver);
  for (const AttentionStrides& strides : {request.q, request.k, request.v, request.o}) {
    key["strides"].push_back({strides.batch, strides.head, strides.row});
  }
  return key.dump();
}

std::vector<TunedProblem> read_tuned(const std::filesystem::path& file) {
  std::vector<TunedProblem> lines;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return lines;
  }
  const std::string text = read_text(file);
  int number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty()) {
      continue;
    }
    const auto fail = [&](const char* why) {
      throw ConfigError(
          fmt::format("{}:{}: expected a line written by tuning: {}", file.string(), number, why));
    };
    try {
      lines.push_back(read_line(line));
    } catch (const Json::exception&) {
      fail("not JSON, or a field is missing or has another type");
    } catch (const ConfigError& error) {
      fail(error.what());
    }
  }
  return lines;
}

void remember_tuned(const std::filesystem::path& file, const TunedProblem& problem) {
  static std::mutex mutex;  // excludes the process's other threads
  const std::lock_guard lock(mutex);
  std::string text;
  for (const TunedProblem& known : read_tuned(file)) {
    text += known.key == problem.key ? "" : text_of(known);
  }
  write_file(file, text + text_of(problem));
}

}  // namespace tilecast
