// Generates a source for each line of kernels.txt, which compiles that configuration's kernel for
// the host, and host_kernels(). Arguments: kernels.txt, output folder.
//
// Includes the kernel's source unchanged, with the `Config` that it would be compiled for.
// `tilecast` becomes a different namespace in each, because inline functions and constants differ.
#include <fmt/format.h>

#include <exception>
#include <string>

#include "kernels/jit/gemm_source.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/swapped_operands.h"

namespace tilecast {
namespace {

std::string kernel_text(std::size_t index, const KernelConfig& config, const ProblemKind& kind) {
  return fmt::format(
      "#define tilecast kernel_{0}\n"
      "#include \"tests/roles/host/cuda_words.h\"\n"
      "{1}\n"
      "void run_kernel_{0}(const void* args) {{\n"
      "  tilecast::Args<tilecast::Config> own{{}};\n"
      "  std::memcpy(static_cast<void*>(&own), args, sizeof(own));\n"
      "  tilecast::run(own);\n"
      "}}\n",
      index, source_text(gemm_source(config, kind).path, config_text(config, kind)));
}

/// Whether the line continues with the word, which is removed.
bool take_word(std::string_view& line, std::string_view word) {
  const bool found = line.starts_with(word);
  line.remove_prefix(found ? word.size() : 0);
  return found;
}

void write_kernels(const std::string& list, const std::string& folder) {
  std::string declarations, rows;
  std::size_t index = 0;
  const std::string lines = read_file(list);
  for (std::string_view line : split(lines, '\n')) {
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    const std::size_t space = line.find(' ');
    const Layout layout = parse_layout(line.substr(0, space));
    line.remove_prefix(space + 1);
    const bool batched = take_word(line, "batch ");
    const bool grouped = take_word(line, "groups ");
    const bool parts_k = take_word(line, "groups_k ");
    const bool block_scales = take_word(line, "block_scales ");
    const bool exact = take_word(line, "exact ");
    const bool residual = take_word(line, "residual ");
    ProblemKind kind{ElementType::kFp16, layout, {}, batched, grouped, parts_k};
    if (block_scales || exact) {
      kind.types = {ElementType::kE4m3, ElementType::kBf16,
                    exact ? Accumulate::kExact : Accumulate::kFast};
      kind.epilogue.add(block_scales ? step<ScaleBlock>() : OutputStep{});
    }
    kind.epilogue.add(residual ? step<Residual>() : OutputStep{});
    const KernelConfig config = parse_kernel_config(line);
    write_file(fmt::format("{}/kernel_{}.cpp", folder, index), kernel_text(index, config, kind));
    const Layout run = config.operands == OperandOrder::kSwapped ? transposed(layout) : layout;
    declarations += fmt::format("void run_kernel_{}(const void* args);\n", index);
    rows += fmt::format("      {{\"{}\", Layout{{{}}}, {}, {}, {}, {}, {}, {}, &run_kernel_{}}},\n",
                        line, static_cast<i32>(run), batched, grouped, parts_k, block_scales, exact,
                        residual, index);
    ++index;
  }
  write_file(folder + "/host_kernels.cpp",
             fmt::format("#include \"tests/roles/kernels.h\"\n\n{}\nnamespace tilecast {{\n\n"
                         "std::span<const HostKernel> host_kernels() {{\n"
                         "  static const HostKernel kKernels[] = {{\n{}  }};\n"
                         "  return kKernels;\n}}\n\n}}  // namespace tilecast\n",
                         declarations, rows));
}

}  // namespace
}  // namespace tilecast

int main(int, char** argv) {
  try {
    tilecast::write_kernels(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
