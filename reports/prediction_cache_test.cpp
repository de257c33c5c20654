#include "reports/prediction_cache.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "model/base/file.h"
#include "model/gemm/rules/compiler_rejections.h"
#include "model/predict/predict.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"
#include "validate/compare/example_points.h"

using namespace tilecast;

namespace {

const AnyProblem kProblem = GemmProblem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};

/// Counts calls of the predictor.
struct Counted {
  int times = 0;
  Predictor predictor() {
    return
        [this](const AnyProblem& problem, const AnyConfig& config, Regime regime, Inputs inputs) {
          ++times;
          static const LoadedGpu gpu = load_gpu("h200_sxm", true);
          return predict_config(gpu.spec, problem, config, regime, inputs);
        };
  }
};

Prediction ask(PredictionCache& cache, Counted& counted, u64 base = 1,
               Regime regime = Regime::kBurst) {
  return cache.get(base, kProblem, example_config(4), regime, Inputs::kNormal, counted.predictor());
}

std::ptrdiff_t lines_of(const std::filesystem::path& file) {
  return std::ranges::count(read_file(file), '\n');
}

}  // namespace

TEST_CASE("A prediction is computed once, and read back bit by bit") {
  const TemporaryFolder folder;
  Counted counted;
  PredictionCache first(folder / "new/p.csv");
  const Prediction made = ask(first, counted);
  ask(first, counted);
  CHECK(counted.times == 1);
  PredictionCache second(folder / "new/p.csv");
  const Prediction read = ask(second, counted);
  CHECK(counted.times == 1);
  CHECK(read.time == made.time);
  CHECK(read.cycles == made.cycles);
  CHECK(read.closed_form_time == made.closed_form_time);
  CHECK(read.closed_form_time > Seconds{0});
  CHECK(read.limiter == made.limiter);
  CHECK(read.shares.dram == made.shares.dram);
  CHECK(read.l2_hit_rate == made.l2_hit_rate);
  CHECK(read.cycles_correction == made.cycles_correction);
  CHECK(read.cycles_correction != 1);
  CHECK(read.clock_correction == made.clock_correction);
  CHECK(read.config == made.config);
}

TEST_CASE("Predictions are appended to the file as soon as they are computed") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "p.csv";
  Counted counted;
  {
    PredictionCache first(file);
    ask(first, counted, 1);
    ask(first, counted, 2);
    CHECK(lines_of(file) == 3);  // including the header
  }
  // A full disk truncates the last line; then one more prediction follows.
  const std::string stored = read_file(file);
  write_file(file, stored.substr(0, stored.size() - 9));
  PredictionCache second(file);
  ask(second, counted, 3);
  CHECK(counted.times == 3);
  PredictionCache third(file);
  ask(third, counted, 3);
  CHECK(counted.times == 3);
  CHECK(lines_of(file) == 3);
}

TEST_CASE("Predictions stored with other fields are computed again") {
  const TemporaryFolder folder;
  write_file(folder / "p.csv", "key,method,time\n1,0,2\n");
  PredictionCache cache(folder / "p.csv");
  Counted counted;
  ask(cache, counted);
  CHECK(counted.times == 1);
  CHECK(lines_of(folder / "p.csv") == 2);
}

TEST_CASE("Another model, GPU or regime has another key") {
  Counted counted;
  PredictionCache cache("");
  ask(cache, counted, 1);
  ask(cache, counted, 2);
  ask(cache, counted, 1, Regime::kSustained);
  CHECK(counted.times == 3);
  LoadedGpu gpu = load_gpu("h200_sxm", true);
  const u64 base = base_of(gpu, "a");
  CHECK(base_of(gpu, "a") == base);
  CHECK(base_of(gpu, "b") != base);
  gpu.constants.front().value += 1;
  CHECK(base_of(gpu, "a") != base);
}

TEST_CASE("Another learned correction or compiler rejection has another key") {
  const LoadedGpu gpu = load_gpu("h200_sxm", true);
  REQUIRE(gpu.spec.learned != nullptr);
  REQUIRE(!gpu.spec.compiler_rejections->empty());
  const u64 base = base_of(gpu, "a");
  LoadedGpu without = gpu;
  without.spec.learned = nullptr;
  CHECK(base_of(without, "a") != base);
  LoadedGpu other = gpu;
  LearnedModel learned = *gpu.spec.learned;
  learned.simulated.reach.each.front() *= 1.5;
  other.spec.learned = std::make_shared<const LearnedModel>(learned);
  CHECK(base_of(other, "a") != base);
  const auto with = [&gpu](VariantPart part, i32 value) {
    std::vector<CompilerRejection> rejections = *gpu.spec.compiler_rejections;
    rejections.front()[part] = value;
    LoadedGpu changed = gpu;
    changed.spec.compiler_rejections =
        std::make_shared<const std::vector<CompilerRejection>>(std::move(rejections));
    return changed;
  };
  CHECK(base_of(with(VariantPart::kLayout, static_cast<i32>(Layout::kNn)), "a") !=
        base_of(with(VariantPart::kDtype, static_cast<i32>(ElementType::kBf16)), "a"));
}

TEST_CASE("Concurrent threads lose no prediction and store none twice") {
  constexpr std::size_t kThreads = 4, kShapes = 1000;
  const Predictor predict = [](const AnyProblem&, const AnyConfig& config, Regime, Inputs) {
    Prediction prediction{};
    prediction.config = config;
    return prediction;
  };
  const TemporaryFolder folder;
  PredictionCache cache(folder / "p.csv");
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&cache, &predict] {
      for (std::size_t i = 1; i <= kShapes; ++i) {
        const GemmProblem problem{{static_cast<i64>(i), 8, 8}, ElementType::kFp16, Layout::kTn};
        cache.get(1, problem, example_config(4), Regime::kBurst, Inputs::kNormal, predict);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(lines_of(folder / "p.csv") == kShapes + 1);
}

TEST_CASE("A damaged cache is an error that names the line") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "p.csv";
  Counted counted;
  PredictionCache cache(file);
  ask(cache, counted);
  const std::string text = read_file(file);
  const auto error_of = [&](const std::string& content) {
    write_file(file, content);
    return error_message([&] { PredictionCache{file}; });
  };
  const std::string where = "2 " + file.string();
  CHECK(error_of("a,b\n").starts_with(where + ":1: "));
  CHECK(error_of(text + "0123,4,x").empty());  // truncated: dropped
  CHECK(error_of(text + "0123,4,x\n").starts_with(where + ":3: "));
}
