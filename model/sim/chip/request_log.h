// Records the outcome of every memory request of a simulated kernel: which loads merged into one L2
// output, which hit in L2, and what each DRAM read evicted. A second simulation that replays the
// log moves the same bytes at every level even if its requests come in another order: the first
// load of a merged group takes L2's output, and the first load that waits for a read starts it.
// Simulations of savings need this (limits.h). Checked by: limits_test.cpp.
#pragma once

#include <unordered_map>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

/// Identifies a load of a kernel; each slice of a tile's operands is loaded once.
struct LoadName {
  u32 tile;     // index of the CTA tile
  u32 in_tile;  // index among the loads of the tile
};

class RequestLog {
 public:
  struct Load {
    u32 output;  // id of the L2 output shared with merged loads
    u32 read;    // id of the DRAM read that it waits for
  };
  struct Read {
    u32 blocks;
    i64 written_back;  // bytes evicted to make room
  };

  RequestLog() = default;
  explicit RequestLog(u32 loads_of_tile) : loads_of_tile_(loads_of_tile) {}

  u32 add_output() { return outputs_++; }
  u32 add_read(Read read) {
    reads_.push_back(read);
    return static_cast<u32>(reads_.size() - 1);
  }
  void add_load(LoadName name, Load load) {
    std::vector<Load>& of_tile = loads_[name.tile];
    if (of_tile.empty()) {
      of_tile.resize(loads_of_tile_);
    }
    of_tile[name.in_tile] = load;
  }
  void add_store(u64 name, i64 written_back) {
    if (written_back > 0) {
      stores_.emplace(name, written_back);
    }
  }

  Load load(LoadName name) const { return loads_.at(name.tile)[name.in_tile]; }
  const Read& read(u32 index) const { return reads_[index]; }
  i64 store(u64 name) const {
    const auto found = stores_.find(name);
    return found == stores_.end() ? 0 : found->second;
  }
  u32 outputs() const { return outputs_; }
  std::size_t reads() const { return reads_.size(); }

 private:
  u32 loads_of_tile_ = 0, outputs_ = 0;
  std::unordered_map<u32, std::vector<Load>> loads_;  // loads of each tile computed
  std::vector<Read> reads_;
  std::unordered_map<u64, i64> stores_;  // bytes evicted by stores, by block
};

}  // namespace tilecast
