// The log of one kernel thread when the kernel is compiled for the host: its calls of kernels/ptx,
// in order. Written by the stand-ins in host/kernels/ptx, read by kernel_steps.cpp. It is outside
// the project's namespace, because every compiled kernel has a copy of that.
#pragma once

#include <cstdint>
#include <vector>

namespace kernel_calls {

enum class Name {
  kWait,    // address: barrier; value: parity
  kArrive,  // address: barrier; value: rank of the CTA
  kExpect,  // address: barrier; value: bytes
  kLoad,    // address: barrier; value: mask of receiving CTAs; a box
  kWgmma,   // address: of A, in units of 16 bytes; 0 if A comes from registers
  kWgmmaCommit,
  kWgmmaWait,  // value: groups
  kCopy,       // address: in shared memory; value: bytes; pointer: in global memory
  kCopyCommit,
  kCopyWait,
  kCtaBarrier,
  kMmaSync,
  kStageChunk,  // address: of the thread's row of sixteen columns of C
  kStore,       // a box
  kStoreCommit,
  kStoreWait,      // value: groups
  kBarrierSync,    // address: named barrier
  kBarrierArrive,  // likewise
  kLook,           // pointer: lock; value: its value when the thread continued
  kAdd,            // pointer: lock; value: added
  kAddAndFetch,    // likewise
  kSumStore,       // four partial sums each, for this and the next two
  kSumAdd,
  kSumLoad,
};

/// Contents of a TensorMap in these tests; not a CUtensorMap.
struct Map {
  std::uint64_t operand;                // an Operand
  std::uint64_t columns, rows;          // of a box
  std::uint64_t all_columns, all_rows;  // of the matrix
};
enum Operand : std::uint64_t { kA = 1, kB, kC, kScales, kR };

struct Call {
  Name name;
  std::uint32_t address = 0, value = 0;
  const void* pointer = nullptr;
  Map map{};
  std::int32_t x = 0, y = 0, z = 0;  // first element of a box; its matrix in a batch
};

/// The running thread and its log.
struct Thread {
  std::uint32_t thread = 0, block = 0, rank = 0, blocks = 0;
  std::vector<Call> calls;
};
inline Thread running;

inline void record(const Call& call) { running.calls.push_back(call); }

}  // namespace kernel_calls
