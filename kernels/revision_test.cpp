// The machine code of a sample of kernels, by its hash: committed for each toolkit, family and
// revision (revision_sample.csv), so that no change of it goes unnoticed.
#include "kernels/revision.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>

#include "kernels/emit/emit_gemm.h"
#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/stream_launch.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "model/base/text.h"
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

/// "13.0.88", as the cubin's notes give it.
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
};

std::vector<Sampled> sampled_kernels() {
  std::vector<Sampled> sampled;
  const auto gemm = [&](const char* name, const char* text, ProblemKind kind) {
    const KernelConfig config = gemm_config(text);
    const bool tcgen05 = uses_tcgen05(config.schedule);
    sampled.push_back(
        {name, tcgen05 ? "tcgen05" : "gemm", kernel_revision(text), gemm_source(config, kind)});
  };
  const auto stream = [&](const char* name, const char* text) {
    const StreamConfig config = parse_stream_config(text);
    sampled.push_back(
        {name, "stream", kernel_revision(text), stream_source(config, ElementType::kFp16)});
  };
  const ProblemKind fp16{ElementType::kFp16, Layout::kTn};
  ProblemKind fused = fp16, residual = fp16, exact = fp16, batched = fp16, grouped = fp16;
  ProblemKind along_k{ElementType::kBf16, Layout::kNt};
  fused.epilogue = {step<BiasN>(), step<Gelu>()};
  residual.epilogue.add(step<Residual>());
  exact.types = {ElementType::kE4m3, ElementType::kBf16, Accumulate::kExact};
  batched.batched = grouped.grouped = along_k.parts_k = true;
  gemm("blocked", "bl 64x64x64 s1 w1x1 c1x1 o2 i0 e0 m8", batched);
  gemm("pipelined", "pi 64x64x64 s3 w1x1 c1x1 o2 i1 e0 m8", fused);
  gemm("persistent_overlap", "po 64x64x64 s4 w1x1 c2x1 o1 i1 e1 h",
       {ElementType::kBf16, Layout::kNn});
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

TEST_CASE("Sampled kernels keep their machine code while their family keeps its revision") {
  std::map<std::string, std::string> committed;  // toolkit, family, revision, kernel: code
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
    toolkit_is_known = toolkit_is_known || text.find("\n" + toolkit + ",") != std::string::npos;
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
  Turns turns("emitted kernels to compile", 4);
  for (const Sampled& kernel : sampled_kernels()) {
    if (kernel.family == "stream" || !turns.due()) {
      continue;
    }
    KernelSource kept = kernel.source;
    kept.text = emitted_kernel(kept);
    INFO(kernel.name);
    CHECK(code_hash(compile_kernel(kept).cubin) == code_hash(compile_kernel(kernel.source).cubin));
  }
}

}  // namespace tilecast
