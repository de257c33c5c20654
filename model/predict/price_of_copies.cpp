#include "model/predict/price_of_copies.h"

#include "model/gemm/problem/operand_copies.h"
#include "model/stream/predict_stream.h"

namespace tilecast {

std::optional<OperandCopies> operand_copies(const GpuSpec& gpu, const AnyProblem& problem,
                                            Regime regime, Inputs inputs) {
  const GemmProblem* const gemm = std::get_if<GemmProblem>(&problem);
  if (gemm == nullptr || !copied_operands(*gemm).any()) {
    return std::nullopt;
  }
  const CopyBytes written = copy_bytes(*gemm);
  const i64 bytes = written.a + written.b;  // a multiple of 16 bytes
  const StreamProblem copy{1, bytes / element_bytes(ElementType::kFp16), ElementType::kFp16,
                           Op::kMemcpy};
  const Ranking ranking = rank_all(StreamQuestion{gpu, copy, regime, inputs},
                                   {StreamSchedule::kMemcpy}, 1, {}, nullptr);
  return OperandCopies{.operands = copied_operands(*gemm),
                       .bytes = Bytes{2 * static_cast<double>(bytes)},
                       .time = ranking.predictions.front().time};
}

void add_copies(const std::optional<OperandCopies>& copies, Prediction& p) {
  if (!copies) {
    return;
  }
  const Seconds kernel = p.time;
  p.copies = copies->time;
  for (Seconds* time : {&p.time, &p.interval_low, &p.interval_high, &p.closed_form_time}) {
    *time += p.copies;
  }
  p.cycles += cycles_of(p.copies, p.sm_clock);
  p.tflops *= kernel / p.time;
}

}  // namespace tilecast
