// Compares the hash of the machine code of a sample of kernels with the committed hash for each
// toolkit, family and revision (revision_sample.csv), so that every change is noticed.
#include "kernels/revision.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>

#include "kernels/emit/emit.h"
#include "kernels/jit/attention_source.h"
#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/gemm_source.h"
#include "kernels/jit/stream_launch.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "model/base/text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/stream/stream_config_text.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

constexpr const char* kCommitted = "kernels/revision_sample.csv";

template <class T>
T read_at(std::string_view bytes, std::size_t at) {
  REQUIRE(at + sizeof(T) <= bytes.size());
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// Hash of the sections `.text.*`.
std::string code_hash(std::string_view cubin) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  const auto section = [&](std::size_t index) {
    return read_at<Elf64_Shdr>(cubin, header.e_shoff + index * header.e_shentsize);
  };
  const std::string_view names = cubin.substr(section(header.e_shstrndx).sh_offset);
  u64 hash = kHashSeed;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr found = section(i);
    if (names.substr(found.sh_name).starts_with(".text.")) {
      hash = hash_of(cubin.substr(found.sh_offset, found.sh_size), hash);
    }
  }
  REQUIRE(hash != kHashSeed);
  return fmt::format("{:016x}", hash);
}

/// CUDA version as the cubin's notes state it: "13.0.88".
std::string toolkit_of(std::string_view cubin) {
  constexpr std::string_view kBefore = ", V";
  const std::size_t at = cubin.find(kBefore, cubin.find("Cuda compilation tools"));
  REQUIRE(at != std::string_view::npos);
  const std::string_view version = cubin.substr(at + kBefore.size());
  return std::string(version.substr(0, version.find_first_not_of("0123456789.")));
}

struct Sampled {
  std::string name, family;
  i64 revision;
  KernelSource source;
  AnyProblem problem;
  AnyConfig config;
};

std::vector<Sampled> sampled_kernels() {
  std::vector<Sampled> sampled;
  const auto gemm = [&](const char* name, const char* text, const GemmProblem& problem) {
    const KernelConfig config = gemm_config(text);
    sampled.push_back({name, uses_tcgen05(config.schedule) ? "tcgen05" : "gemm",
                       kernel_revision(to_text(config), has_wider_boxes(config, problem)),
                       gemm_source(config, ProblemKind::of(problem)), problem, config});
  };
  const auto stream = [&](const char* name, const char* text) {
    const StreamConfig config = parse_stream_config(text);
    sampled.push_back({name, "stream", kernel_revision(text, false),
                       stream_source(config, ElementType::kFp16), StreamProblem{}, config});
  };
  const GemmProblem fp16{
      .shape = {512, 512, 512}, .dtype = ElementType::kFp16, .layout = Layout::kTn};
  GemmProblem fused = fp16, residual = fp16, exact = fp16, batched = fp16, nn = fp16, nt = fp16;
  fused.epilogue = {step<BiasN>(), step<Gelu>()};
  residual.epilogue.add(step<Residual>());
  exact.dtype = ElementType::kE4m3;
  exact.c = ElementType::kBf16;
  exact.accumulate = Accumulate::kExact;
  batched.batch.products = 2;
  nn.dtype = nt.dtype = ElementType::kBf16;
  nn.layout = Layout::kNn;
  nt.layout = Layout::kNt;
  const GemmProblem grouped = in_groups(fp16, GroupRows::of({256, 256}));
  const GemmProblem along_k = in_groups(nt, GroupRows::of({256, 256}, 0, GroupSide::kK));
  gemm("blocked", "bl 64x64x64 s1 w1x1 c1x1 o2 i0 e0 m8", batched);
  gemm("pipelined", "pi 64x64x64 s3 w1x1 c1x1 o2 i1 e0 m8", fused);
  gemm("persistent_overlap", "po 64x64x64 s4 w1x1 c2x1 o1 i1 e1 h", nn);
  constexpr const char* kWarpSpecialized = "ws 64x64x64 s4 w1x1 c1x1 o1 i1 e1 m8";
  gemm("warp_specialized", kWarpSpecialized, fp16);
  gemm("warp_specialized residual", kWarpSpecialized, residual);
  gemm("warp_specialized groups", kWarpSpecialized, grouped);
  gemm("warp_specialized exact", "ws 64x64x128 s4 w1x1 c1x1 o1 i0 e1 m8", exact);
  gemm("ping_pong groups_k", "pp 64x64x64 s4 w1x1 c1x1 o1 i1 e1 m8", along_k);
  gemm("split_k", "sp 64x64x64 s4 w1x1 c1x1 o1 i1 e1 m8 k2s", fp16);
  gemm("tcgen05_pipelined", "t5pi 128x64x64 s3 w1x1 c2x1 o2 i1 e0 m8", fp16);
  stream("memcpy_tma", "memcpy_tma:block=1x1024,stages=4,warps=1,ctas=4,order=tickets,hint=none");
  stream("elementwise_add",
         "elementwise_add:block=32x64,warps=4,vector=2,ctas=4,view=matrix,order=bands,hint=none");
  return sampled;
}

}  // namespace

TEST_CASE("Kernels with clusters and with wider boxes of C have revisions of their own") {
  CHECK(kernel_revision("ping_pong:tile=128x192x64,stages=4,cluster=1x1", false) == 1);
  CHECK(kernel_revision("ping_pong:tile=128x176x64,stages=4,cluster=1x1", true) == 2);
  CHECK(kernel_revision("ping_pong:tile=128x176x64,stages=4,cluster=2x1", true) == 3);
  CHECK(kernel_revision("ping_pong:tile=128x168x64,stages=4,cluster=2x1", false) == 2);
  CHECK(nanoseconds_saved("ping_pong:tile=128x176x64,stages=4,cluster=2x1", 1) == 450);
  CHECK(nanoseconds_saved("ping_pong:tile=128x176x64,stages=4,cluster=2x1", 2) == 0);
}

TEST_CASE("Boxes of C are wider where the kernel stores 16-bit sums in boxes of several widths") {
  const GemmProblem plain{.dtype = ElementType::kFp16};
  GemmProblem residual = plain, gated = plain, fp8 = plain, fp32 = plain;
  residual.epilogue.add(step<Residual>());
  gated.epilogue.add(step<Swiglu>());
  fp8.dtype = fp8.c = ElementType::kE4m3;
  fp32.c = ElementType::kFp32;
  const auto wider = [](const char* config, const GemmProblem& problem) {
    return has_wider_boxes(gemm_config(config), problem);
  };
  constexpr const char* k176 = "pp 128x176x64 s4 w1x1 c1x1 o1 i1 e2 m8";
  CHECK(wider(k176, plain));
  CHECK(!wider(k176, residual));
  CHECK(!wider(k176, gated));
  CHECK(!wider(k176, fp8));
  CHECK(!wider(k176, fp32));
  CHECK(!wider("pp 128x192x64 s4 w1x1 c1x1 o1 i1 e2 m8", plain));
  CHECK(!wider("pp 128x168x64 s4 w1x1 c1x1 o1 i1 e2 m8", plain));  // 40 columns before, too
  CHECK(!wider("pp 128x96x64 s4 w1x1 c1x1 o1 i1 e2 m8", plain));   // three boxes of 32, as before
  CHECK(!wider("pi 128x32x64 s4 w2x1 c1x1 o1 i1 e2 m8", plain));
  CHECK(wider("pi 192x224x64 s3 w1x2 c1x1 o1 i1 e2 m8", plain));  // 112 columns a warpgroup
}

TEST_CASE("Sampled kernels keep their machine code while their family keeps its revision") {
  std::map<std::string, std::string>
      committed;  // committed hash by toolkit, family, revision and kernel
  const std::string text = read_file(kCommitted);
  for (const std::string_view line : split(text, '\n')) {
    committed.emplace(line.substr(0, line.rfind(',')), line.substr(line.rfind(',') + 1));
  }
  CubinCache none{std::filesystem::path()};
  std::string lines;
  bool toolkit_is_known = false, same = true;
  for (const Sampled& kernel : sampled_kernels()) {
    const std::string cubin = none.get(kernel.source).cubin, toolkit = toolkit_of(cubin);
    const std::string key =
        fmt::format("{},{},{},{}", toolkit, kernel.family, kernel.revision, kernel.name);
    const std::string code = code_hash(cubin);
    lines += fmt::format("{},{}\n", key, code);
    const auto found = committed.find(key);
    toolkit_is_known = toolkit_is_known || contains(text, "\n" + toolkit + ",");
    same = same && found != committed.end() && found->second == code;
  }
  if (!toolkit_is_known) {
    WARN("no codes are committed for this toolkit; they would be\n" << lines);
    return;
  }
  INFO(
      "Raise the revisions in kernels/revision.h. Where nothing but names and offsets of "
      "arguments changed, tests/gates/kernel_times.py shows it and they stay. Then commit to "
      << kCommitted << ":\n"
      << lines);
  CHECK(same);
}

TEST_CASE("The sources that an emitted kernel keeps are the machine code of all of them") {
  struct Case {
    AnyProblem problem;
    AnyConfig config;
    KernelSource source;
  };
  std::vector<Case> cases;
  for (const Sampled& kernel : sampled_kernels()) {
    if (const GemmProblem* const gemm = std::get_if<GemmProblem>(&kernel.problem)) {
      cases.push_back({*gemm, kernel.config, kernel.source});
    }
  }
  for (const auto& [shape, config] : {std::pair{"2x8x512x512x128",
                                                "attention_overlap:tile=128x128,stages=2,ctas=1,"
                                                "grid=resident,order=static,splits=1,pack=no"},
                                      {"2x8x512x512x64",
                                       "attention_ping_pong:tile=128x128,stages=2,ctas=1,"
                                       "grid=resident,order=dynamic,splits=1,pack=no"},
                                      {"2x8x512x512x256",
                                       "attention_specialized:tile=128x64,stages=2,ctas=1,"
                                       "grid=tiles,order=longest_first,splits=1,pack=no"},
                                      {"2x8:2x1x512x128",
                                       "attention_single:tile=64x64,stages=2,ctas=1,grid=tiles,"
                                       "order=static,splits=4,pack=yes"},
                                      {"2x8:2x1x512x64",
                                       "attention_single:tile=64x64,stages=3,ctas=1,"
                                       "grid=clusters,order=static,splits=4,pack=yes"}}) {
    AnyProblem problem = problem_of_shape(Op::kAttention, shape, ElementType::kBf16);
    std::get<AttentionProblem>(problem).mask = AttentionMask::kCausal;
    const AnyConfig own = parse_config(config);
    cases.push_back(
        {problem, own,
         attention_source(std::get<AttentionConfig>(own), std::get<AttentionProblem>(problem))});
  }
  Turns turns("emitted kernels to compile", 4);
  for (const Case& one : cases) {
    if (turns.due()) {
      INFO(to_text(one.problem) << " " << to_text(one.config));
      const KernelSource kept = emitted_kernel(one.problem, one.config);
      CHECK(code_hash(compile_kernel(kept).cubin) == code_hash(compile_kernel(one.source).cubin));
    }
  }
}

}  // namespace tilecast
