#include "model/spec/learned_model.h"

#include "model/base/file.h"
#include "model/base/hash.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

/// A model in which every number differs.
LearnedModel example() {
  LearnedModel model{.kinds = {"batches", "ping_pong"}, .rows = 312, .overlay = "0123456789abcdef"};
  double next = 0;
  for (std::size_t f = 0; f < model.features.size(); ++f) {
    next += 0.5;
    model.scale.push_back({{next, next + 0.25}, next / 8, next - 1, next + 1});
  }
  std::size_t index = 0;
  const auto sum = [&](bool usual) {
    LearnedSum made{.level = (next += 0.125) / 100};
    for (int i = 0; i < 2; ++i) {
      Tree& tree = made.trees.emplace_back();
      for (Ramp& split : tree.splits) {
        ++index;
        split = {static_cast<std::uint8_t>(index % model.features.size()),
                 static_cast<std::uint8_t>(index % 2)};
      }
      for (float& leaf : tree.leaves) {
        ++index;
        leaf = static_cast<float>(index) * (index % 2 == 0 ? 1e-4F : -1e-4F);
      }
    }
    round_leaves(made);
    for (std::size_t i = 0; usual && i < feature_groups(model.features).size(); ++i) {
      made.usual.push_back((next += 0.125) / 1000);
    }
    return made;
  };
  const auto method = [&] {
    LearnedMethod made{.cycles = sum(true), .clock = sum(true), .error = sum(false)};
    made.uncorrected = (next += 0.125) / 100;
    for (double& reach : made.reach.each) {
      reach = (next += 0.125) / 40;
    }
    made.reach.wider.push_back({"batches", 1 + (next += 0.125) / 100});
    return made;
  };
  model.analytic = method();
  model.simulated = method();
  return model;
}

void check_equal(const LearnedSum& a, const LearnedSum& b) {
  CHECK(a.level == Approx(b.level).epsilon(1e-4));
  REQUIRE(a.usual.size() == b.usual.size());
  for (std::size_t i = 0; i < a.usual.size(); ++i) {
    CHECK(a.usual[i] == Approx(b.usual[i]).epsilon(1e-3));
  }
  REQUIRE(a.trees.size() == b.trees.size());
  for (std::size_t i = 0; i < a.trees.size(); ++i) {
    for (std::size_t split = 0; split < kSplits; ++split) {
      CHECK(a.trees[i].splits[split].feature == b.trees[i].splits[split].feature);
      CHECK(a.trees[i].splits[split].threshold == b.trees[i].splits[split].threshold);
    }
    for (std::size_t leaf = 0; leaf < kLeaves; ++leaf) {
      CHECK(a.trees[i].leaves[leaf] == Approx(b.trees[i].leaves[leaf]));
    }
  }
}

void check_equal(const LearnedMethod& a, const LearnedMethod& b) {
  check_equal(a.cycles, b.cycles);
  check_equal(a.clock, b.clock);
  check_equal(a.error, b.error);
  CHECK(a.uncorrected == Approx(b.uncorrected).epsilon(1e-3));
  for (const Limiter limiter : kEveryLimiter) {
    CHECK(a.reach.of(limiter, {}) == Approx(b.reach.of(limiter, {})).epsilon(1e-3));
    constexpr std::string_view kKinds[] = {"ping_pong", "batches"};
    CHECK(a.reach.of(limiter, kKinds) == Approx(b.reach.of(limiter, kKinds)).epsilon(1e-3));
    CHECK(a.reach.of(limiter, kKinds) > a.reach.of(limiter, {}));
  }
}

/// Holds the two files, for tests that corrupt them.
class Files {
 public:
  Files() { write(yaml_, csv_); }

  LearnedModel load(const std::string& gpu = "g") const { return load_learned(path(), gpu); }
  /// Returns the error that loading reports, without the folder.
  std::string complaint(const std::string& gpu = "g") const {
    std::string message = ERROR_MESSAGE(load(gpu));
    const std::string folder = path().parent_path().string() + "/";
    for (std::size_t at; (at = message.find(folder)) != std::string::npos;) {
      message.erase(at, folder.size());
    }
    CHECK(!contains(message, '\n'));
    return message;
  }
  /// Returns the error after the first `from` in the YAML became `to`.
  std::string with(const std::string& from, const std::string& to) const {
    write(replaced(yaml_, from, to), csv_);
    return complaint();
  }
  /// Returns the error after the first `from` in the CSV became `to` and the hash was updated.
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
  CHECK(read.rows == written.rows);
  CHECK(read.kinds == written.kinds);
  CHECK(read.prior.empty());
  REQUIRE(read.scale.size() == written.scale.size());
  for (std::size_t f = 0; f < written.scale.size(); ++f) {
    CHECK(read.scale[f].at[1] == Approx(written.scale[f].at[1]).epsilon(1e-3));
    CHECK(read.scale[f].width == Approx(written.scale[f].width).epsilon(1e-3));
    CHECK(read.scale[f].least == Approx(written.scale[f].least).epsilon(1e-5));
    CHECK(read.scale[f].most == Approx(written.scale[f].most).epsilon(1e-5));
  }
  check_equal(read.analytic, written.analytic);
  REQUIRE(read.simulated);
  check_equal(*read.simulated, *written.simulated);
}

TEST_CASE("A correction of the analytic model alone is that of simulations too") {
  LearnedModel model = example();
  model.simulated.reset();
  model.prior = "h200_sxm";
  const TemporaryFolder folder;
  write_file(folder / "g.learned.yaml", learned_yaml("g", model));
  write_file(folder / "g.learned.csv", learned_csv(model));
  const LearnedModel read = load_learned(folder / "g.learned.yaml", "g");
  CHECK_FALSE(read.simulated);
  CHECK(read.prior == "h200_sxm");
  check_equal(read.by_simulation(), model.analytic);
}

TEST_CASE("No feature says which schedule it is, so that a new schedule leaves the files valid") {
  CHECK(feature_index(kGemmFeatures, "schedule") == std::size(kGemmFeatures));
  CHECK(Files().with("ping_pong", "sometime_later").empty());
}

TEST_CASE("Files of another GPU or with other features are an error at their line") {
  const Files files;
  CHECK(files.complaint("h200_sxm") == "2 g.learned.yaml:2: name: expected h200_sxm");
  CHECK(contains(files.with("  dram_share: ", "  dram_part: "), "features.dram_part: unknown key"));
  CHECK(files.with_row("splits", "root") ==
        "2 g.learned.csv:1: expected the columns of this version of tilecast: calibrate again");
}

TEST_CASE("Modified trees are refused by their hash") {
  CHECK(Files()
            .with("trees: \"", "trees: \"1")
            .starts_with("2 g.learned.yaml:4: trees: does not match the hash of g.learned.csv"));
}

TEST_CASE("Implausible numbers are an error at their line") {
  const Files files;
  CHECK(contains(files.with("uncorrected: 0.", "uncorrected: 7"), "analytic.uncorrected: "));
  CHECK(contains(files.with("width: 0.0625", "width: -1"), "width: "));
  CHECK(contains(files.with("epilogue: ", "epilogue: 1000"), "reach.epilogue: "));
  CHECK(contains(files.with("wider: {batches", "wider: {blocks"), "wider.blocks: unknown key"));
  CHECK(contains(files.with("wider: {batches: 1.", "wider: {batches: 0."), "wider.batches: "));
  // The first tree: features 1 to 4, thresholds 1, 0, 1, 0.
  CHECK(files.with_row("\nBBCADBEA,", "\nBCCADBEA,") ==
        "2 g.learned.csv:2: expected a digit less than 2 at character 2, got 'C'");
  CHECK(files.with_row("\nBBCADBEA,", "\n.BCADBEA,").ends_with(" at character 1, got '.'"));
  CHECK(files.with_row("\nBBCADBEA,", "\nBBCADBEA,A") ==
        "2 g.learned.csv:2: expected 8 digits, a comma and 32 digits");
  CHECK(
      contains(files.with_row("\nBBCADBEA,", "\nBBCADBEA," + std::string(32, 'f') + "\nBBCADBEA,"),
               "more trees than expected"));
}

TEST_CASE("Leaves are rounded to a unit in which the largest has two digits") {
  LearnedSum sum{.trees = std::vector<Tree>(1)};
  sum.trees[0].leaves = {0.2047F, -0.1F, 0.00004F, 0.00006F};
  round_leaves(sum);
  CHECK(sum.unit == Approx(1e-4));
  CHECK(sum.trees[0].leaves[0] == Approx(0.2047F));
  CHECK(sum.trees[0].leaves[1] == Approx(-0.1F));
  CHECK(sum.trees[0].leaves[2] == 0);
  CHECK(sum.trees[0].leaves[3] == Approx(0.0001F));
}

TEST_CASE("Missing files are file errors") {
  CHECK(ERROR_MESSAGE(load_learned("/none.learned.yaml", "g")) ==
        "6 /none.learned.yaml: cannot read: No such file or directory");
  const TemporaryFolder folder;
  write_file(folder / "g.learned.yaml", learned_yaml("g", example()));
  const std::string message = ERROR_MESSAGE(load_learned(folder / "g.learned.yaml", "g"));
  CHECK(message.starts_with("6 "));
  CHECK(contains(message, "g.learned.csv: cannot read: "));
}

}  // namespace
}  // namespace tilecast
