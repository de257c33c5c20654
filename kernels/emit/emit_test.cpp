// Builds what `emit` writes for every family of schedules, with the command that the file states.
// If there is a GPU, runs the file's check.
#include "kernels/emit/emit.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/emit/source_lines.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/problem/group_rows.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/seed.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

/// A GEMM before conversion to AnyProblem.
struct Gemm {
  GemmProblem problem;
  KernelConfig config;

  operator Emitted() const {
    return {.problem = problem,
            .config = config,
            .gpu = "NVIDIA H200 SXM 141 GB",
            .forecast = Seconds{12.34e-6}};
  }
};

Gemm gemm_of(const std::string& config, GemmShape shape, ElementType dtype, Layout layout,
             const Epilogue& epilogue = {}) {
  return {.problem = {.shape = shape, .dtype = dtype, .layout = layout, .epilogue = epilogue},
          .config = gemm_config(config)};
}

Gemm of_three_products(Gemm gemm) {
  gemm.problem.batch.products = 3;
  return gemm;
}

Gemm with_c_in(ElementType c, Gemm gemm) {
  gemm.problem.c = c;
  return gemm;
}

Gemm in_groups_of(Gemm gemm, const SharedGroupRows& groups) {
  gemm.problem = in_groups(gemm.problem, groups);
  return gemm;
}

Gemm flagship() {
  return gemm_of("ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8", {1000, 520, 512}, ElementType::kFp16,
                 Layout::kTn);
}

Emitted attention(const char* shape, const char* config, bool lse = true) {
  AnyProblem problem = problem_of_shape(Op::kAttention, shape, ElementType::kBf16);
  AttentionProblem& own = std::get<AttentionProblem>(problem);
  own.mask = own.queries > 1 ? AttentionMask::kCausal : AttentionMask::kFull;
  own.lse = lse;
  return {.problem = problem,
          .config = parse_config(config),
          .gpu = "NVIDIA H200 SXM 141 GB",
          .forecast = Seconds{12.34e-6}};
}

/// A GEMM with padded rows, and 511 elements of K.
Gemm strided() {
  Gemm gemm = flagship();
  gemm.problem.shape.k = 511;
  gemm.problem.leading = {520, 512, 528};
  return gemm;
}

}  // namespace

TEST_CASE("A comparison is decided where both sides are known, > of numbers alone") {
  const Constants constants{{"kType", "ElementType::kFp16"}, {"kStages", "4"}};
  CHECK(decided("kStages > 0", constants) == true);
  CHECK(decided("kStages > 4", constants) == false);
  CHECK(decided("kType == ElementType::kFp16", constants) == true);
  CHECK(decided("kType > 0", constants) == std::nullopt);
  CHECK(decided("kStages > kType", constants) == std::nullopt);
  CHECK(decided("kStages > rows", constants) == std::nullopt);
}

TEST_CASE("An emitted file is one source of what its kernel uses") {
  const std::string text = emitted_source(flagship(), "gemm.cu");
  for (const std::string_view line : split(text, '\n')) {
    INFO(line);
    CHECK(!line.starts_with("#include \""));
    CHECK(!line.starts_with("#pragma nv_diag"));
    CHECK((!line.starts_with("#define") || line.starts_with("#define TILECAST_HD ")));
  }
  for (const char* const there : {"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16",
                                  "struct TileScheduler {", "consume(const Args& args"}) {
    CHECK(contains(text, there));
  }
  for (const char* const elsewhere : {"tcgen05.", "Timeline", "class Residual", "m64n128k16",
                                      "bf16x2", "template <class Config"}) {
    CHECK(!contains(text, elsewhere));
  }
}

TEST_CASE("A choice is decided where its whole condition is a constant") {
  const Constants constants{{"kStages", "4"}};
  CHECK(with_decided_choices({"x = kStages > 3 ? a : b;"}, constants) == Lines{"x = a;"});
  const Lines sum{"x = a + 1 > 0 ? a : b;"};  // must not be parsed as 1 > 0
  CHECK(with_decided_choices(sum, constants) == sum);
}

TEST_CASE("Parameters of templates that every use gives one value are bound") {
  const std::string text = emitted_source(flagship(), "gemm.cu");
  CHECK(contains(text, "wgmma_m64k16(float (&d)[Config::kInstructionN / 2]"));
  for (const char* const dead : {"kBStages", "ElementType kType", "kTransposedA,"}) {
    CHECK(!contains(text, dead));
  }
  CHECK(contains(text, "template <int kPending>"));  // the parameter has two values
}

TEST_CASE("A stream has no emitted kernel") {
  CHECK_THROWS_WITH(emitted_file_name(problem_of_shape(Op::kMemcpy, "4096", ElementType::kFp16)),
                    "emit supports only gemm and attention, not memcpy");
}

TEST_CASE("The best kernel of 4096x4096x4096 is emitted in 1,500 lines") {
  const Gemm gemm = gemm_of("ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2d m16", {4096, 4096, 4096},
                            ElementType::kFp16, Layout::kTn);
  const std::string text = emitted_source(gemm, "gemm.cu");
  CHECK(std::ranges::count(text, '\n') <= 1500);
}

TEST_CASE("Its first comment says what it computes, how it is built, and what each choice means") {
  const std::string text = emitted_source(flagship(), "gemm.cu");
  CHECK(text.starts_with("// gemm.cu: C[1000,520] = A[1000,512] B, fp16 with sums in fp32"));
  CHECK(contains(text, "12.34 us"));
  CHECK(contains(text, "//   " + build_line(flagship(), "gemm.cu") + "\n"));
  CHECK(!contains(text, "//   " + to_text(flagship().config)));  // printed outside the list
  CHECK(contains(text, "// " + to_text(flagship().config) + "\n"));
  CHECK(contains(text, "//   stages=4 "));
  CHECK(contains(text, "kTiling = {.block_m = 128, "));
  CHECK(contains(text, "{RasterKind::kGroupedM, 8, Walk::kStrided}"));
  CHECK(contains(text, "// Configuration: line "));
  CHECK(contains(text, "//   walk=strided "));
  const std::string rows = emitted_source(strided(), "gemm.cu");
  CHECK(contains(rows, ", lda=520 ldb=512 ldc=528.\n"));
  CHECK(contains(rows, "constexpr i64 kLdc = 528;\n"));
}

TEST_CASE("A kernel of each schedule is emitted for a GPU that has it") {
  for (const char* const name : {"h200_sxm", "b200", "a100_sxm80"}) {
    const GpuSpec gpu = load_gpu(name, false).spec;
    for (const Schedule schedule : menu_schedules(gpu, true)) {
      CAPTURE(name, to_text(schedule));
      const GemmShape shape =
          schedule == Schedule::kSmallMma ? GemmShape{64, 256, 64} : GemmShape{1024, 1024, 1024};
      const GemmProblem problem{.shape = shape, .dtype = ElementType::kBf16};
      const auto candidates = enumerate_candidates(gpu, problem, {schedule});
      REQUIRE(!candidates.legal.empty());
      const std::string text = emitted_source({problem, candidates.legal.front()}, "gemm.cu");
      CHECK(contains(text, "args.c_pointer = buffers.c;"));
    }
  }
}

TEST_CASE("nvcc builds what is emitted of every family of schedules, and it checks itself") {
  const std::string nvcc = TILECAST_NVCC;
  if (nvcc.empty()) {
    SUCCEED("no nvcc on this machine: nothing is built");
    return;
  }
  constexpr ElementType kFp16 = ElementType::kFp16, kBf16 = ElementType::kBf16;
  const Emitted emitted[] = {
      flagship(),
      strided(),
      gemm_of("sm 64x256x64 s1 w1x1 c1x1 o1 i0 e0 m1 rs in8", {64, 256, 64}, kFp16, Layout::kTn),
      gemm_of("bp 128x256x64 s2 w2x1 c1x1 o1 i1 e0 h", {300, 512, 128}, kBf16, Layout::kNn),
      of_three_products(
          gemm_of("ws 128x256x64 s4 w2x1 c1x2 o1 i1 e2 m8", {1000, 520, 333}, kBf16, Layout::kNt)),
      in_groups_of(
          gemm_of("pp 128x128x64 s4 w1x1 c2x1 o1 i1 e2 m8", {0, 520, 328}, kBf16, Layout::kNn),
          GroupRows::of({256, 0, 17, 300})),
      in_groups_of(gemm_of("ws 128x192x128 s3 w2x1 c1x1 o1 i0 e2 m8", {0, 1000, 1040},
                           ElementType::kE4m3, Layout::kTn, {step<ScaleBlock>()}),
                   GroupRows::of({64, 0, 17, 100}, 128)),
      in_groups_of(
          gemm_of("ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8", {1000, 520, 0}, kBf16, Layout::kNt),
          GroupRows::of({256, 0, 17, 300}, 0, GroupSide::kK)),
      gemm_of("po 128x256x64 s3 w2x1 c1x1 o1 i1 e0 m8", {1000, 1001, 256}, kBf16, Layout::kTn),
      gemm_of("skh 64x256x32 s4 w1x1 c1x1 o1 i1 e1 m8 k4+a", {1024, 2560, 1024}, kFp16,
              Layout::kTn),
      gemm_of("pp 64x192x128 s6 w1x1 c2x1 o1 i1 e2 m8", {1000, 1000, 1040}, ElementType::kE4m3,
              Layout::kTn),
      gemm_of("ws 128x192x128 s4 w2x1 c2x1 o1 i0 e2 m8", {1000, 1000, 1040}, ElementType::kE4m3,
              Layout::kTn, {step<BiasN>(), step<Silu>(), step<ScaleBlock>()}),
      gemm_of("sp 128x128x128 s4 w2x1 c1x1 o1 i1 e2 m8 k3s", {300, 520, 4096}, ElementType::kE5m2,
              Layout::kTn, {step<ScaleRow>()}),
      gemm_of("ws 128x168x64 s5 w2x1 c1x1 o1 i1 e2 m8", {256, 11008, 512}, kBf16, Layout::kTn),
      gemm_of("ws 128x72x64 s5 w2x1 c1x1 o1 i1 e2 m8 x", {72, 1024, 512}, kBf16, Layout::kTn),
      gemm_of("pi 64x72x64 s4 w1x1 c1x1 o1 i1 e2 n8 x", {72, 1000, 520}, kBf16, Layout::kNn),
      gemm_of("ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8", {1000, 520, 512}, kBf16, Layout::kTn,
              parse_epilogue("bias_n+gelu+residual")),
      with_c_in(ElementType::kFp32,
                gemm_of("pp 128x128x64 s4 w1x1 c2x1 o1 i1 e1 m8", {1000, 1001, 512}, kBf16,
                        Layout::kTn, parse_epilogue("residual"))),
      gemm_of("ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8", {1000, 1040, 512}, kFp16, Layout::kTn,
              parse_epilogue("swiglu+amax")),
      with_c_in(ElementType::kE4m3, gemm_of("pp 64x192x128 s6 w1x1 c2x1 o1 i1 e2 m8",
                                            {1000, 1040, 1040}, ElementType::kE4m3, Layout::kTn,
                                            parse_epilogue("scale_row+silu+amax+scale_c"))),
      gemm_of("t5wst 128x256x64 s4 w1x1 c2x1 o1 i1 e2 m8 a2", {1024, 1024, 512}, kBf16,
              Layout::kTn),
      gemm_of("ms 128x128x32 s4 w1x2 c1x1 o1 i0 e0 m8", {1000, 520, 512}, kBf16, Layout::kTn),
      of_three_products(gemm_of("mssk 128x64x64 s3 w2x1 c1x1 o1 i0 e0 m8 k2t", {300, 520, 1024},
                                kFp16, Layout::kNn)),
      attention("1x16x200x300x128",
                "attention_overlap:tile=128x176,stages=2,ctas=1,grid=resident,order=longest_first,"
                "splits=1,pack=no"),
      attention("4x8:2x256x256x64",
                "attention_ping_pong:tile=128x128,stages=3,ctas=1,grid=resident,order=dynamic,"
                "splits=1,pack=no"),
      attention("1x4x100x100x256",
                "attention_specialized:tile=128x64,stages=2,ctas=1,grid=tiles,order=static,"
                "splits=1,pack=no",
                false),
      attention("2x8:2x1x512x128",
                "attention_single:tile=64x64,stages=2,ctas=2,grid=tiles,order=static,splits=4,"
                "pack=yes"),
      attention("2x8:2x1x512x64",
                "attention_single:tile=64x64,stages=2,ctas=1,grid=clusters,order=static,splits=4,"
                "pack=yes",
                false)};
  Turns turns("emitted families to build", 6);  // and the first family
  for (const Emitted& one : emitted) {
    if (&one != emitted && !turns.due()) {
      continue;
    }
    const TemporaryFolder folder;
    write_file(folder / "gemm.cu", emitted_source(one, "gemm.cu"));
    std::string command = build_line(one, "gemm.cu");
    command.replace(0, std::string("nvcc").size(),
                    "'" + nvcc + "' -Xcompiler -Wall,-Wextra -Werror all-warnings");
    const std::string log = (folder / "log").string();
    const int status = std::system(
        ("cd '" + (folder / "").string() + "' && (" + command + ") >'" + log + "' 2>&1").c_str());
    INFO(to_text(one.config) << "\n" << read_file(log));
    CHECK(std::filesystem::exists(folder / "gemm"));
    REQUIRE(WIFEXITED(status));
    constexpr int kNoSuchGpu = 3;
    CHECK((WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kNoSuchGpu));
    CHECK(!contains(read_file(log), "warning"));
  }
}

}  // namespace tilecast
