#include "python/bindings/known_calls.h"

#include <tilecast/tilecast.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

namespace nb = nanobind;

namespace tilecast::python {
namespace {

// The part of dlpack.h (1.3) used in this file.
struct DlTensor {
  void* data;
  std::int32_t device_type, device;
  std::int32_t dimensions;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  const std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
constexpr std::int32_t kCuda = 2;

/// Functions return 0 on success, or set an exception.
struct ExchangeApi {
  std::uint32_t major, minor;
  const void* previous;
  void *allocate, *managed_of_object, *object_of_managed;
  int (*view)(void* object, DlTensor* tensor);  // valid until the object is modified
  int (*current_stream)(std::int32_t device_type, std::int32_t device, void** stream);
};

const ExchangeApi* exchange_api(nb::handle capsule) {
  const auto* const api =
      static_cast<const ExchangeApi*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  if (api == nullptr) {
    throw nb::python_error();
  }
  if (api->major != 1 || api->view == nullptr) {
    throw nb::value_error("expected version 1 of DLPack's exchange API");
  }
  return api;
}

/// Clears the exception of a failed call into Python or another library, if the exception is
/// handled here.
bool succeeded(bool good) {
  if (!good) {
    PyErr_Clear();
  }
  return good;
}

/// Returns the interned object of a string, so that equal strings are one object; returns other
/// objects unchanged.
nb::object interned(nb::handle word) {
  PyObject* one = nb::borrow(word).release().ptr();
  if (PyUnicode_CheckExact(one)) {
    PyUnicode_InternInPlace(&one);
  }
  return nb::steal(one);
}

/// Arguments that were not given are None.
struct Arguments {
  nb::handle a, b, out, bias, activation;
};

/// Words per tensor: device, type, two sizes, two strides; zeros if absent.
constexpr std::size_t kWords = 6;
/// Words of a, b, out and bias; the activation's interned address, which a call keeps alive; the
/// stream.
using Key = std::array<std::int64_t, 4 * kWords + 2>;

struct Hash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = 0;
    for (const std::int64_t word : key) {
      hash = (std::rotl(hash, 5) ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15u;
    }
    return hash ^ hash >> 32;
  }
};

struct Seen {
  Key key{};
  void *a = nullptr, *b = nullptr, *out = nullptr, *bias = nullptr, *stream = nullptr;
  nb::object activation;  // interned, or None
};

struct Call {
  const tilecast_plan* plan = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  nb::object activation;
  nb::object like;  // a one-element tensor and the result's sizes; or None
  nb::object kept;
};

class KnownCalls {
 public:
  /// `api` is the exchange API of both types. The addresses are those of tilecast_plan_run,
  /// cuCtxGetDevice and cuStreamIsCapturing.
  KnownCalls(nb::handle api, nb::object tensor, nb::object parameter, nb::object is_grad_enabled,
             nb::object empty_like, std::uintptr_t run, std::uintptr_t device,
             std::uintptr_t is_capturing)
      : api_(exchange_api(api)),
        tensor_(std::move(tensor)),
        parameter_(std::move(parameter)),
        is_grad_enabled_(std::move(is_grad_enabled)),
        empty_like_(std::move(empty_like)),
        requires_grad_(nb::steal(PyUnicode_InternFromString("requires_grad"))),
        run_(reinterpret_cast<decltype(run_)>(run)),
        device_(reinterpret_cast<decltype(device_)>(device)),
        is_capturing_(reinterpret_cast<decltype(is_capturing_)>(is_capturing)) {}

  /// Returns `out`, or a new tensor if that is None; returns None if the Python path has to take
  /// the call.
  nb::object run(nb::handle a, nb::handle b, nb::handle out, nb::handle bias,
                 nb::handle activation) const {
    const Arguments given{a, b, out, bias, activation};
    const std::optional<Seen> seen = look_at(given);
    const auto found = seen ? calls_.find(seen->key) : calls_.end();
    if (found == calls_.end()) {
      return nb::none();
    }
    const Call call = found->second;  // another thread may drop the entry meanwhile
    if (records_gradients(given)) {
      return nb::none();
    }
    tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
    arguments.a = seen->a;
    arguments.b = seen->b;
    arguments.c = seen->out;
    arguments.bias = seen->bias;
    arguments.workspace = call.workspace;
    arguments.workspace_bytes = call.workspace_bytes;
    nb::object result = out.is_none() ? empty_like_(call.like) : nb::borrow(out);
    std::int64_t unused[kWords];
    if (out.is_none() && !look_at(result, unused, arguments.c)) {
      return nb::none();
    }
    tilecast_status status = TILECAST_OK;
    {
      const nb::gil_scoped_release released;  // blocks while the stream's queue is full
      status = run_(call.plan, &arguments, seen->stream);
    }
    return status == TILECAST_OK ? result : nb::none();
  }

  /// Remembers the call on the current stream. `kept` lives as long as the entry.
  void remember(nb::handle a, nb::handle b, nb::handle out, nb::handle bias, nb::handle activation,
                std::uintptr_t plan, std::uintptr_t workspace, std::size_t workspace_bytes,
                nb::handle kept) {
    const std::optional<Seen> seen = look_at({a, b, out, bias, activation});
    if (!seen) {
      return;
    }
    Call call{reinterpret_cast<const tilecast_plan*>(plan),
              reinterpret_cast<void*>(workspace),
              workspace_bytes,
              seen->activation,
              nb::none(),
              nb::borrow(kept)};
    if (out.is_none()) {
      call.like = a.attr("new_empty")(1).attr("expand")(seen->key[2], seen->key[kWords + 3]);
    }
    // Dropping entries may run Python code, so it comes last.
    const Calls dropped = calls_.size() < kMostCalls ? Calls() : std::exchange(calls_, Calls());
    std::swap(calls_[seen->key], call);
  }

 private:
  static constexpr std::size_t kMostCalls = 512;
  using Calls = std::unordered_map<Key, Call, Hash>;

  /// Returns false if it is not torch's own tensor, or not a matrix or vector.
  bool look_at(nb::handle tensor, std::int64_t* words, void*& data) const {
    const nb::handle type = tensor.type();
    DlTensor view;
    if ((!type.is(tensor_) && !type.is(parameter_)) ||
        !succeeded(api_->view(tensor.ptr(), &view) == 0) || view.strides == nullptr ||
        view.dimensions < 1 || view.dimensions > 2) {
      return false;
    }
    words[0] = std::int64_t{view.device_type} << 32 | view.device;
    words[1] = std::int64_t{view.dimensions} << 32 | view.code << 24 | view.bits << 16 | view.lanes;
    for (std::int32_t i = 0; i < view.dimensions; ++i) {
      words[2 + i] = view.shape[i];
      words[4 + i] = view.strides[i];
    }
    data = static_cast<char*>(view.data) + view.byte_offset;
    return true;
  }

  /// Returns std::nullopt if the call cannot take the fast path on the current stream and device.
  std::optional<Seen> look_at(const Arguments& given) const {
    Seen seen;
    std::int64_t* const words = seen.key.data();
    if (!look_at(given.a, words, seen.a) || !look_at(given.b, words + kWords, seen.b) ||
        (!given.out.is_none() && !look_at(given.out, words + 2 * kWords, seen.out)) ||
        (!given.bias.is_none() && !look_at(given.bias, words + 3 * kWords, seen.bias)) ||
        (!given.activation.is_none() && !PyUnicode_CheckExact(given.activation.ptr()))) {
      return {};
    }
    const auto device = static_cast<std::int32_t>(words[0]);
    int current = 0, capture = 0;
    if (words[0] >> 32 != kCuda || device_(&current) != 0 || current != device ||
        !succeeded(api_->current_stream(kCuda, device, &seen.stream) == 0) ||
        is_capturing_(seen.stream, &capture) != 0 || capture != 0) {
      return {};
    }
    seen.activation = interned(given.activation);
    seen.key[4 * kWords] = reinterpret_cast<std::intptr_t>(seen.activation.ptr());
    seen.key[4 * kWords + 1] = reinterpret_cast<std::intptr_t>(seen.stream);
    return seen;
  }

  bool records_gradients(const Arguments& given) const {
    for (const nb::handle tensor : {given.a, given.b, given.out, given.bias}) {
      if (tensor.is_none()) {
        continue;
      }
      const nb::object required = nb::steal(PyObject_GetAttr(tensor.ptr(), requires_grad_.ptr()));
      if (!succeeded(required.is_valid()) || required.ptr() != Py_False) {
        return !is_grad_enabled_().is(Py_False);
      }
    }
    return false;
  }

  const ExchangeApi* api_;  // lives as long as the process
  nb::object tensor_, parameter_, is_grad_enabled_, empty_like_, requires_grad_;
  decltype(&tilecast_plan_run) run_;
  int (*device_)(int* ordinal);
  int (*is_capturing_)(void* stream, int* status);
  Calls calls_;
};

}  // namespace

void add_known_calls(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<KnownCalls>(module, "KnownCalls")
      .def(nb::init<nb::handle, nb::object, nb::object, nb::object, nb::object, std::uintptr_t,
                    std::uintptr_t, std::uintptr_t>())
      .def("run", &KnownCalls::run, "a"_a.none(), "b"_a.none(), "out"_a.none(), "bias"_a.none(),
           "activation"_a.none())
      .def("remember", &KnownCalls::remember, "a"_a, "b"_a, "out"_a.none(), "bias"_a.none(),
           "activation"_a.none(), "plan"_a, "workspace"_a, "workspace_bytes"_a, "kept"_a.none());
}

}  // namespace tilecast::python
