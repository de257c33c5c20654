// The groups of a problem: none, or a reference-counted list that copies of the problem share.
// Lists are compared by content. Kernels never dereference it, so for device compilers it is a
// plain pointer. Checked by: group_rows_test.cpp.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

class GroupRows;  // group_rows.h, included on the host only

#ifdef __CUDACC__
using SharedGroupRows = const GroupRows*;
#else
class SharedGroupRows {
 public:
  constexpr SharedGroupRows(decltype(nullptr) = nullptr) {}
  constexpr SharedGroupRows(const SharedGroupRows& other) : list_(other.list_) {
    if (list_ != nullptr) {
      retain();
    }
  }
  constexpr SharedGroupRows(SharedGroupRows&& other) noexcept : list_(other.list_) {
    other.list_ = nullptr;
  }
  constexpr SharedGroupRows& operator=(SharedGroupRows other) noexcept {
    const GroupRows* const mine = list_;
    list_ = other.list_;
    other.list_ = mine;
    return *this;
  }
  constexpr ~SharedGroupRows() {
    if (list_ != nullptr) {
      release();
    }
  }

  constexpr const GroupRows& operator*() const { return *list_; }
  constexpr const GroupRows* operator->() const { return list_; }

  constexpr bool operator==(decltype(nullptr)) const { return list_ == nullptr; }
  constexpr bool operator==(const SharedGroupRows& other) const {
    return list_ == other.list_ ||
           (list_ != nullptr && other.list_ != nullptr && equals(*other.list_));
  }

 private:
  friend class GroupRows;

  /// Takes ownership of `list`, allocated with new.
  explicit SharedGroupRows(const GroupRows* list) : list_(list) { retain(); }
  void retain() const;
  void release() const;
  bool equals(const GroupRows& other) const;

  const GroupRows* list_ = nullptr;
};
#endif

}  // namespace tilecast
