#include "model/gemm/sim/kernel/first_reads.h"

#include <vector>

namespace tilecast {
namespace {

/// Bytes of panels that are not marked in `read`.
i64 unread_bytes(const OperandBlocks& operand, const std::vector<bool>& read) {
  i64 bytes = 0;
  for (u32 panel = 0; panel < read.size(); ++panel) {
    bytes += read[panel] ? 0 : operand.panel_bytes(panel);
  }
  return bytes;
}

}  // namespace

i64 first_reads_left_out(const GemmKernel& kernel) {
  const OperandPanels& panels = kernel.panels;
  const TileScheduler& s = kernel.scheduler;
  const u32 cluster_m = static_cast<u32>(kernel.config.tiling.cluster_m);
  const u32 cluster_n = static_cast<u32>(kernel.config.tiling.cluster_n);
  std::vector<bool> a(panels.of_a()), b(panels.of_b());
  const std::vector<u32> readers = panels.readers_of_b();
  for (u32 panel = 0; panel < b.size(); ++panel) {
    b[panel] = readers[panel / panels.columns()] == 0;  // B of an empty group
  }
  each_simulated_range(kernel.skipped, kernel.whole, s, [&](u32 first, u32 end) {
    for (u32 linear = first; linear < end; ++linear) {
      const TileCoord at = s.coord(linear);
      for (u32 i = 0; i < cluster_m; ++i) {
        a[panels.a({at.m * cluster_m + i, 0})] = true;
      }
      for (u32 i = 0; i < cluster_n; ++i) {
        b[panels.b({at.m * cluster_m, at.n * cluster_n + i})] = true;
      }
    }
  });
  return unread_bytes(kernel.a, a) + unread_bytes(kernel.b, b);
}

}  // namespace tilecast
