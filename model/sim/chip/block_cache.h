// L2 as an LRU cache of the blocks that a kernel requests, in request order. Evicting a written
// block writes it to DRAM.
// Not modelled: sets, sectors, and content left by other kernels (buffers start cold). Checked by:
// block_cache_test.cpp (both sides of the capacity).
#pragma once

#include <vector>

#include "model/base/integers.h"

namespace tilecast {

class BlockCache {
 public:
  BlockCache(std::size_t blocks, i64 capacity_bytes);

  /// Adds a block, initially not cached.
  u32 add_block() {
    entries_.emplace_back();
    return static_cast<u32>(entries_.size() - 1);
  }

  bool holds(u32 block) const { return entries_[block].bytes > 0; }

  /// Marks a cached block as most recently used.
  void touch(u32 block) {
    if (first_ != block) {
      unlink(block);
      link_first(block);
    }
  }

  /// Inserts a block that is not cached, of at least one byte. Returns the bytes written back to
  /// make room.
  i64 insert(u32 block, i64 bytes, bool written);

 private:
  static constexpr u32 kNone = ~u32{0};
  struct Entry {
    u32 previous = kNone, next = kNone;
    u32 bytes = 0;  // size; 0 if not cached
    bool written = false;
  };

  void unlink(u32 block);
  void link_first(u32 block);

  std::vector<Entry> entries_;
  i64 capacity_, held_ = 0;
  u32 first_ = kNone, last_ = kNone;
};

}  // namespace tilecast
