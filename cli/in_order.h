// Runs work on several threads and delivers results in order. Checked by: in_order_test.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace tilecast {

/// Calls `work` for items on `threads` threads as they are given, and `write` with the results in
/// the order of the items, each as soon as possible. At most a small multiple of `threads` items
/// are queued or in work. Exceptions of `work` or `write` are rethrown by give or finish; items
/// that have not begun are then dropped.
class InOrder {
 public:
  using Work = std::function<std::string()>;

  InOrder(unsigned threads, std::function<void(const std::string&)> write);
  ~InOrder();
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;

  void give(Work work);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilecast
