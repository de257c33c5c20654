// L2 as a cache of the blocks that a kernel really asks for, in the order in which it does: the
// least recently used goes first; a block that was written goes to DRAM then.
// Leaves out: sets, sectors, what other kernels left behind (buffers start cold).
// Checked by: block_cache_test.cpp (both sides of the capacity).
#pragma once

#include <vector>

#include "model/base/integers.h"

namespace tilecast {

class BlockCache {
 public:
  BlockCache(std::size_t blocks, i64 capacity_bytes);

  /// One block more, not held.
  u32 add_block() {
    entries_.emplace_back();
    return static_cast<u32>(entries_.size() - 1);
  }

  bool holds(u32 block) const { return entries_[block].bytes > 0; }

  /// Of a block that is held: it is the last to go.
  void touch(u32 block) {
    if (first_ != block) {
      unlink(block);
      link_first(block);
    }
  }

  /// Of a block that is not held, one byte at least. Returns bytes that had to be written back to
  /// make room.
  i64 insert(u32 block, i64 bytes, bool written);

 private:
  static constexpr u32 kNone = ~u32{0};
  struct Entry {
    u32 previous = kNone, next = kNone;
    u32 bytes = 0;  // 0: not held
    bool written = false;
  };

  void unlink(u32 block);
  void link_first(u32 block);

  std::vector<Entry> entries_;
  i64 capacity_, held_ = 0;
  u32 first_ = kNone, last_ = kNone;
};

}  // namespace tilecast
