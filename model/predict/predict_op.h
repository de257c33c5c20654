// Declares the overloads that predict.h needs for an op: predict_one, closed_form_times, rank_all
// and least_work for its query and problem. Each op declares them in a header of its folder; this
// header includes those of all ops.
#pragma once

#include "model/attention/attention_model.h"
#include "model/gemm/predict/predict_gemm.h"
#include "model/stream/predict_stream.h"
