// Formats the wgmma of one shape, which replaces the macros of kernels/ptx/wgmma.cuh.
#pragma once

#include <string>

namespace tilecast {

/// Returns the statement of wgmma_m64k16(), or of wgmma_m64k16_a_in_registers(), for `n` columns of
/// operands of `type`: "ElementType::kFp16".
std::string wgmma_text(int n, const std::string& type, bool a_in_registers);

}  // namespace tilecast
