// The module tilecast._native, which exposes answers.h and known_calls.h to Python. Functions of
// the model release the GIL and stop at Ctrl-C. python/tilecast/_native.pyi documents the
// signatures; python/tests call them.

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/parallel.h"
#include "model/gemm/problem/epilogue.h"
#include "model/gemm/problem/routing.h"
#include "python/bindings/answers.h"
#include "python/bindings/known_calls.h"

namespace nb = nanobind;

namespace tilecast::python {
namespace {

using Texts = std::vector<std::string>;
using Text = std::optional<std::string>;
// gpu, calibrated, folder of the configuration files
using GpuTuple = std::tuple<std::string, bool, std::string>;
// op, shape, dtype, fields by name
using ProblemTuple = std::tuple<std::string, std::string, std::string,
                                std::map<std::string, std::string, std::less<>>>;
using ProblemTuples = std::vector<ProblemTuple>;
// regime, inputs, method
using ConditionsTuple = std::tuple<std::string, std::string, Text>;
// schedules, top, simulate, threads, config, objective
using SearchTuple =
    std::tuple<Texts, std::size_t, std::optional<std::size_t>, unsigned, Texts, std::string>;

// block_m, block_n, block_k, stages, warps, group_m, split_k, persistent, flatten, tma, constant_k
using TritonTuple = std::tuple<int, int, int, int, int, int, int, bool, bool, bool, bool>;

template <class T, class Tuple>
T made(const Tuple& parts) {
  return std::apply([](const auto&... part) { return T{part...}; }, parts);
}

template <class T, class Tuple>
std::vector<T> all_made(const std::vector<Tuple>& tuples) {
  std::vector<T> all;
  for (const Tuple& tuple : tuples) {
    all.push_back(made<T>(tuple));
  }
  return all;
}

std::pair<std::string, std::string> both(Answer answer) {
  return {std::move(answer.json), std::move(answer.table)};
}

/// Runs `answer()` on another thread without the GIL and returns its result. Meanwhile runs
/// Python's signal handlers; if one raises, as for Ctrl-C, stops the thread's work and raises that
/// exception.
template <class Answer>
auto interruptible(const Answer& answer) {
  constexpr std::chrono::milliseconds kPoll{100};
  const nb::gil_scoped_release release;
  std::stop_source stop;
  std::future<decltype(answer())> later;
  try {
    later = std::async(std::launch::async, [&] {
      const StopScope scope(stop.get_token());
      return answer();
    });
  } catch (const std::system_error&) {  // the system's thread limit is reached
    return answer();
  }
  while (later.wait_for(kPoll) != std::future_status::ready) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) {
      nb::python_error raised;
      stop.request_stop();
      {
        const nb::gil_scoped_release without;
        later.wait();
      }
      throw raised;
    }
  }
  return later.get();
}

/// Makes a function of the module from one of the model.
template <class Answer, class... Args>
auto of_model(Answer (*answer)(Args...)) {
  return [answer](Args... args) { return interruptible([&] { return answer(args...); }); };
}

}  // namespace
}  // namespace tilecast::python

NB_MODULE(_native, m) {
  using namespace tilecast::python;

  // Later translators are tried first, so the general error is registered before its subclasses.
  nb::exception<tilecast::Error>(m, "Error", PyExc_RuntimeError);
  nb::exception<tilecast::FileError>(m, "FileError", PyExc_OSError);
  nb::exception<tilecast::ConfigError>(m, "ConfigError", PyExc_ValueError);

  m.def("gpus", of_model(+[](const std::string& configs) {
          std::vector<std::tuple<std::string, std::string, std::string, int, std::string>> lines;
          for (const GpuLine& gpu : gpus(configs)) {
            lines.emplace_back(gpu.name, gpu.product, gpu.architecture, gpu.sms, gpu.why_not);
          }
          return lines;
        }));
  m.def("predict", of_model(+[](const GpuTuple& gpu, const ProblemTuple& problem,
                                const ConditionsTuple& conditions, const SearchTuple& search) {
          const RankingAnswer ranking = predict(made<GpuChoice>(gpu), made<ProblemTexts>(problem),
                                                made<Conditions>(conditions), made<Search>(search));
          return std::tuple(ranking.json, ranking.table, ranking.by_tile);
        }));
  m.def("predict_many", of_model(+[](const GpuTuple& gpu, const ProblemTuples& problems,
                                     const ConditionsTuple& conditions, const SearchTuple& search) {
          return predict_many(made<GpuChoice>(gpu), all_made<ProblemTexts>(problems),
                              made<Conditions>(conditions), made<Search>(search));
        }));
  m.def("compare_many", of_model(+[](const GpuTuple& gpu, const ProblemTuples& problems,
                                     const ConditionsTuple& conditions, unsigned threads) {
          return compare_many(made<GpuChoice>(gpu), all_made<ProblemTexts>(problems),
                              made<Conditions>(conditions), threads);
        }));
  m.def("constants",
        of_model(+[](const GpuTuple& gpu) { return constants(made<GpuChoice>(gpu)); }));
  m.def("explain", of_model(+[](const GpuTuple& gpu, const ProblemTuple& problem,
                                const ConditionsTuple& conditions, const Texts& configs, bool best,
                                unsigned threads) {
          return both(explain(made<GpuChoice>(gpu), made<ProblemTexts>(problem),
                              made<Conditions>(conditions), configs, best, threads));
        }));
  m.def("config_times",
        of_model(+[](const GpuTuple& gpu, const ProblemTuples& problems,
                     const ConditionsTuple& conditions, const Texts& configs, unsigned threads) {
          return config_times(made<GpuChoice>(gpu), all_made<ProblemTexts>(problems),
                              made<Conditions>(conditions), configs, threads);
        }));
  m.def("family_times",
        of_model(+[](const GpuTuple& gpu, const ProblemTuple& problem,
                     const ConditionsTuple& conditions, const std::vector<Texts>& kernels,
                     const std::map<std::string, double>& cycles, unsigned threads) {
          std::vector<std::tuple<double, double, double, std::string>> times;
          for (const FamilyTime& t :
               family_times(made<GpuChoice>(gpu), made<ProblemTexts>(problem),
                            made<Conditions>(conditions), kernels, cycles, threads)) {
            times.emplace_back(t.seconds, t.cycles, t.sm_clock_hz, t.config);
          }
          return times;
        }));
  m.def("sm_limits", of_model(+[](const GpuTuple& gpu) {
          const SmLimits sm = sm_limits(made<GpuChoice>(gpu));
          return std::tuple(sm.threads, sm.registers, sm.shared_bytes, sm.cta_shared_bytes,
                            sm.wgmma);
        }));
  m.def("routed_rows", [](tilecast::i64 tokens, tilecast::i64 experts, tilecast::i64 top_k,
                          const std::string& routing, tilecast::u64 seed) {
    return tilecast::drawn_rows({experts, tokens, top_k, tilecast::parse_zipf(routing), seed}, 1)
        .front();
  });
  m.def("activations", [] {
    std::vector<std::pair<std::string, int>> words;
    for (const tilecast::OutputStep step : tilecast::steps_of(tilecast::OutputKind::kActivate)) {
      words.emplace_back(row_of(step).word, tilecast::OutputSteps::columns_of(step));
    }
    return words;
  });
  m.def("triton_times",
        of_model(+[](const GpuTuple& gpu, const ProblemTuple& problem,
                     const ConditionsTuple& conditions, const std::vector<TritonTuple>& tuples,
                     const std::map<std::string, double>& costs, unsigned threads) {
          const auto kernels = all_made<tilecast::TritonKernel>(tuples);
          std::vector<std::tuple<double, double>> times;
          for (const tilecast::TritonTime& t :
               triton_times(made<GpuChoice>(gpu), made<ProblemTexts>(problem),
                            made<Conditions>(conditions), kernels, costs, threads)) {
            times.emplace_back(t.time.value, t.least.value);
          }
          return times;
        }));
  add_known_calls(m);
}
