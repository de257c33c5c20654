// What predict.h asks of an op: overloads of predict_one, rank_all and least_work for its question
// and problem, in a header of its folder. This one includes every op's.
#pragma once

#include "model/gemm/predict/predict_gemm.h"
#include "model/stream/predict_stream.h"
