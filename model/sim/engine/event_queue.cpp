#include "model/sim/engine/event_queue.h"

#include <algorithm>
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
  u32* link = &list.head;
  while (nodes_[*link].at <= at) {
    link = &nodes_[*link].next;
  }
  nodes_[node].next = *link;
  *link = node;
}

Event EventQueue::pop_far() {
  std::pop_heap(far_.begin(), far_.end(), FiresLater{});
  const Event event = far_.back();
  far_.pop_back();
  bucket_now_ = event.at.ps >> kBucketBits;
  return event;
}

bool EventQueue::far_is_first(u32 node) const {
  const Node& first = nodes_[node];
  return FiresLater{}({first.at, first.sequence, nullptr}, far_.front());
}

}  // namespace tilecast
