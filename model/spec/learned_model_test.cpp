#include "model/spec/learned_model.h"

#include <algorithm>

#include "model/base/file.h"
#include "model/base/hash.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

/// A model in which every number differs.
LearnedModel example() {
  LearnedModel model{.noise = 0.375, .overlay = "0123456789abcdef"};
  double next = 0;
  for (double& length : model.length) {
    length = next += 0.5;
  }
  for (const Regime regime : {Regime::kBurst, Regime::kSustained}) {
    LearnedRow row{.problem = regime == Regime::kBurst ? "64x128x256" : "64x128x256 bf16 nn",
                   .config = "ping_pong:tile=64x128x64,stages=4",
                   .regime = regime,
                   .near_best = regime == Regime::kBurst,
                   .features = {}};
    for (double& feature : row.features) {
      feature = next += 0.25;
    }
    model.rows.push_back(row);
  }
  for (LearnedMethod* method : {&model.analytic, &model.simulated}) {
    for (LearnedOutput* output : {&method->cycles, &method->clock}) {
      next += 0.125;
      *output = {0.01 * next, {0.001 * next, -0.5}, {next, -next}};
    }
    for (double& reach : method->reach.each) {
      reach = (next += 0.125) / 40;
    }
  }
  return model;
}

void check_equal(const LearnedMethod& a, const LearnedMethod& b) {
  for (const auto& [x, y] : {std::pair(&a.cycles, &b.cycles), std::pair(&a.clock, &b.clock)}) {
    CHECK(x->spread == Approx(y->spread).epsilon(1e-4));
    REQUIRE(x->off.size() == y->off.size());
    for (std::size_t i = 0; i < x->off.size(); ++i) {
      CHECK(x->off[i] == Approx(y->off[i]).epsilon(1e-3));
      CHECK(x->weight[i] == Approx(y->weight[i]).epsilon(1e-5));
    }
  }
  for (const Limiter limiter : kEveryLimiter) {
    CHECK(a.reach.of(limiter) == Approx(b.reach.of(limiter)).epsilon(1e-3));
  }
}

/// Holds the two files, for tests that corrupt them.
class Files {
 public:
  Files() { write(yaml_, csv_); }

  LearnedModel load(const std::string& gpu = "g") const { return load_learned(path(), gpu); }
  /// Returns the error that loading reports, without the folder.
  std::string complaint(const std::string& gpu = "g") const {
    std::string message = error_message([&] { load(gpu); });
    const std::string folder = path().parent_path().string() + "/";
    for (std::size_t at; (at = message.find(folder)) != std::string::npos;) {
      message.erase(at, folder.size());
    }
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
  /// Returns the error after the first `from` in the YAML was replaced by `to`.
  std::string with(const std::string& from, const std::string& to) const {
    write(replaced(yaml_, from, to), csv_);
    return complaint();
  }
  /// Returns the error after the first `from` in the CSV was replaced by `to` and the hash was
  /// updated.
  std::string with_row(const std::string& from, const std::string& to) const {
    const std::string csv = replaced(csv_, from, to);
    write(replaced(yaml_, hash_text(csv_), hash_text(csv)), csv);
    return complaint();
  }

 private:
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  }
  std::filesystem::path path() const { return folder_ / "g.learned.yaml"; }
  void write(const std::string& yaml, const std::string& csv) const {
    write_file(path(), yaml);
    write_file(folder_ / "g.learned.csv", csv);
  }

  TemporaryFolder folder_;
  std::string yaml_ = learned_yaml("g", example()), csv_ = learned_csv(example());
};

TEST_CASE("A learned correction is read back as it was written") {
  const LearnedModel written = example(), read = Files().load();
  CHECK(read.overlay == written.overlay);
  CHECK(read.noise == written.noise);
  for (std::size_t f = 0; f < written.length.size(); ++f) {
    CHECK(read.length[f] == Approx(written.length[f]).epsilon(1e-3));
  }
  REQUIRE(read.rows.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(read.rows[i].problem == written.rows[i].problem);
    CHECK(read.rows[i].config == written.rows[i].config);
    CHECK(read.rows[i].regime == written.rows[i].regime);
    CHECK(read.rows[i].near_best == written.rows[i].near_best);
    for (std::size_t f = 0; f < written.length.size(); ++f) {
      CHECK(read.rows[i].features[f] == Approx(written.rows[i].features[f]).epsilon(1e-3));
    }
  }
  check_equal(read.analytic, written.analytic);
  check_equal(read.simulated, written.simulated);
}

TEST_CASE("Rows of another GPU are kept apart from a GPU's own, in the file too") {
  LearnedModel model = example();
  CHECK_FALSE(of_prior(model, 1));
  CHECK(learned_yaml("g", model).find("prior") == std::string::npos);
  model.prior = {"h200_sxm", 1, 16};
  CHECK_FALSE(of_prior(model, 0));
  CHECK(of_prior(model, 1));
  const TemporaryFolder folder;
  const auto load = [&](const std::string& yaml) {
    write_file(folder / "g.learned.yaml", yaml);
    write_file(folder / "g.learned.csv", learned_csv(model));
    return load_learned(folder / "g.learned.yaml", "g");
  };
  const std::string text = learned_yaml("g", model);
  const LearnedModel read = load(text);
  CHECK(read.prior.gpu == "h200_sxm");
  CHECK(read.prior.rows == 1);
  CHECK(read.prior.noise == 16);
  for (const auto& [from, to] : {std::pair("rows: 1,", "rows: 3,"),
                                 {"rows: 1,", "rows: 0,"},
                                 {"noise: 16", "noise: 0.5"},
                                 {"gpu: h200_sxm, ", ""}}) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), std::string(from).size(), to);
    CHECK(error_message([&] { load(damaged); }).find("g.learned.yaml:5: prior") !=
          std::string::npos);
  }
}

TEST_CASE("No feature says which schedule it is, so that a new schedule leaves the files valid") {
  CHECK(std::ranges::find(kGemmFeatures, "schedule") == std::end(kGemmFeatures));
  CHECK(learned_yaml("g", example()).find("ping_pong") == std::string::npos);
  // The configuration of a row is only a label, so an unknown schedule is accepted.
  CHECK(Files().with_row("ping_pong:", "sometime_later:").empty());
}

TEST_CASE("Files of another GPU or with other features are an error at their line") {
  const Files files;
  // Line 1 is a comment; lines 2 to 5 are the name, the overlay, the rows and the lengths.
  CHECK(files.complaint("h200_sxm") == "2 g.learned.yaml:2: name: expected h200_sxm");
  CHECK(files.with("  dram_share: ", "  dram_part: ").find("lengths.dram_part: unknown key") !=
        std::string::npos);
  CHECK(files.with("  simulated_operand_rate: 1\n", "").find("lengths.simulated_operand_rate") !=
        std::string::npos);
  CHECK(files.with_row("simulated_operand_rate", "tensor_part") ==
        "2 g.learned.csv:1: expected the columns of this version of tilecast: calibrate again");
}

TEST_CASE("Modified rows are refused by their hash") {
  const Files files;
  CHECK(files.with("rows: \"", "rows: \"1")
            .starts_with("2 g.learned.yaml:4: rows: does not match the hash of g.learned.csv"));
}

TEST_CASE("Implausible numbers are an error at their line") {
  const Files files;
  CHECK(files.with("simulated_operand_rate: 1", "simulated_operand_rate: 0")
            .find("lengths.simulated_operand_rate: ") != std::string::npos);
  CHECK(files.with("simulated_operand_rate: 1", "simulated_operand_rate: nan")
            .find("lengths.simulated_operand_rate: ") != std::string::npos);
  CHECK(files.with("spread: 0.", "spread: 7").find("analytic.cycles.spread: ") !=
        std::string::npos);
  CHECK(files.with("noise: 0.", "noise: -1.").find(": noise") != std::string::npos);
  CHECK(files.with("epilogue: ", "epilogue: 1000").find("reach.epilogue: ") != std::string::npos);
  // The number after near_best is the first row's measured error.
  CHECK(
      files.with_row("burst,1,", "burst,1,1e9")
          .starts_with("2 g.learned.csv:2: off: expected a number of magnitude up to 3, got '1e9"));
  CHECK(files.with_row("burst,1,", "burst,2,").find(":2: near_best: expected") !=
        std::string::npos);
  CHECK(files.with_row(",burst,", ",brust,") ==
        "2 g.learned.csv:2: regime: expected burst or sustained");
  CHECK(files.with_row("\n\"64x128x256 bf16", ",9\n\"64x128x256 bf16") ==
        "2 g.learned.csv:2: more fields than columns");
}

TEST_CASE("Missing files are file errors") {
  CHECK(error_message([] { load_learned("/none.learned.yaml", "g"); }) ==
        "6 /none.learned.yaml: cannot read: No such file or directory");
  const TemporaryFolder folder;
  write_file(folder / "g.learned.yaml", learned_yaml("g", example()));
  const std::string message = error_message([&] { load_learned(folder / "g.learned.yaml", "g"); });
  CHECK(message.starts_with("6 "));
  CHECK(message.find("g.learned.csv: cannot read: ") != std::string::npos);
}

}  // namespace
}  // namespace tilecast
