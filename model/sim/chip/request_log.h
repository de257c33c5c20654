// What became of every request that a simulated kernel made of the memory: which of its loads were
// merged into one output of L2, which found their block in L2, and what each read from DRAM drove
// out. A second simulation that is given the log moves the same bytes at every level, whatever its
// own order of requests: the first load of a merged group takes L2's output, the first that waits
// for a read starts it. That is what an elimination asks about (limits.h).
// Checked by: limits_test.cpp.
#pragma once

#include <unordered_map>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

/// Names a load of a kernel, which loads each slice of a tile's operands once.
struct LoadName {
  u32 tile;     // of CTAs
  u32 in_tile;  // its place among the loads of the tile
};

class RequestLog {
 public:
  struct Load {
    u32 output;  // of L2, that it shares with those merged with it
    u32 read;    // from DRAM, whose bytes it waits for
  };
  struct Read {
    u32 blocks;
    i64 written_back;  // bytes that had to make room
  };

  RequestLog() = default;
  /// `loads_of_tile`: names of loads of one tile end there.
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
  std::unordered_map<u32, std::vector<Load>> loads_;  // of tiles that were computed
  std::vector<Read> reads_;
  std::unordered_map<u64, i64> stores_;  // bytes that stores of blocks drove out
};

}  // namespace tilecast
