#include "model/sim/event_queue.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace tilecast {
namespace {

struct FiresLater {
  bool operator()(const Event& a, const Event& b) const {
    return std::tie(a.at, a.sequence) > std::tie(b.at, b.sequence);
  }
};

}  // namespace

EventQueue::EventQueue() : buckets_(kBuckets) {}

void EventQueue::push_far(SimTime at, std::coroutine_handle<> resume) {
  far_.push_back({at, next_sequence_++, resume});
  std::push_heap(far_.begin(), far_.end(), FiresLater{});
}

void EventQueue::insert(Bucket& list, u32 node, SimTime at) {
  // The newest of equal times goes last; later than all of the bucket is the common case.
  if (nodes_[list.tail].at <= at) {
    nodes_[list.tail].next = node;
    list.tail = node;
    return;
  }
  u32* link = &list.head;
  while (nodes_[*link].at <= at) {
    link = &nodes_[*link].next;
  }
  nodes_[node].next = *link;
  *link = node;
}

i64 EventQueue::next_bucket() const {
  // From the bucket of now around the wheel once: its word from there on, then whole words.
  const u32 start = static_cast<u32>(bucket_now_ & (kBuckets - 1));
  const u32 word = start / 64;
  u32 slot;
  if (const u64 rest = filled_[word] >> (start % 64); rest != 0) {
    slot = start + static_cast<u32>(std::countr_zero(rest));
  } else {
    // Words after this one; where there is none, those before it, and its own lower bits last.
    const u64 after = word + 1 == 64 ? 0 : filled_words_ >> (word + 1) << (word + 1);
    const u32 found = static_cast<u32>(std::countr_zero(after != 0 ? after : filled_words_));
    slot = found * 64 + static_cast<u32>(std::countr_zero(filled_[found]));
  }
  return bucket_now_ + ((slot - start) & (kBuckets - 1));
}

Event EventQueue::pop_wheel(i64 bucket) {
  const std::size_t slot = static_cast<std::size_t>(bucket & (kBuckets - 1));
  Bucket& list = buckets_[slot];
  const u32 first = list.head;
  Node& node = nodes_[first];
  const Event event{node.at, node.sequence, std::coroutine_handle<>::from_address(node.resume)};
  list.head = node.next;
  node.next = free_;
  free_ = first;
  --in_wheel_;
  if (list.head == kNone) {
    filled_[slot / 64] &= ~(u64{1} << (slot % 64));
    if (filled_[slot / 64] == 0) {
      filled_words_ &= ~(u64{1} << (slot / 64));
    }
  }
  bucket_now_ = bucket;
  return event;
}

Event EventQueue::pop_far() {
  std::pop_heap(far_.begin(), far_.end(), FiresLater{});
  const Event event = far_.back();
  far_.pop_back();
  bucket_now_ = event.at.ps >> kBucketBits;
  return event;
}

Event EventQueue::pop() {
  if (in_wheel_ == 0) {
    return pop_far();
  }
  const i64 bucket = next_bucket();
  if (!far_.empty()) {
    const Node& first = nodes_[buckets_[static_cast<std::size_t>(bucket & (kBuckets - 1))].head];
    if (FiresLater{}({first.at, first.sequence, nullptr}, far_.front())) {
      return pop_far();
    }
  }
  return pop_wheel(bucket);
}

}  // namespace tilecast
