#include "model/stream/stream_menu.h"

#include <span>

#include "model/stream/stream_config_text.h"
#include "model/stream/stream_rules.h"

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
// Bytes in flight determine a copy's speed, and the best number of CTAs can be between powers of
// two.
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

/// Whether order `bands` visits the blocks in the same order as another one: in the flat view a
/// band is a single block, and a memcpy has a single band.
bool repeats_another(const StreamConfig& config) {
  return config.order == BlockOrder::kBands &&
         (config.view == StreamView::kFlat || is_memcpy(config.schedule));
}

/// Visits all configurations of a schedule.
template <class Visit>
void walk_schedule(StreamSchedule schedule, const Visit& visit) {
  using C = StreamConfig;
  using Numbers = std::span<const i32>;
  const bool copy = is_memcpy(schedule);
  const Numbers stages = copies_runs(schedule)      ? Numbers(kCopyStages)
                         : uses_tma(schedule)       ? kRingStages
                         : chooses_stages(schedule) ? Numbers(kBuffers)
                                                    : kOne;
  const Numbers warps = copies_runs(schedule) ? Numbers(kOne) : kWarps;
  const Numbers vectors = uses_tma(schedule) ? Numbers(kChunk) : kVectorBytes;
  const std::span<const StreamView> views =
      copy ? std::span<const StreamView>(kMatrixOnly) : kViews;
  const std::span<const StreamLayout> layouts =
      chooses_layout(schedule) ? std::span<const StreamLayout>(kLayouts) : kPlainOnly;
  const Numbers ctas = copy ? Numbers(kCopyCtas) : kCtas;
  for (const Block& block : copy ? std::span<const Block>(kVectorBlocks) : kBlocks) {
    StreamConfig config{};
    config.schedule = schedule;
    config.block_rows = block.rows;
    config.block_columns = block.columns;
    walk_menu(config, visit, &C::stages, stages, &C::warps, warps, &C::vector_bytes, vectors,
              &C::view, views, &C::layout, layouts, &C::ctas_per_sm, ctas, &C::order, kOrders,
              &C::hint, kHints);
  }
}

}  // namespace

StreamCandidates enumerate_candidates(const GpuSpec& gpu, const StreamProblem& problem,
                                      const std::vector<StreamSchedule>& schedules) {
  StreamCandidates candidates;
  for (const StreamSchedule schedule :
       schedules.empty() ? std::span<const StreamSchedule>(kEveryStreamSchedule) : schedules) {
    if (op_of(schedule) == problem.op) {
      walk_schedule(schedule, [&](const StreamConfig& config) {
        if (!repeats_another(config)) {
          candidates.add(config, check_legal(gpu, problem, config));
        }
      });
    }
  }
  return candidates;
}

}  // namespace tilecast
