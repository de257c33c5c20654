// Event queue ordered by (time, sequence of scheduling): a timing wheel with buckets of about a
// nanosecond for the next four microseconds. Each bucket is a short sorted list; a bitmap finds the
// next one. Later events wait in a heap. Nodes are reused, so allocation stops once the maximum
// number of pending events has been reached.
// Checked by: event_queue_test.cpp (order against a sorted list), sim_benchmark.cpp.
#pragma once

#include <array>
#include <bit>
#include <coroutine>
#include <vector>

#include "model/base/sim_time.h"

namespace tilecast {

struct Event {
  SimTime at;
  u64 sequence;
  std::coroutine_handle<> resume;
};

class EventQueue {
 public:
  EventQueue();

  /// `at` must not precede the last popped event.
  void push(SimTime at, std::coroutine_handle<> resume) {
    const i64 bucket = at.ps >> kBucketBits;
    if (bucket - bucket_now_ >= kBuckets) {
      push_far(at, resume);
      return;
    }
    const u32 node = new_node(at, resume);
    const std::size_t slot = static_cast<std::size_t>(bucket & (kBuckets - 1));
    ++in_wheel_;
    Bucket& list = buckets_[slot];
    filled_[slot / 64] |= u64{1} << (slot % 64);
    filled_words_ |= u64{1} << (slot / 64);
    // Branch-free, because it is unpredictable whether the bucket is empty.
    const bool first = list.head == kNone;
    if (static_cast<int>(first) | static_cast<int>(nodes_[list.tail].at <= at)) [[likely]] {
      *(first ? &list.head : &nodes_[list.tail].next) = node;
      list.tail = node;
    } else {
      insert(list, node, at);
    }
  }
  bool empty() const { return in_wheel_ == 0 && far_.empty(); }
  Event pop();  // the queue must not be empty
  u64 pushed() const { return next_sequence_; }

 private:
  static constexpr int kBucketBits = 10;  // 1.024 ns
  static constexpr i64 kBuckets = 4096;
  static constexpr i64 kWords = kBuckets / 64;
  static_assert(kWords <= 64, "one word marks the non-zero words of the bitmap");
  static constexpr u32 kNone = ~u32{0};

  struct Node {
    SimTime at;
    u64 sequence;
    void* resume;
    u32 next;
  };

  struct Bucket {
    u32 head = kNone, tail = 0;
  };

  u32 new_node(SimTime at, std::coroutine_handle<> resume);
  void insert(Bucket& list, u32 node, SimTime at);
  void push_far(SimTime at, std::coroutine_handle<> resume);
  i64 next_bucket() const;  // the wheel must not be empty
  Event pop_wheel(i64 bucket);
  Event pop_far();
  bool far_is_first(u32 node) const;

  std::vector<Node> nodes_;
  u32 free_ = kNone;
  std::vector<Bucket> buckets_;
  std::array<u64, kWords> filled_{};
  u64 filled_words_ = 0;
  i64 in_wheel_ = 0;
  i64 bucket_now_ = 0;  // time of the last popped event, in buckets
  u64 next_sequence_ = 0;
  std::vector<Event> far_;  // heap, earliest on top
};

inline u32 EventQueue::new_node(SimTime at, std::coroutine_handle<> resume) {
  u32 index = free_;
  if (index == kNone) {
    nodes_.emplace_back();
    index = static_cast<u32>(nodes_.size() - 1);
  } else {
    free_ = nodes_[index].next;
  }
  // Written field by field: copying the whole node would stall on store forwarding.
  Node& node = nodes_[index];
  node.at = at;
  node.sequence = next_sequence_++;
  node.resume = resume.address();
  node.next = kNone;
  return index;
}

inline i64 EventQueue::next_bucket() const {
  // Searches the wheel once around from the current bucket: the rest of its word, then whole words.
  const u32 start = static_cast<u32>(bucket_now_ & (kBuckets - 1));
  const u32 word = start / 64;
  u32 slot;
  if (const u64 rest = filled_[word] >> (start % 64); rest != 0) {
    slot = start + static_cast<u32>(std::countr_zero(rest));
  } else {
    // Searches the words after this one, then those before it, and last the lower bits of this one.
    const u64 after = word + 1 == 64 ? 0 : filled_words_ >> (word + 1) << (word + 1);
    const u32 found = static_cast<u32>(std::countr_zero(after != 0 ? after : filled_words_));
    slot = found * 64 + static_cast<u32>(std::countr_zero(filled_[found]));
  }
  return bucket_now_ + ((slot - start) & (kBuckets - 1));
}

inline Event EventQueue::pop_wheel(i64 bucket) {
  const std::size_t slot = static_cast<std::size_t>(bucket & (kBuckets - 1));
  Bucket& list = buckets_[slot];
  const u32 first = list.head;
  Node& node = nodes_[first];
  const Event event{node.at, node.sequence, std::coroutine_handle<>::from_address(node.resume)};
  list.head = node.next;
  node.next = free_;
  free_ = first;
  --in_wheel_;
  u64& filled = filled_[slot / 64];
  filled &= ~(u64{list.head == kNone} << (slot % 64));
  filled_words_ &= ~(u64{filled == 0} << (slot / 64));
  bucket_now_ = bucket;
  return event;
}

inline Event EventQueue::pop() {
  if (in_wheel_ == 0) {
    return pop_far();
  }
  const i64 bucket = next_bucket();
  if (!far_.empty() &&
      far_is_first(buckets_[static_cast<std::size_t>(bucket & (kBuckets - 1))].head)) {
    return pop_far();
  }
  return pop_wheel(bucket);
}

}  // namespace tilecast
