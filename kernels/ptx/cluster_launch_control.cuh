// Cluster launch control: a running cluster takes over the work of one that has not started. The
// response is written to shared memory of every CTA of the requesting cluster, like a bulk copy.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

constexpr i32 kLaunchAnswerBytes = 16;

/// Requests the work of a cluster that has not started. Called by one thread of a cluster of one
/// CTA. The response `answer` is 16-byte aligned; `barrier` counts its bytes.
__device__ inline void try_cancel_launch(u32 answer, u32 barrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128"
      " [%0], [%1];" ::"r"(answer),
      "r"(barrier)
      : "memory");
}

/// Requests work for a cluster of several CTAs: the response and its bytes go to the same address
/// and the same barrier of every CTA.
__device__ inline void try_cancel_launch_multicast(u32 answer, u32 barrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
      ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(answer),
      "r"(barrier)
      : "memory");
}

/// Decoded response. If the request failed, the cluster must not request again.
struct CancelledLaunch {
  bool cancelled;
  u32 first_cta;  // blockIdx.x of the cancelled cluster; undefined if the request failed
};

__device__ inline CancelledLaunch read_launch_answer(u32 answer) {
  u32 cancelled, first_cta;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      ".reg .b128 words;\n"
      "ld.shared.b128 words, [%2];\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, words;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "mov.b32 %1, 0;\n"
      "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, words;\n"
      "}"
      : "=r"(cancelled), "=r"(first_cta)
      : "r"(answer)
      : "memory");
  return {cancelled != 0, first_cta};
}

}  // namespace tilecast::ptx
