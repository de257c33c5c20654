// Compiles a kernel source to a cubin with NVRTC. Needs no GPU or driver; reads no files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/jit/ptxas_log.h"
#include "kernels/jit/source_closure.h"

namespace tilecast {

struct KernelSource {
  std::string path;  // path of an embedded source, e.g. kernels/gemm/pipelined.cu
  std::string architecture = "sm_90a";
  std::string text = "";  // main source, which includes `path`; if empty, `path` itself is compiled
};

/// Returns a source that defines constants, then includes `path`.
KernelSource with_constants(const std::string& path, const std::string& constants);

struct CompiledKernel {
  std::string cubin;  // the ELF file
  std::string log;    // output of NVRTC and ptxas
  PtxasReport report;
  std::string rejection;  // why the kernel must not be used; empty if it may be

  bool usable() const { return rejection.empty(); }
};

/// Returns NVRTC's options for `source`, in a fixed order.
std::vector<std::string> compile_options(const KernelSource& source);

/// "13.0"
std::string nvrtc_version();

/// Compiles a kernel. If it spills or its wgmmas are serialized, it is returned with a rejection.
/// Throws Error with the first errors if it does not compile.
CompiledKernel compile_kernel(const KernelSource& source,
                              std::span<const EmbeddedSource> sources = embedded_sources());

}  // namespace tilecast
