// What one thread of a kernel does when the kernel is compiled for the host: the calls of
// kernels/ptx that it makes, in their order. Written by the stand-ins in host/kernels/ptx, read by
// kernel_steps.cpp. Not in the project's namespace, of which every compiled kernel has its own.
#pragma once

#include <cstdint>
#include <vector>

namespace kernel_calls {

enum class Name {
  kWait,           // address: barrier; value: parity
  kArrive,         // address: barrier; value: rank of the CTA
  kExpect,         // address: barrier; value: bytes
  kLoad,           // address: barrier; value: CTAs that receive it, as bits; a box
  kWgmma,          // address: of A, in 16 bytes; 0 where A comes from registers
  kWgmmaCommit,    //
  kWgmmaWait,      // value: groups
  kStageChunk,     // address: of the thread's row of sixteen columns of C
  kStore,          // a box
  kStoreCommit,    //
  kStoreWait,      // value: groups
  kBarrierSync,    // address: named barrier
  kBarrierArrive,  // likewise
  kLook,           // pointer: lock; value: what it was when the thread went on
  kAdd,            // pointer: lock; value: added
  kAddAndFetch,    // likewise
  kSumStore,       // four partial sums, as are
  kSumAdd,         //
  kSumLoad,        //
};

/// What a TensorMap holds here in the place of a CUtensorMap.
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

/// The thread that runs, and what it has done.
struct Thread {
  std::uint32_t thread = 0, block = 0, rank = 0, blocks = 0;
  std::vector<Call> calls;
};
inline Thread running;

inline void record(const Call& call) { running.calls.push_back(call); }

}  // namespace kernel_calls
