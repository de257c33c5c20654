// Provides a role's next tile: from the scheduler's walk, or from cluster launch control, by which
// running CTAs take over the tiles of CTAs that have not started.
//
// With takeover the grid has one cluster per tile. One thread of each CTA, ask_for_tiles(),
// requests the next tile while the current one is processed; every other role reads each response
// once and signals the leader. Only then does the leader reuse the buffer for another request. The
// response arrives through the async proxy, so readers fence before they free its buffer.
#pragma once

#include "kernels/device/tcgen05_setup.cuh"
#include "kernels/device/tile_loads.cuh"

namespace tilecast {

/// Number of readers of one response in a group of warp-specialised CTAs: the epilogue warps and
/// the loading warp of each CTA, the leader's issuing warp, the peer's requesting warp.
template <class Config>
constexpr u32 kAnswerReaders =
    Config::kTakesOver ? Config::kCtaGroup * (kEpilogueWarps<Config> + 2) : 0;

/// One role's walk over the tiles of its CTA, in one thread or a whole warp.
template <class Config>
class TileSource {
 public:
  __device__ TileSource(const Args<Config>& args, const SharedMemory<Config>& smem)
      : args_(args), own_(Tcgen05Shared::of(smem)) {
    const u32 worker = blockIdx.x / Config::kCtaGroup;
    linear_ = args_.scheduler.first(worker);
    end_ = Config::kTakesOver ? args_.scheduler.num_tiles() : args_.scheduler.end(worker);
  }

  __device__ bool has_tile() const { return linear_ < end_; }
  __device__ TileOrigin tile(const ClusterPlace& cta) const {
    return tile_origin(args_, linear_, cta);
  }

  /// Advances to the next tile; called by one thread.
  __device__ void next() {
    if constexpr (Config::kTakesOver) {
      ptx::mbarrier_wait(own_.answer_full(at_.index), at_.phase);
      take(ptx::read_launch_answer(own_.answer(at_.index)));
      ptx::fence_proxy_async();
      arrive_at_leader<Config>(own_.answer_empty(at_.index));
      at_.advance();
    } else {
      linear_ = args_.scheduler.next(linear_);
    }
  }

  /// Advances to the next tile. Called by a whole warp, which arrives once.
  __device__ void next_of_warp() {
    if constexpr (Config::kTakesOver) {
      ptx::mbarrier_wait(own_.answer_full(at_.index), at_.phase);
      take(ptx::read_launch_answer(own_.answer(at_.index)));
      ptx::fence_proxy_async();
      __syncwarp();
      if (ptx::elect_one()) {
        arrive_at_leader<Config>(own_.answer_empty(at_.index));
      }
      __syncwarp();
      at_.advance();
    } else {
      linear_ = args_.scheduler.next(linear_);
    }
  }

 private:
  __device__ void take(const ptx::CancelledLaunch& answer) {
    linear_ = answer.cancelled ? answer.first_cta / Config::kCtaGroup : end_;
  }

  const Args<Config>& args_;
  Tcgen05Shared own_;
  u32 linear_, end_;
  AnswerPosition at_;
};

/// Requests tiles until none is left; called by one thread of each CTA.
template <class Config>
__device__ inline void ask_for_tiles(const SharedMemory<Config>& smem, const ClusterPlace& cta) {
  const Tcgen05Shared own = Tcgen05Shared::of(smem);
  AnswerPosition at;
  bool more = true;
  while (more) {
    const u32 full = own.answer_full(at.index);
    if (leads<Config>(cta)) {
      wait_for_group<Config>(own.answer_empty(at.index), at.phase ^ 1);
    }
    ptx::mbarrier_arrive_expect_tx(full, ptx::kLaunchAnswerBytes);
    if (leads<Config>(cta)) {
      if constexpr (Config::kCtaGroup == 1) {
        ptx::try_cancel_launch(own.answer(at.index), full);
      } else {
        ptx::try_cancel_launch_multicast(own.answer(at.index), full);
      }
    }
    ptx::mbarrier_wait(full, at.phase);
    more = ptx::read_launch_answer(own.answer(at.index)).cancelled;
    ptx::fence_proxy_async();  // the async proxy overwrites the buffer
    if (!leads<Config>(cta)) {
      arrive_at_leader<Config>(own.answer_empty(at.index));
    }
    at.advance();
  }
}

}  // namespace tilecast
