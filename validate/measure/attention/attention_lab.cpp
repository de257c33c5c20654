#include "validate/measure/attention/attention_lab.h"

#include "model/attention/attention_text.h"
#include "model/base/math.h"
#include "validate/measure/attention/cudnn_attention.h"
#include "validate/measure/kernel_contender.h"

namespace tilecast {
namespace {

// Alignment of every tensor, which frameworks' allocators also give.
constexpr std::size_t kAlignment = 1024;

std::size_t aligned(double bytes) { return round_up(static_cast<std::size_t>(bytes), kAlignment); }

struct SetBytes {
  std::size_t q, k, lse;  // O has the size of Q, V the size of K

  std::size_t all() const { return 2 * q + 2 * k + lse; }
};
SetBytes set_bytes(const AttentionProblem& p) {
  return {aligned(query_bytes(p)), aligned(kv_bytes(p) / 2), aligned(lse_bytes(p))};
}

}  // namespace

class AttentionLab::Kernel final : public KernelContender<AttentionLaunch, AttentionArgs> {
 public:
  Kernel(AttentionLab& attention, const AttentionConfig& config, Measurement& row)
      : KernelContender(attention.lab_, attention_source(config, attention.problem_),
                        kAttentionEntry, attention.problem_, config, attention.sets_.count, row),
        attention_(attention) {}

  Verdict check() override {
    return attention_.check(
        [this](const AttentionBuffers& checked) { launch().launch(bind(checked), stream()); });
  }

 private:
  AttentionArgs bind(const AttentionBuffers& buffers) const {
    return launch().bind(buffers, usual_scale(attention_.problem_));
  }
  AttentionArgs bind(std::size_t set) const override { return bind(attention_.set(set)); }

  AttentionLab& attention_;
};

class AttentionLab::Baseline final : public Contender {
 public:
  explicit Baseline(AttentionLab& attention)
      : attention_(attention), cudnn_(attention.problem_, usual_scale(attention.problem_)) {}

  Verdict check() override {
    return attention_.check(
        [this](const AttentionBuffers& checked) { cudnn_.run(checked, stream()); });
  }

  Workload workload() override {
    return {.enqueue = [this](std::size_t i) { cudnn_.run(attention_.set(i), stream()); },
            .sets = attention_.sets_.count,
            .estimate = {}};
  }

  void time(Measurement& row, const Timing& timing) override {
    Workload launches = workload();
    timing(row, launches);
    row.reason = cudnn_.description();
  }

 private:
  cudaStream_t stream() const { return attention_.lab_.stream.get(); }

  AttentionLab& attention_;
  CudnnAttention cudnn_;
};

std::vector<KernelSource> AttentionLab::kernel_sources(const AttentionProblem& problem,
                                                       const AttentionConfig& config) {
  return {attention_source(config, problem)};
}

AttentionLab::AttentionLab(const LabDevice& lab)
    : lab_(lab), verifier_(lab.cache, lab.kernels, lab.stream) {}

void AttentionLab::prepare(const AnyProblem& problem, Inputs inputs) {
  problem_ = std::get<AttentionProblem>(problem);
  const std::size_t bytes = set_bytes(problem_).all();
  sets_ = buffer_sets(bytes, lab_.l2);
  lab_.stream.synchronize();  // reserve() may move the memory
  memory_.reserve(sets_.count * bytes);
  // Fills outputs too, because a buffer in use would contain data.
  lab_.kernels.fill(memory_.as<void>(), sets_.count * bytes / sizeof(short), problem_.dtype, inputs,
                    shape_seed(problem_), lab_.stream.get());
  verifier_.prepare(problem_, set(0));
}

Verdict AttentionLab::check(const std::function<void(const AttentionBuffers&)>& launch) {
  return verifier_.check([&](void* o, float* lse) {
    AttentionBuffers checked = set(0);
    checked.o.pointer = o;
    checked.lse = lse;
    launch(checked);
  });
}

AttentionBuffers AttentionLab::set(std::size_t index) const {
  const SetBytes bytes = set_bytes(problem_);
  const std::size_t q = index * bytes.all(), k = q + bytes.q, v = k + bytes.k, o = v + bytes.k;
  return tight_buffers(problem_, memory_.as<void>(q), memory_.as<void>(k), memory_.as<void>(v),
                       memory_.as<void>(o),
                       problem_.lse ? memory_.as<float>(o + bytes.q) : nullptr);
}

std::unique_ptr<Contender> AttentionLab::contender(const std::string& config, Measurement& row) {
  if (config == kCudnnAttention) {
    return std::make_unique<Baseline>(*this);
  }
  return std::make_unique<Kernel>(*this, std::get<AttentionConfig>(parse_config(config)), row);
}

}  // namespace tilecast
