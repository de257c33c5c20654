// Predicts a GEMM kernel analytically at its clock, and finds the fastest of many kernels, before
// any learned correction.
//
// The search is exact although most kernels are never evaluated. It takes the kernel with the
// lowest bound over all tile orders and computes the bound of its ideal order. If that is still the
// lowest, it evaluates each of the kernel's orders. Checked by: predict_test.cpp (the search
// against a full evaluation).
#pragma once

#include <cstddef>
#include <vector>

#include "model/clock/clock.h"
#include "model/gemm/form/closed_form.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/predict/gemm_question.h"
#include "model/rank/effort.h"
#include "model/rank/shortlist.h"

namespace tilecast {

struct GemmForm {
  KernelConfig config;
  GemmWork work;
  ClosedForm form;
  ClockState clock;
  Seconds time;
};

GemmForm gemm_form(const GemmQuestion& question, const KernelConfig& config, const GemmWork& work);

/// Predicts the same kernel at the clock for normally distributed inputs. The learned correction is
/// trained on these.
GemmForm form_on_normal_data(const GemmQuestion& question, const GemmForm& kernel);

struct FastestForms {
  std::vector<GemmForm> forms;  // fastest forms, sorted by time; ties in input order
  std::vector<Seconds> times;   // times of all kernels that may be within 1 % of the fastest
  std::vector<GemmForm> apart;  // kernels of the shortlist that are not in `forms`
};

/// Whether engineers usually try this tile first: cooperative 128x256 or 128x128, ping-pong 128x128
/// or 64x256, with K blocks of 128 bytes.
bool is_usual_tile(const AnyConfig& config, ElementType dtype);

/// A ranking always shows the best cooperative and ping-pong kernel, and the best usual tile.
ComparedKernels compared_kernels(ElementType dtype);

/// Returns the `keep` fastest of each schedule. The kernels of one schedule must be consecutive in
/// `legal`, as in enumerate_kernels.
FastestForms fastest_forms(const GemmQuestion& question, const KernelList& legal, std::size_t keep,
                           unsigned threads, const Shortlist& shortlist = {});

}  // namespace tilecast
