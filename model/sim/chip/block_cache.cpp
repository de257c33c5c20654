#include "model/sim/chip/block_cache.h"

namespace tilecast {

BlockCache::BlockCache(std::size_t blocks, i64 capacity_bytes)
    : entries_(blocks), capacity_(capacity_bytes) {}

void BlockCache::unlink(u32 block) {
  const Entry& entry = entries_[block];
  (entry.previous != kNone ? entries_[entry.previous].next : first_) = entry.next;
  (entry.next != kNone ? entries_[entry.next].previous : last_) = entry.previous;
}

void BlockCache::link_first(u32 block) {
  Entry& entry = entries_[block];
  entry.previous = kNone;
  entry.next = first_;
  (first_ != kNone ? entries_[first_].previous : last_) = block;
  first_ = block;
}

i64 BlockCache::insert(u32 block, i64 bytes, bool written) {
  i64 written_back = 0;
  while (held_ + bytes > capacity_ && last_ != kNone) {
    Entry& oldest = entries_[last_];
    unlink(last_);
    held_ -= oldest.bytes;
    written_back += oldest.written ? oldest.bytes : 0;
    oldest.bytes = 0;
  }
  entries_[block].bytes = static_cast<u32>(bytes);
  entries_[block].written = written;
  held_ += bytes;
  link_first(block);
  return written_back;
}

}  // namespace tilecast
