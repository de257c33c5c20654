// A GEMM kernel by closed form at the clock that it leaves itself, and the fastest of many by it:
// physics alone, before anything learned.
//
// The search is exact though most kernels are never looked at: the kernel with the lowest bound for
// its best order of tiles is next, first what that order would really take, and once this is the
// lowest bound of all, each of its orders.
// Checked by: predict_test.cpp (the few fastest against all).
#pragma once

#include <cstddef>
#include <vector>

#include "model/clock/clock.h"
#include "model/gemm/form/closed_form.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/predict/gemm_question.h"
#include "model/predict/predict.h"

namespace tilecast {

struct GemmForm {
  KernelConfig config;
  GemmWork work;
  ClosedForm form;
  ClockState clock;
  Seconds time;
};

GemmForm gemm_form(const GemmQuestion& question, const KernelConfig& config, const GemmWork& work);

/// The same kernel where it settles on normal data, from which is learned.
GemmForm form_on_normal_data(const GemmQuestion& question, const GemmForm& kernel);

struct FastestForms {
  std::vector<GemmForm> forms;  // by time; equally fast ones in the order in which they were given
  std::vector<Seconds> times;   // of all that may be within 1 % of the fastest
  std::vector<GemmForm> apart;  // of the shortlist, not among `forms`
};

/// A tile that people write first: cooperative 128x256 or 128x128, pingpong 128x128 or 64x256, K
/// blocks of 128 bytes.
bool is_usual_tile(const KernelConfig& config, ElementType dtype);

/// Of each schedule the `keep` fastest. The kernels of one schedule are neighbours in `legal`, as
/// enumerate_kernels has them.
FastestForms fastest_forms(const GemmQuestion& question, const KernelList& legal, std::size_t keep,
                           unsigned threads, const Shortlist& shortlist = {});

}  // namespace tilecast
