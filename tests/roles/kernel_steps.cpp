#include "tests/roles/kernel_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "kernels/launch/gemm_to_bind.h"
#include "model/base/error.h"
#include "model/gemm/order/reduction_workspace.h"
#include "tests/roles/kernel_calls.h"

extern "C" {
char dynamic[1];
}

namespace tilecast {
namespace {

using kernel_calls::Call;
using kernel_calls::Name;

// Where A and B begin for kernels whose threads copy them; nothing is read.
constexpr std::uintptr_t kAtA = std::uintptr_t{1} << 40, kAtB = std::uintptr_t{1} << 44;
constexpr i64 kSumBytes = 16;  // four values of one thread
constexpr i32 kElementsOfScale = scale_bytes() / kHalfBytes;

kernel_calls::Operand operand_of(MapOf map) {
  switch (map) {
    case MapOf::kA:
      return kernel_calls::kA;
    case MapOf::kB:
      return kernel_calls::kB;
    case MapOf::kC:
      return kernel_calls::kC;
    case MapOf::kResidual:
      return kernel_calls::kR;
    case MapOf::kScales:
      break;
  }
  return kernel_calls::kScales;
}

/// Memory and arguments of a launch.
struct Launch {
  Launch(const KernelConfig& config, const GemmProblem& problem, u32 resident)
      : c(static_cast<std::size_t>(matrices_of_c(problem) * rows_in_memory(problem) *
                                   problem.shape.n)) {
    if (problem.groups != nullptr) {
      group_rows = problem.groups->on_device();
    }
    args = bind_gemm(gemm_to_bind(problem, config),
                     {.a = reinterpret_cast<const void*>(kAtA),
                      .b = reinterpret_cast<const void*>(kAtB),
                      .c = c.data(),
                      .group_rows = group_rows.data(),
                      .residual = c.data()},
                     map);
    args.scheduler = make_tile_scheduler(problem, config, resident);
    args.work = make_work_decomposition(args.scheduler, args.k_blocks, config, resident);
    if (splits_k(config.schedule)) {
      const ReductionWorkspace room = reduction_workspace(config, args.work);
      partials.resize(static_cast<std::size_t>(room.partials));
      locks.resize(static_cast<std::size_t>(room.locks));
      args.partials = partials.data();
      args.locks = locks.data();
    }
  }

  /// The map recorded by kernel_calls; elements of scales count as two.
  static TensorMap map(MapOf of, const MatrixView& view, const TmaBox& box) {
    const i64 elements = of == MapOf::kScales ? kElementsOfScale : 1;
    const i64 rows = view.ragged_rows ? most_ragged_rows() : view.rows;
    const kernel_calls::Map content{
        operand_of(of), static_cast<u64>(box.columns * elements), static_cast<u64>(box.rows),
        static_cast<u64>(view.columns * elements), static_cast<u64>(rows)};
    TensorMap made{};
    static_assert(sizeof(content) <= sizeof(made));
    std::memcpy(&made, &content, sizeof(content));
    return made;
  }

  GemmArgs args{};
  std::vector<unsigned short> c;
  std::vector<float> partials;
  std::vector<u32> locks;
  std::vector<i32> group_rows;
};

/// The first row of cluster tiles of a group.
u32 first_tile_row(const GroupRows& groups, const Tiling& t, u32 group) {
  const std::vector<u32> of_rows = groups.groups_of_tile_rows(i64{t.block_m} * t.cluster_m);
  return static_cast<u32>(std::ranges::find(of_rows, group) - of_rows.begin());
}

/// Bytes of the element type that a map counts in.
i32 element_of(const Call& copy, const Tiling& t) {
  const bool operand = copy.map.operand == kernel_calls::kA || copy.map.operand == kernel_calls::kB;
  return operand ? t.operand_bytes : kHalfBytes;
}

i64 box_bytes(const Call& copy, const Tiling& t) {
  return static_cast<i64>(copy.map.columns * copy.map.rows) * element_of(copy, t);
}

/// Bytes of a box that lie inside the matrix.
i64 existing_bytes(const Call& copy, const Tiling& t) {
  const auto inside = [](i32 first, u64 count, u64 all) {
    return std::clamp<i64>(static_cast<i64>(all) - first, 0, static_cast<i64>(count));
  };
  return inside(copy.x, copy.map.columns, copy.map.all_columns) *
         inside(copy.y, copy.map.rows, copy.map.all_rows) * element_of(copy, t);
}

/// Translates the calls of a role's representative thread to steps.
class Reader {
 public:
  Reader(const KernelConfig& config, const GemmProblem& problem, const GemmArgs& args, i32 threads)
      : config_(config),
        t_(config.tiling),
        problem_(problem),
        args_(args),
        smem_(smem_layout(config.schedule, config.tiling)),
        threads_(threads) {}

  std::vector<Step> read(const std::vector<Call>& calls) {
    for (const Call& call : calls) {
      take(call);
    }
    if (uses_mma_sync(config_.schedule)) {
      number_waits();
    }
    return std::move(steps_);
  }

  i32 most_copies = 0;
  std::set<i32> wgmmas;                        // per K block
  std::set<std::pair<i32, i32>> stored_parts;  // first rows and columns within a tile
  std::vector<i64> expects;                    // bytes, by load

 private:
  void push(Step step) { steps_.push_back(step); }
  Step* last(StepKind kind) {
    return !steps_.empty() && steps_.back().kind == kind ? &steps_.back() : nullptr;
  }

  /// Index of a stage's barrier from its address; `empty` barriers follow the `full` ones.
  i32 barrier(u32 address) const {
    return (static_cast<i32>(address) - smem_.barrier_offset) / kBarrierBytes;
  }

  void take(const Call& call) {
    const i64 value = call.value;
    switch (call.name) {
      case Name::kWait: {
        const i32 at = barrier(call.address);
        return at < t_.stages
                   ? push({.kind = StepKind::kWaitFull, .at = at, .count = value})
                   : push({.kind = StepKind::kWaitEmpty, .at = at - t_.stages, .count = value});
      }
      case Name::kArrive:
        return push({.kind = StepKind::kRelease,
                     .at = barrier(call.address) - t_.stages,
                     .count = i64{1} << call.value});
      case Name::kExpect:
        copies_ = 0;
        a_row_ = -1;
        expects.push_back(value);
        return push({.kind = StepKind::kLoad,
                     .at = barrier(call.address),
                     .tile_m = kUnknownTile,
                     .tile_n = kUnknownTile});
      case Name::kLoad:
        return load(call);
      case Name::kWgmma:
        return wgmma(call);
      case Name::kWgmmaCommit:
        wgmmas.insert(issued_);
        issued_ = 0;
        return push({.kind = StepKind::kMultiply, .at = multiplied_});
      case Name::kWgmmaWait:
        return push({.kind = StepKind::kWaitMultiplied, .count = value});
      case Name::kCopy:
        return copy(call);
      case Name::kCopyCommit:
        copying_ = false;
        return;
      case Name::kCopyWait:
        met_ = false;
        return push({.kind = StepKind::kWaitFull});
      case Name::kCtaBarrier:
        return meet();
      case Name::kMmaSync:
        return mma_sync();
      case Name::kStageChunk:
        return stage(call);
      case Name::kStore:
        boxes_.push_back(call);
        if (config_.operands == OperandOrder::kSwapped) {
          std::swap(boxes_.back().x, boxes_.back().y);
          std::swap(boxes_.back().map.columns, boxes_.back().map.rows);
        }
        return;
      case Name::kStoreCommit:
        return commit();
      case Name::kStoreWait:
        return push({.kind = StepKind::kWaitStoresRead, .count = value});
      case Name::kBarrierSync:
      case Name::kBarrierArrive:
        return named_barrier(call);
      case Name::kLook:
        return look(call);
      case Name::kAdd:
        return push({.kind = StepKind::kPublish, .count = value});
      case Name::kAddAndFetch:
        return push({.kind = StepKind::kShareStored});
      case Name::kSumStore:
        return sum(StepKind::kStoreSum);
      case Name::kSumAdd:
        return sum(StepKind::kAddSum);
      case Name::kSumLoad:
        return sum(StepKind::kReadSum);
    }
  }

  /// Number of CTA tile rows.
  u32 rows_of_product() const {
    return tile_rows(problem_.shape, t_) * static_cast<u32>(t_.cluster_m);
  }
  /// The tile of a box of A or C whose first row is `row`, among those of all GEMMs or groups.
  GroupedRow row_of(const Call& copy, i32 row) const {
    if (!grouped_along_m(problem_)) {
      return {static_cast<u32>(copy.z) * rows_of_product() + static_cast<u32>(row / t_.block_m),
              row % t_.block_m};
    }
    const std::vector<i32> first = problem_.groups->first_rows();
    // A tile's rows continue after its group's end, which is at or before the next group's first
    // row.
    const auto group = std::ranges::lower_bound(first, copy.z) - first.begin() - 1;
    return grouped_row(*problem_.groups, t_, static_cast<u32>(group), row);
  }

  /// A group along K, and the row within it at which a box begins.
  struct GroupOfK {
    u32 group;
    i32 row;
  };
  /// Finds the group from its end; an empty group ends where the previous group does. Loads of a
  /// group start at a whole box.
  GroupOfK group_of_k(const Call& copy) const {
    const std::vector<i64>& rows = problem_.groups->rows();
    const i32 box = static_cast<i32>(copy.map.rows);
    i64 end = 0;
    for (u32 group = 0; group < rows.size(); ++group) {
      end += rows[group];
      const i64 row = i64{copy.y} - most_ragged_rows() + rows[group];
      if (end == copy.z && row >= 0 &&
          row < std::max<i64>(1, round_up<i64>(rows[group], t_.block_k)) +
                    (rows[group] == 0 ? t_.block_k - 1 : 0) &&
          row % box == 0) {
        return {group, static_cast<i32>(row)};
      }
    }
    throw Error(ExitCode::kWrong, "a box lies in no group");
  }

  /// For groups along M a box's rows count down to its group's end.
  i32 row_of_c(const Call& box) const {
    return grouped_along_m(problem_) ? box.y + box.z - most_ragged_rows() : box.y;
  }

  void load(const Call& copy) {
    Step& step = steps_.back();
    TILECAST_ASSERT(barrier(copy.address) == step.at);
    if (copy.map.operand == kernel_calls::kR) {
      step.kind = StepKind::kLoadResidual;
      step.tile_m = row_of(copy, copy.y).tile;
      step.tile_n = static_cast<u32>(copy.x / t_.block_n);
      step.bytes += existing_bytes(copy, t_);
      return;
    }
    TILECAST_ASSERT(step.kind == StepKind::kLoad);
    const u32 x = static_cast<u32>(copy.x), y = static_cast<u32>(copy.y);
    if (copy.map.operand == kernel_calls::kScales) {
      scales_of_ = y;
      most_copies = std::max(most_copies, ++copies_);
      return;
    }
    const bool of_a = copy.map.operand == kernel_calls::kA;
    const bool k_major = of_a ? a_is_k_major(problem_.layout) : b_is_k_major(problem_.layout);
    const u32 block_k = static_cast<u32>(t_.block_k);
    if (grouped_along_k(problem_)) {
      const GroupOfK of = group_of_k(copy);
      step.k_block = static_cast<u32>(of.row) / block_k;
      const u32 tile = x / static_cast<u32>(of_a ? t_.block_m : t_.block_n);
      const u32 before = of.group * rows_of_product();
      TILECAST_ASSERT(of_a || step.tile_m == kUnknownTile ||
                      step.tile_m / rows_of_product() == of.group);
      (of_a ? step.tile_m : step.tile_n) = tile + (of_a ? before : 0);
      step.bytes += existing_bytes(copy, t_);
      most_copies = std::max(most_copies, ++copies_);
      return;
    }
    step.k_block = (k_major ? x : y) / block_k;
    TILECAST_ASSERT(!has_block_scales(problem_.epilogue) || step.k_block == scales_of_);
    if (of_a && problem_.groups == nullptr) {
      step.tile_m = row_of(copy, k_major ? copy.y : copy.x).tile;
    } else if (of_a) {
      a_row_ =
          a_row_ < 0 ? copy.y : a_row_;  // a tile extends past its group, so B identifies the group
    } else {
      if (a_row_ >= 0) {
        step.tile_m = grouped_row(*problem_.groups, t_, static_cast<u32>(copy.z), a_row_).tile;
      }
      TILECAST_ASSERT(step.tile_m == kUnknownTile || problem_.groups != nullptr ||
                      step.tile_m / rows_of_product() == static_cast<u32>(copy.z));
      step.tile_n = (k_major ? y : x) / static_cast<u32>(t_.block_n);
    }
    step.bytes += existing_bytes(copy, t_);
    most_copies = std::max(most_copies, ++copies_);
  }

  void wgmma(const Call& call) {
    if (issued_++ == 0) {
      multiplied_ = static_cast<i32>(call.address) * 16 / smem_.a_stage_bytes;
    }
  }

  /// One thread's piece of a K block; add_copies adds those of the others.
  void copy(const Call& call) {
    if (!copying_) {
      copying_ = true;
      push({.kind = StepKind::kLoad,
            .at = static_cast<i32>(call.address) / smem_.a_stage_bytes,
            .tile_m = kUnknownTile,
            .tile_n = kUnknownTile});
    }
    Step& step = steps_.back();
    step.bytes += call.value;
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(call.pointer);
    const bool of_a = at < kAtB;
    const PlainMatrix& matrix = of_a ? args_.a_plain : args_.b_plain;
    const i64 byte = static_cast<i64>(at - (of_a ? kAtA : kAtB));
    const i64 product = matrix.matrix_bytes == 0 ? 0 : byte / matrix.matrix_bytes;
    const i64 in_matrix = byte - product * matrix.matrix_bytes;
    const i64 row = in_matrix / matrix.row_bytes;
    const i64 column = in_matrix % matrix.row_bytes / t_.operand_bytes;
    const bool k_major = of_a ? a_is_k_major(problem_.layout) : b_is_k_major(problem_.layout);
    if (call.value == 0 || (of_a ? step.tile_m : step.tile_n) != kUnknownTile) {
      return;
    }
    step.k_block = static_cast<u32>((k_major ? column : row) / t_.block_k);
    const u32 tile = static_cast<u32>((k_major ? row : column) / (of_a ? t_.block_m : t_.block_n));
    (of_a ? step.tile_m : step.tile_n) =
        tile + (of_a ? static_cast<u32>(product) * rows_of_product() : 0);
  }

  /// After a wait for copies, every thread has read the previous K block.
  void meet() {
    if (!met_ && released_ < multiplied_) {
      push({.kind = StepKind::kRelease, .at = released_++ % t_.stages, .count = 1});
    }
    met_ = true;
  }

  void mma_sync() {
    const i32 of_k_block =
        k_steps(t_) * wgmmas_along_m(t_) * warpgroup_columns(t_) / finest_n_step();
    if (issued_++ % of_k_block == 0) {
      push({.kind = StepKind::kMultiply, .at = multiplied_++ % t_.stages});
    }
  }

  /// After its last K block, a tile waits for one that it does not multiply.
  void number_waits() {
    i32 waits = 0;
    bool multiplies = false;  // before the next wait
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      multiplies |= step->kind == StepKind::kMultiply;
      if (step->kind == StepKind::kWaitFull) {
        step->count = multiplies ? 0 : -1;
        multiplies = false;
      }
    }
    std::erase_if(steps_,
                  [](const Step& s) { return s.kind == StepKind::kWaitFull && s.count < 0; });
    for (Step& step : steps_) {
      if (step.kind == StepKind::kWaitFull) {
        step.at = waits % t_.stages;
        step.count = waits / t_.stages & 1;
        ++waits;
      }
    }
    if (waits > 0) {
      wgmmas.insert(issued_ / waits);
    }
  }

  i32 chunk_columns(i32 chunk) const {
    const i32 across = ceil_div(warpgroup_columns(t_), c_slot_columns(t_));
    return std::min(c_slot_columns(t_),
                    warpgroup_columns(t_) - chunk % across * c_slot_columns(t_));
  }

  /// The thread stages sixteen columns at a time, or eight; chunks come in order.
  void stage(const Call& call) {
    if (left_of_chunk_ == 0) {
      left_of_chunk_ = chunk_columns(staged_);
      const i32 slots = std::min(t_.c_slots, c_chunks(t_));
      const i32 slot = (static_cast<i32>(call.address) - smem_.c_offset) / smem_.c_slot_bytes;
      const bool in_its_slot = t_.c_slots == 0 || slot % t_.c_slots == staged_ % slots;
      push({.kind = StepKind::kStage, .at = in_its_slot ? staged_ : -1});
      staged_ = (staged_ + 1) % c_chunks(t_);
    }
    left_of_chunk_ = std::max(0, left_of_chunk_ - 16);
  }

  /// The chunk of C that a box starts, or -1 if it continues one; with its part of the tile.
  void commit() {
    i32 left = 0;  // columns of the chunk that its boxes have yet to store
    for (const Call& box : boxes_) {
      const auto [tile_m, row_in_tile] = row_of(box, row_of_c(box));
      const i32 row = static_cast<i32>(row_in_tile), column = box.x % t_.block_n;
      const i32 in_part = column % warpgroup_columns(t_);
      const i32 across = ceil_div(warpgroup_columns(t_), c_slot_columns(t_));
      const i32 chunk = row % warpgroup_rows(t_) / kWgmmaM * across + in_part / c_slot_columns(t_);
      if (left == 0) {
        left = chunk_columns(chunk);
        push({.kind = StepKind::kStore, .at = chunk});
      }
      stored_parts.emplace(row / warpgroup_rows(t_) * warpgroup_rows(t_), column - in_part);
      left -= static_cast<i32>(box.map.columns);
      if (left == 0 && chunk == c_chunks(t_) - 1) {
        push({.kind = StepKind::kPartStored,
              .tile_m = tile_m,
              .tile_n = static_cast<u32>(box.x / t_.block_n)});
      }
    }
    TILECAST_ASSERT(left == 0);
    boxes_.clear();
  }

  /// Barrier 0 is for all threads; then come one per warpgroup, the consumers'
  /// (kernels/device/epilogue.cuh), and the schedule's.
  void named_barrier(const Call& call) {
    const bool syncs = call.name == Name::kBarrierSync;
    const i32 consumers = consumer_warpgroups(config_.schedule, t_);
    const i32 behind = static_cast<i32>(call.address) - consumers - 2;
    if (behind < -1) {
      return;
    }
    if (behind == -1) {
      return push({.kind = StepKind::kMeetConsumers});
    }
    if (!splits_k(config_.schedule)) {
      return push({.kind = syncs ? StepKind::kTakeTurn : StepKind::kGiveTurn, .at = behind});
    }
    const i32 parts = warpgroups_per_tile(t_);
    if (behind < parts) {
      return push({.kind = syncs ? StepKind::kWaitSumTaken : StepKind::kSumTaken, .at = behind});
    }
    push(
        {.kind = syncs ? StepKind::kWaitClearing : StepKind::kClearingReady, .at = behind - parts});
  }

  /// The lock of a part counts finished K blocks or, if sums are separate, pieces.
  void look(const Call& call) {
    const i64 lock = static_cast<const u32*>(call.pointer) - args_.locks;
    const i64 cta_tile = lock / warpgroups_per_tile(t_);
    const u32 linear = static_cast<u32>(cta_tile / cluster_size(t_));
    const u32 rank = static_cast<u32>(cta_tile % cluster_size(t_));
    const TileCoord tile = args_.scheduler.coord(linear);
    const u32 m = static_cast<u32>(t_.cluster_m), n = static_cast<u32>(t_.cluster_n);
    push({.kind = StepKind::kWaitSum,
          .count = config_.decomposition.reduction == Reduction::kSpread
                       ? i64{call.value}
                       : pieces_up_to(linear, static_cast<i32>(call.value)),
          .tile_m = tile.m * m + rank % m,
          .tile_n = tile.n * n + rank / m});
  }

  /// Pieces of a tile whose K blocks are its first `k_blocks`; -1 if that splits a piece.
  i64 pieces_up_to(u32 tile, i32 k_blocks) const {
    i64 pieces = 0, covered = 0;
    for (u32 worker = 0; worker < args_.work.workers; ++worker) {
      for (WorkPiece p = args_.work.first(worker); args_.work.valid(p);
           p = args_.work.next(worker, p)) {
        if (p.tile == tile && p.k_end <= k_blocks) {
          ++pieces;
          covered += p.k_blocks();
        }
      }
    }
    return covered == k_blocks ? pieces : -1;
  }

  void sum(StepKind kind) {
    if (last(kind) == nullptr) {
      push({.kind = kind});
    }
    i64& bytes = steps_.back().bytes;
    bytes += kSumBytes * threads_;
    // the clearing warps, some of which have one thread less
    if (threads_ != kThreadsPerWarpgroup) {
      bytes = std::min(bytes, i64{4} * warpgroup_rows(t_) * warpgroup_columns(t_));
    }
  }

  const KernelConfig& config_;
  const Tiling& t_;
  const GemmProblem& problem_;
  const GemmArgs& args_;
  SmemLayout smem_;
  i32 threads_;  // threads that it represents
  std::vector<Step> steps_;
  std::vector<Call> boxes_;
  i32 a_row_ = -1;     // from a K block's first box of A
  u32 scales_of_ = 0;  // K block of the last loaded scales
  i32 copies_ = 0, issued_ = 0, multiplied_ = 0, staged_ = 0, left_of_chunk_ = 0;
  i32 released_ = 0;                   // K blocks, of kernels with mma.sync
  bool copying_ = false, met_ = true;  // in a group of copies; past the last wait for one
};

std::vector<Call> calls_of(const HostKernel& kernel, const GemmArgs& args, u32 ranks, u32 block,
                           u32 rank, i32 thread) {
  kernel_calls::running = {.thread = static_cast<u32>(thread),
                           .block = block,
                           .rank = rank,
                           .blocks = args.work.workers * ranks};
  kernel.run(&args);
  return std::move(kernel_calls::running.calls);
}

/// Adds the CTAs notified by a warpgroup's other threads to those of its first one.
void add_releases(const std::vector<Call>& calls, std::vector<Step>& steps) {
  auto step = steps.begin();
  for (const Call& call : calls) {
    if (call.name == Name::kArrive) {
      step = std::find_if(step, steps.end(),
                          [](const Step& s) { return s.kind == StepKind::kRelease; });
      TILECAST_ASSERT(step != steps.end());
      (step++)->count |= i64{1} << call.value;
    }
  }
}

/// Adds another thread's copies to the loads of a CTA's first one.
void add_copies(const std::vector<Call>& calls, std::vector<Step>& steps) {
  auto step = steps.begin();
  bool copies = false;
  for (const Call& call : calls) {
    if (call.name == Name::kCopy && !copies) {
      copies = true;
      step =
          std::find_if(step, steps.end(), [](const Step& s) { return s.kind == StepKind::kLoad; });
      TILECAST_ASSERT(step != steps.end());
    }
    if (call.name == Name::kCopy) {
      step->bytes += call.value;
    } else if (call.name == Name::kCopyCommit && copies) {
      copies = false;
      ++step;
    }
  }
}

/// Checks, load by load, the bytes that a cluster's loads bring to each CTA.
void check_expected(const Tiling& t, const std::vector<std::vector<Call>>& loading,
                    const std::vector<std::vector<i64>>& expects) {
  std::vector<std::vector<i64>> brought(loading.size());
  for (const std::vector<Call>& calls : loading) {
    std::size_t loads = 0;
    for (const Call& call : calls) {
      loads += call.name == Name::kExpect ? 1 : 0;
      for (std::size_t to = 0; call.name == Name::kLoad && to < loading.size(); ++to) {
        brought[to].resize(std::max(brought[to].size(), loads));
        brought[to][loads - 1] += (call.value >> to & 1) != 0 ? box_bytes(call, t) : 0;
      }
    }
  }
  for (std::size_t cta = 0; cta < loading.size(); ++cta) {
    if (brought[cta] != expects[cta]) {
      throw Error(
          ExitCode::kWrong,
          fmt::format("CTA {} of a cluster waits for other byte counts than are loaded", cta));
    }
  }
}

}  // namespace

GroupedRow grouped_row(const GroupRows& groups, const Tiling& t, u32 group, i64 row) {
  const i64 in_group = row - groups.first_rows()[group];
  return {first_tile_row(groups, t, group) * static_cast<u32>(t.cluster_m) +
              static_cast<u32>(in_group / t.block_m),
          in_group % t.block_m};
}

i64 first_row_of(const GroupRows& groups, const Tiling& t, u32 tile) {
  const u32 cluster_row = tile / static_cast<u32>(t.cluster_m);
  const u32 group = groups.groups_of_tile_rows(i64{t.block_m} * t.cluster_m)[cluster_row];
  const u32 first_tile = first_tile_row(groups, t, group) * static_cast<u32>(t.cluster_m);
  return groups.first_rows()[group] + i64{tile - first_tile} * t.block_m;
}

KernelSteps kernel_steps(const HostKernel& kernel, const KernelConfig& config,
                         const GemmProblem& problem, u32 resident) {
  Launch launch(config, problem, resident);
  const GemmArgs& args = launch.args;
  const Tiling& t = config.tiling;
  const i32 consumers = consumer_warpgroups(config.schedule, t);
  const bool has_producer = has_producer_warpgroup(config.schedule);
  const u32 ranks = static_cast<u32>(cluster_size(t));
  KernelSteps found;
  std::set<i32> wgmmas;
  for (u32 worker = 0; worker < args.work.workers; ++worker) {
    std::vector<std::vector<Call>> loading(ranks);
    std::vector<std::vector<i64>> expects(ranks);
    for (u32 rank = 0; rank < ranks; ++rank) {
      const auto read = [&](i32 role, i32 thread, i32 threads) {
        const std::vector<Call> calls =
            calls_of(kernel, args, ranks, worker * ranks + rank, rank, thread);
        Reader reader(config, problem, args, threads);
        std::vector<Step> steps = reader.read(calls);
        while (ranks > 1 && !steps.empty() && steps.back().kind == StepKind::kWaitEmpty) {
          steps.pop_back();  // after its last load a CTA of a cluster waits for its peers
        }
        for (i32 next = 1; role >= 0 && next < t.cluster_m + t.cluster_n - 1; ++next) {
          add_releases(calls_of(kernel, args, ranks, worker * ranks + rank, rank, thread + next),
                       steps);
        }
        if (uses_mma_sync(config.schedule) && role == 0) {  // whose loads stand for all
          for (i32 next = 1; next < threads_per_cta(config.schedule, t); ++next) {
            add_copies(calls_of(kernel, args, ranks, worker * ranks + rank, rank, next), steps);
          }
        }
        found.most_copies = std::max(found.most_copies, reader.most_copies);
        wgmmas.merge(reader.wgmmas);
        found.stored_parts[role].merge(reader.stored_parts);
        if (!reader.expects.empty()) {
          loading[rank] = calls;
          expects[rank] = reader.expects;
        }
        if (!steps.empty()) {
          found.log[{worker, static_cast<i32>(rank), role}] = std::move(steps);
        }
      };
      if (has_producer) {  // first, because it finds the groups
        read(kProducerRole, consumers * kThreadsPerWarpgroup, 1);
        // Warps 1 to 3 clear sums; the first thread of the last one represents them (clear_sums).
        read(kClearingRole, consumers * kThreadsPerWarpgroup + 96, kThreadsPerWarpgroup - 32);
      }
      for (i32 warpgroup = 0; warpgroup < consumers; ++warpgroup) {
        read(warpgroup, warpgroup * kThreadsPerWarpgroup, kThreadsPerWarpgroup);
      }
    }
    check_expected(config.tiling, loading, expects);
  }
  found.fewest_wgmmas = wgmmas.empty() ? 0 : *wgmmas.begin();
  found.most_wgmmas = wgmmas.empty() ? 0 : *wgmmas.rbegin();
  return found;
}

}  // namespace tilecast
