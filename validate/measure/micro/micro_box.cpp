#include <fmt/format.h>

#include "model/base/math.h"
#include "validate/measure/micro/micro_ring.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 7;

/// A box, and how many of its rows the matrix has.
struct Box {
  i32 rows, inside;
};

enum class Lines { kOwn, kInStep, kApart };

const char* name_of(Lines lines) {
  switch (lines) {
    case Lines::kOwn:
      return "own_lines";
    case Lines::kInStep:
      return "in_step";
    case Lines::kApart:
      break;
  }
  return "apart";
}

void measure(MicroLab& lab, const Box& box, Lines lines, u32 active) {
  constexpr i32 kTurnRows = 128;   // rows of the boxes of one turn, 16 KiB
  constexpr u32 kInFlight = 1280;  // rows at most, 160 KiB
  constexpr u32 kOwnRows = 65536;  // columns of a range times its rows: 128 KiB
  constexpr u32 kElsewhere = 16;   // ranges' worth of columns, for SMs that are apart
  constexpr u32 kTurns = 256;
  const u32 sms = lab.sm_count();
  const u32 apart = sms / active;
  const i32 matrix_rows = max_of(16, box.inside);  // a matrix has rows even if no box meets them
  const u32 range = kOwnRows / static_cast<u32>(matrix_rows);
  const u32 boxes = static_cast<u32>(max_of(1, kTurnRows / box.rows));
  const u32 turn_rows = boxes * static_cast<u32>(box.rows);
  const BoxRun run{
      .rows = matrix_rows,
      .box_rows = box.rows,
      .row = box.inside == 0 ? matrix_rows : 0,
      .range = lines == Lines::kApart ? kElsewhere * range : range,
      .ranges = lines == Lines::kOwn ? active : 1,
      .boxes = boxes,
      .slots = min_of(8u, kInFlight / turn_rows),
      .turns = kTurns,
      .task = [=](u32 smid) -> SmTask {
        if (!is_one_of(smid, active, apart)) {
          return {0, 0, 0, 1};
        }
        const u32 place = smid / apart;
        return {1, lines == Lines::kOwn ? place : 0, lines == Lines::kApart ? place : 0, 1};
      }};
  std::vector<TimedSample> samples = run_boxes(lab, run, kRepeats);
  for (TimedSample& sample : samples) {
    sample.amount = u64{kTurns} * boxes;  // of one SM: they ran side by side
  }
  lab.report(
      latency_point(samples), "box", "tma.box_turn",
      fmt::format("box={} inside={} {} sms={}", box.rows, box.inside, name_of(lines), active),
      "tma_box");
}

}  // namespace

void measure_boxes(MicroLab& lab) {
  constexpr Box kWhole[] = {{16, 16}, {64, 64}, {128, 128}, {256, 256}};
  constexpr Box kBeyond[] = {{64, 16}, {128, 16}, {256, 16}, {128, 64}, {256, 128}};
  const u32 counts[] = {1, 4, 16, 33, 66, lab.sm_count()};
  for (const u32 active : counts) {
    for (const Lines lines : {Lines::kOwn, Lines::kInStep, Lines::kApart}) {
      for (const Box& box : kWhole) {
        measure(lab, box, lines, active);
      }
      for (const Box& box : kBeyond) {
        measure(lab, box, lines, active);
      }
    }
    for (const i32 rows : {16, 64, 256}) {
      measure(lab, {rows, 0}, Lines::kInStep, active);
    }
  }
}

}  // namespace tilecast
