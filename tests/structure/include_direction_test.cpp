#include "tests/structure/include_direction.h"

#include <algorithm>
#include <regex>

#include "model/base/file.h"
#include "model/base/text.h"
#include "tests/catch.h"

using tilecast::include_violations;

TEST_CASE("Every include follows the direction of the layers") {
  const auto files = tilecast::source_files(".");
  REQUIRE(files.size() > 50);  // the tree was found
  for (const auto& file : files) {
    if (file.string().starts_with("tests/planted/")) {
      continue;
    }
    for (const std::string& violation :
         include_violations(file.string(), tilecast::read_file(file))) {
      FAIL_CHECK(violation);
    }
  }
}

TEST_CASE("A source includes its own header first, which checks that the header compiles alone") {
  const auto files = tilecast::source_files(".");
  int own = 0;
  for (const auto& file : files) {
    const std::string header = tilecast::own_header(file.string());
    if (std::binary_search(files.begin(), files.end(), std::filesystem::path(header))) {
      ++own;
      INFO(file);
      CHECK(tilecast::first_include(tilecast::read_file(file)) == header);
    }
  }
  CHECK(own > 100);
  CHECK(tilecast::own_header("cli/a_test.cpp") == "cli/a.h");
  CHECK(tilecast::own_header("cli/a.h").empty());
  CHECK(tilecast::first_include("// a.h\n#include <b.h>\n#include \"cli/a.h\"\n") == "b.h");
}

TEST_CASE("Escaping for HTML and for a shell is in one place each") {
  // The replacement text of an escaper for < and for a single quote.
  const std::pair<std::string, std::string> only[] = {{"&lt"
                                                       ";",
                                                       "reports/html_text.cpp"},
                                                      {R"('\\'')", "model/base/shell_text.cpp"}};
  for (const auto& file : tilecast::source_files(".")) {
    const std::string path = file.string();
    for (const auto& [written, escaper] : only) {
      const bool has = !path.ends_with("_test.cpp") &&
                       tilecast::read_file(file).find(written) != std::string::npos;
      INFO(path);
      CHECK(has == (path == escaper));
    }
  }
}

TEST_CASE("Markup is in the report's template, not in code, so that every value is escaped") {
  const auto has_markup = [](const std::string& code) {
    static const std::regex text(R"re("(?:[^"\\\n]|\\.)*")re"), tag("</?[a-zA-Z]");
    return std::any_of(
        std::sregex_iterator(code.begin(), code.end(), text), std::sregex_iterator(),
        [](const std::smatch& found) { return std::regex_search(found.str(), tag); });
  };
  for (const auto& file : tilecast::source_files(".")) {
    const std::string path = file.string();
    if (path.starts_with("reports/") && !path.ends_with("_test.cpp") &&
        path != "reports/html_text.cpp") {
      INFO(path);
      CHECK_FALSE(has_markup(tilecast::read_file(file)));
    }
  }
  CHECK(has_markup("html += \"<td>\" + cell;"));
  CHECK_FALSE(has_markup("row[\"a\"].get<double>() + row[\"b\"];"));
}

TEST_CASE("A header can be included twice") {
  for (const auto& file : tilecast::source_files(".")) {
    if (file.extension() == ".h" || file.extension() == ".cuh") {
      INFO(file);
      CHECK(tilecast::read_file(file).find("\n#pragma once\n") != std::string::npos);
    }
  }
}

TEST_CASE("An include against the direction is found, with its place") {
  const auto found = include_violations("model/gemm/order/planted.h",
                                        "#pragma once\n#include \"model/spec/gpu_spec.h\"\n");
  REQUIRE(found.size() == 1);
  CHECK(found.front() ==
        "model/gemm/order/planted.h:2: model/gemm/order/ may not include model/spec/gpu_spec.h");
  // The same line is allowed one layer above.
  CHECK(include_violations("model/gemm/costs/planted.h", "#include \"model/spec/gpu_spec.h\"\n")
            .empty());
}

TEST_CASE("Layers on the same level do not include each other") {
  const auto violations = [](std::string_view file, std::string_view header) {
    return include_violations(std::string(file), "#include \"" + std::string(header) + "\"").size();
  };
  constexpr std::pair<std::string_view, std::string_view> kRefused[] = {
      {"model/clock/a.cpp", "model/form/b.h"},
      {"model/form/a.cpp", "model/clock/b.h"},
      {"model/form/a.cpp", "model/gemm/order/b.h"},
      {"model/form/a.cpp", "model/gemm/form/b.h"},
      {"model/gemm/sim/a.cpp", "model/gemm/form/b.h"},
      {"model/gemm/form/a.cpp", "model/stream/b.h"},
      {"model/sim/chip/a.cpp", "model/sim/parts/b.h"},
      {"model/sim/chip/a.cpp", "model/gemm/config/b.h"},
      {"model/sim/parts/a.cpp", "model/gemm/sim/kernel/b.h"},
      {"model/gemm/sim/schedules/a.cpp", "model/gemm/sim/b.h"},
      {"model/gemm/sim/kernel/a.cpp", "model/gemm/sim/schedules/b.h"},
      {"validate/measure/a.cpp", "model/predict/b.h"},
      {"validate/measure/a.cpp", "validate/measure/gemm/b.h"},
      {"validate/measure/stream/a.cpp", "validate/measure/gemm/b.h"},
      {"validate/plan/a.cpp", "validate/run/b.h"},
      {"validate/run/a.cpp", "cli/b.h"},
      {"validate/compare/a.cpp", "kernels/b.h"},
      {"validate/compare/a.cpp", "reports/b.h"},
      {"reports/sections/a.cpp", "validate/measure/b.h"},
      {"reports/sections/a.cpp", "cli/b.h"},
      {"cli/a.cpp", "kernels/b.h"},
      {"cli/a.cpp", "cli/gpu_b.h"},
  };
  constexpr std::pair<std::string_view, std::string_view> kAllowed[] = {
      {"model/gemm/form/a.cpp", "model/form/b.h"},
      {"model/gemm/sim/kernel/a.cpp", "model/sim/parts/b.h"},
      {"model/gemm/sim/schedules/a.cpp", "model/gemm/sim/kernel/b.h"},
      {"model/gemm/sim/a.cpp", "model/gemm/sim/schedules/b.h"},
      {"validate/measure/lab_ops.cpp", "validate/measure/gemm/b.h"},
      {"validate/run/a.cpp", "validate/plan/b.h"},
      {"validate/compare/a.cpp", "model/predict/b.h"},
      {"reports/sections/a.cpp", "reports/b.h"},
      {"cli/a.cpp", "reports/b.h"},
      {"cli/probe.cpp", "cli/gpu_b.h"},
      {"cli/gpu_a.cpp", "kernels/b.h"},
  };
  for (const auto& [file, header] : kRefused) {
    INFO(file << " includes " << header);
    CHECK(violations(file, header) == 1);
  }
  for (const auto& [file, header] : kAllowed) {
    INFO(file << " includes " << header);
    CHECK(violations(file, header) == 0);
  }
}

TEST_CASE("Layers shared by all ops name none") {
  constexpr std::string_view kShared[] = {
      "model/sim/engine/", "model/sim/chip/", "model/sim/parts/", "model/form/",
      "model/clock/",      "model/learn/",    "model/rank/"};
  constexpr std::string_view kOfGemm[] = {"Gemm", "gemm", "KernelConfig", "Tiling", "Residual"};
  constexpr std::string_view kLaboratory = "validate/measure/";
  constexpr std::string_view kOfOps[] = {"validate/measure/gemm/", "validate/measure/stream/",
                                         "validate/measure/attention/",
                                         "validate/measure/lab_ops.cpp"};
  for (const auto& file : tilecast::source_files(".")) {
    const std::string path = file.string();
    const auto under = [&](auto folder) { return path.starts_with(folder); };
    if (path.ends_with("_test.cpp") || std::ranges::any_of(kOfOps, under) ||
        (!under(kLaboratory) && std::ranges::none_of(kShared, under))) {
      continue;
    }
    const std::string text = tilecast::read_file(file);
    for (const std::string_view name : kOfGemm) {
      INFO(path << " names " << name);
      CHECK(text.find(name) == std::string::npos);
    }
  }
}

TEST_CASE("Only an op's folder and the tables of ops depend on which op it is") {
  static const std::regex asks(R"([!=]=\s*Op::k|Op::k\w+\s*[!=]=|case Op::k)");
  constexpr std::string_view kTables[] = {"model/op/", "model/ops/", "model/stream/", "tests/"};
  for (const auto& file : tilecast::source_files(".")) {
    const std::string path = file.string();
    if (path.ends_with("_test.cpp") ||
        std::ranges::any_of(kTables, [&](auto folder) { return path.starts_with(folder); })) {
      continue;
    }
    INFO(path);
    CHECK_FALSE(std::regex_search(tilecast::read_file(file), asks));
  }
}

TEST_CASE("Numbers of the model are in configs, in tables or named constants") {
  // A floating literal other than 0, 0.5, 1 and 2, in a statement that declares no constant.
  static const std::regex literal(R"((^|[^\w.])((\d+\.\d*|\.\d+)(e[-+]?\d+)?|\d+e[-+]?\d+))");
  static const std::regex constant(R"(\b(constexpr|const)\b[^()]*\bk[A-Z]\w*\s*[={[])");
  static const std::regex plain(R"(0?\.5|[012]\.0*)");
  static const std::regex ignored(R"re(//[^\n]*|"(?:[^"\\\n]|\\.)*")re");
  const auto numbers_in = [](const std::string& source) {
    std::vector<std::string> found;
    const std::string code = std::regex_replace(source, ignored, "");
    for (const std::string_view statement : tilecast::split(code, ';')) {
      const std::string text(statement);
      if (std::regex_search(text, constant)) {
        continue;
      }
      for (std::sregex_iterator at(text.begin(), text.end(), literal), end; at != end; ++at) {
        if (!std::regex_match((*at)[2].str(), plain)) {
          found.push_back((*at)[2]);
        }
      }
    }
    return found;
  };
  CHECK(numbers_in("double f(double x) { return 1.5 * x; }") == std::vector<std::string>{"1.5"});
  CHECK(numbers_in("x = y * 1e-6; // 3.5") == std::vector<std::string>{"1e-6"});
  CHECK(numbers_in("constexpr double kA = 1.5, kB = 3e5; return 0.5 * x + 2.0 + 1.0;").empty());
  constexpr std::string_view kTables[] = {"model/spec/gpu_fields.cpp",
                                          "model/spec/quantity.cpp",  // ranges, units
                                          "model/gemm/output/"};      // definitions of functions
  for (const auto& file : tilecast::source_files(".")) {
    const std::string path = file.string();
    const std::string name = file.filename().string();
    if (path.starts_with("model/") && !name.ends_with("_test.cpp") &&
        !name.ends_with("_benchmark.cpp") && !name.starts_with("example_") &&
        std::ranges::none_of(kTables, [&](auto table) { return path.starts_with(table); })) {
      for (const std::string& number : numbers_in(tilecast::read_file(file))) {
        FAIL_CHECK(path << ": " << number);
      }
    }
  }
}

TEST_CASE("Only kernels and measurement include CUDA, and only the spec layer yaml-cpp") {
  CHECK(include_violations("model/gemm/order/a.h", "#include <cuda_runtime.h>").size() == 1);
  CHECK(include_violations("cli/a.cpp", "  #  include <cupti.h>").size() == 1);
  CHECK(include_violations("kernels/jit/a.cpp", "#include <nvrtc.h>").empty());
  CHECK(include_violations("validate/measure/a.cpp", "#include <cublasLt.h>").empty());
  CHECK(include_violations("model/predict/a.cpp", "#include <yaml-cpp/yaml.h>").size() == 1);
  CHECK(include_violations("model/spec/a.cpp", "#include <yaml-cpp/yaml.h>").empty());
}

TEST_CASE("A file outside the layers, or an include without its folder, is found") {
  CHECK(include_violations("model/new_layer/a.h", "").size() == 1);
  CHECK(include_violations("model/gemm/order/a.h", "#include \"raster.h\"").size() == 1);
}

TEST_CASE("Test helpers are for tests only, and a test may include the whole model") {
  CHECK(include_violations("kernels/jit/a_test.cpp", "#include \"model/predict/b.h\"").empty());
  CHECK(include_violations("kernels/jit/a.cpp", "#include \"model/predict/b.h\"").size() == 1);
  CHECK(include_violations("kernels/jit/a_test.cpp", "#include \"validate/record/b.h\"").size() ==
        1);
  CHECK(include_violations("model/base/text_test.cpp", "#include \"tests/catch.h\"").empty());
  CHECK(include_violations("model/base/text.cpp", "#include \"tests/catch.h\"").size() == 1);
}
