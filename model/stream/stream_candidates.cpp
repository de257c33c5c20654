#include "model/stream/stream_candidates.h"

#include <fmt/format.h>

#include <span>

#include "model/spec/gpu_fields.h"
#include "model/stream/stream_config_text.h"
#include "model/stream/stream_occupancy.h"

namespace tilecast {
namespace {

struct Block {
  i32 rows, columns;
};
constexpr Block kBlocks[] = {{4, 256}, {8, 256}, {16, 256}, {32, 64}, {8, 512}, {64, 128}};
constexpr Block kVectorBlocks[] = {{1, 512},  {1, 1024},  {1, 2048}, {1, 4096},
                                   {1, 8192}, {1, 16384}, {1, 32768}};
constexpr i32 kWarps[] = {4, 8};
constexpr i32 kVectorBytes[] = {16, 8, 4, 2};
constexpr i32 kCtas[] = {1, 2, 4, 8};
// Copies: what they have in flight decides, and the best of it lies between powers of two.
constexpr i32 kCopyCtas[] = {1, 2, 4, 6, 8, 10, 12, 16, 24, 32};
constexpr BlockOrder kOrders[] = {BlockOrder::kBlocks, BlockOrder::kStrided, BlockOrder::kChunked,
                                  BlockOrder::kBands,  BlockOrder::kBounded, BlockOrder::kTickets};
constexpr CacheHint kHints[] = {CacheHint::kNone, CacheHint::kEvictFirst,
                                CacheHint::kStoresEvictFirst};
constexpr StreamLayout kLayouts[] = {StreamLayout::kPlain, StreamLayout::kSwizzled};
constexpr StreamView kViews[] = {StreamView::kMatrix, StreamView::kFlat};

constexpr i32 kOne[] = {1};
constexpr i32 kChunk[] = {kChunkBytes};
constexpr i32 kBuffers[] = {2, 3, 4};
constexpr i32 kRingStages[] = {2, 3, 4, 6, 8};
constexpr i32 kCopyStages[] = {1, 2, 4, 8};
constexpr StreamLayout kPlainOnly[] = {StreamLayout::kPlain};
constexpr StreamView kMatrixOnly[] = {StreamView::kMatrix};

/// What a schedule leaves to choose.
struct Menu {
  std::span<const Block> blocks;
  std::span<const i32> stages, warps, vectors;
  std::span<const StreamLayout> layouts;
  std::span<const StreamView> views;
};

Menu menu_of(StreamSchedule schedule) {
  const bool copy = is_memcpy(schedule);
  Menu menu{
      .blocks = copy ? std::span<const Block>(kVectorBlocks) : kBlocks,
      .stages = kOne,
      .warps = copies_runs(schedule) ? std::span<const i32>(kOne) : kWarps,
      .vectors = uses_tma(schedule) ? std::span<const i32>(kChunk) : kVectorBytes,
      .layouts = chooses_layout(schedule) ? std::span<const StreamLayout>(kLayouts) : kPlainOnly,
      .views = copy ? std::span<const StreamView>(kMatrixOnly) : kViews};
  if (copies_runs(schedule)) {
    menu.stages = kCopyStages;
  } else if (uses_tma(schedule)) {
    menu.stages = kRingStages;
  } else if (chooses_stages(schedule)) {
    menu.stages = kBuffers;
  }
  return menu;
}

/// Orders that are another one under this view: a flat block is a whole row of it, so that a band
/// is one block; a vector has one band.
bool repeats_another(const StreamConfig& config) {
  return config.order == BlockOrder::kBands &&
         (config.view == StreamView::kFlat || is_memcpy(config.schedule));
}

class Sieve {
 public:
  Sieve(const GpuSpec& gpu, const StreamProblem& problem) : gpu_(gpu), problem_(problem) {}

  void add(const StreamConfig& config) {
    if (repeats_another(config)) {
      return;
    }
    const Refusal refusal = check_legal(gpu_, problem_, config);
    if (refusal == Refusal::kNone) {
      candidates_.legal.push_back(config);
    } else {
      const std::string reason(to_text(refusal));
      ++candidates_.rejected[reason];
      candidates_.example.emplace(reason, config);
    }
  }

  StreamCandidates take() { return std::move(candidates_); }

 private:
  const GpuSpec& gpu_;
  const StreamProblem& problem_;
  StreamCandidates candidates_;
};

void add_orders(StreamConfig config, Sieve& sieve) {
  for (const i32 ctas : is_memcpy(config.schedule) ? std::span<const i32>(kCopyCtas) : kCtas) {
    for (const BlockOrder order : kOrders) {
      for (const CacheHint hint : kHints) {
        config.ctas_per_sm = ctas;
        config.order = order;
        config.hint = hint;
        sieve.add(config);
      }
    }
  }
}

void add_schedule(StreamSchedule schedule, Sieve& sieve) {
  const Menu menu = menu_of(schedule);
  StreamConfig config{};
  config.schedule = schedule;
  for (const Block& block : menu.blocks) {
    config.block_rows = block.rows;
    config.block_columns = block.columns;
    for (const i32 stages : menu.stages) {
      for (const i32 warps : menu.warps) {
        for (const i32 vector : menu.vectors) {
          for (const StreamView view : menu.views) {
            for (const StreamLayout layout : menu.layouts) {
              config.stages = stages;
              config.warps = warps;
              config.vector_bytes = vector;
              config.view = view;
              config.layout = layout;
              add_orders(config, sieve);
            }
          }
        }
      }
    }
  }
}

/// The word and the sentence of what is broken.
struct BrokenRule {
  Refusal refusal = Refusal::kNone;
  std::string sentence;
};

BrokenRule broken_rule(const GpuSpec& gpu, const StreamProblem& problem,
                       const StreamConfig& config) {
  if (uses_tma(config.schedule) && !has_bulk_copies(gpu.architecture)) {
    return {Refusal::kSchedule,
            fmt::format("{} needs TMA, which came with Hopper", to_text(config.schedule))};
  }
  const double most = gpu.sm.shared_memory_per_cta.value;
  if (stream_shared_bytes(config, problem.dtype) > most) {
    return {Refusal::kSharedMemory,
            fmt::format("the buffers do not fit in {} bytes of shared memory", most)};
  }
  if (std::string fault = stream_config_fault(config, problem.dtype); !fault.empty()) {
    return {Refusal::kBlock, std::move(fault)};
  }
  if (std::string fault = stream_problem_fault(config, problem); !fault.empty()) {
    return {Refusal::kAlignment, std::move(fault)};
  }
  if (!stream_registers_suffice(gpu, config, problem.dtype)) {
    return {Refusal::kRegisters, "its threads need more registers than there are"};
  }
  if (fitting_stream_ctas(gpu, config, problem.dtype) < config.ctas_per_sm) {
    return {Refusal::kOccupancy,
            fmt::format("{} such CTAs do not fit on an SM", config.ctas_per_sm)};
  }
  return {};
}

}  // namespace

Refusal check_legal(const GpuSpec& gpu, const StreamProblem& problem, const StreamConfig& config) {
  return broken_rule(gpu, problem, config).refusal;
}

std::string why_not_legal(const GpuSpec& gpu, const StreamProblem& problem,
                          const StreamConfig& config) {
  return broken_rule(gpu, problem, config).sentence;
}

StreamCandidates enumerate_candidates(const GpuSpec& gpu, const StreamProblem& problem,
                                      const std::vector<StreamSchedule>& schedules) {
  Sieve sieve(gpu, problem);
  for (const StreamSchedule schedule :
       schedules.empty() ? std::span<const StreamSchedule>(kEveryStreamSchedule) : schedules) {
    if (op_of(schedule) == problem.op) {
      add_schedule(schedule, sieve);
    }
  }
  return sieve.take();
}

}  // namespace tilecast
