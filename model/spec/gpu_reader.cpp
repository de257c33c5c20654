#include "model/spec/gpu_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/words.h"
#include "model/spec/gpu_fields.h"

namespace tilecast {
namespace {

constexpr Words<Architecture, 6> kArchitectures{{{Architecture::kAmpere, "ampere"},
                                                 {Architecture::kAda, "ada"},
                                                 {Architecture::kHopper, "hopper"},
                                                 {Architecture::kBlackwell, "blackwell"},
                                                 {Architecture::kBlackwellRtx, "blackwell_rtx"},
                                                 {Architecture::kFictional, "fictional"}}};

std::vector<std::string> root_keys() {
  std::vector<std::string> keys{"name",     "product",          "architecture",
                                "based_on", "default_interval", "sm"};
  GpuSpec any{};
  each_section(any, [&](std::string_view name, auto&) { keys.emplace_back(name); });
  return keys;
}

/// A consistency rule between two numbers of a GPU: `key` is compared with `factor` times `limit`.
struct Against {
  std::string_view key;
  double factor;
  std::string_view limit;
};
constexpr Against kAtMost[] = {
    {"clusters.max_active_of_2", 1.0 / 2, "sm.count"},
    {"clusters.max_active_of_4", 1.0 / 4, "sm.count"},
    {"clusters.max_active_of_8", 1.0 / 8, "sm.count"},
    // A measurement cannot exceed the datasheet.
    {"dram.read_rate", 1, "dram.bandwidth"},
    {"dram.write_rate", 1, "dram.bandwidth"},
    // An additional hop or operation cannot cost less.
    {"machine.wake", 1, "machine.remote_wake"},
    {"reduction.sm_add", 1, "reduction.sm_store"},
    {"reduction.chip_add", 1, "reduction.chip_store"},
    {"clock.tensor_plateau", 1, "clock.max"},
    // Regulators allow a few tens of per cent above the rating for milliseconds.
    {"power.static_power", 0.5, "power.sustained_limit"},
    {"power.sustained_limit", 1, "power.burst_limit"},
    {"power.burst_limit", 2, "power.sustained_limit"},
    // More toggling bits cost more energy.
    {"power.per_flop_zeros", 1, "power.per_flop_ternary"},
    {"power.per_flop_ternary", 1, "power.per_flop_uniform"},
    {"power.per_flop_uniform", 1, "power.per_flop_normal"},
};
/// A measurement cannot be a small part of its theoretical limit.
constexpr Against kAtLeast[] = {
    {"dram.read_rate", 1.0 / 4, "dram.bandwidth"},
    {"dram.write_rate", 1.0 / 4, "dram.bandwidth"},
    {"clock.tensor_plateau", 1.0 / 4, "clock.max"},
};

class GpuReader {
 public:
  GpuReader(const StrictValue& root, const LoadedGpu* parent)
      : root_(root), map_(root.map(root_keys())), parent_(parent) {
    if (parent != nullptr) {
      parent_spec_ = parent->spec;
      for (const Field& field : fields_of(parent_spec_)) {
        parents_.emplace(field.path(), field);
      }
    }
  }

  LoadedGpu read() {
    GpuSpec& spec = loaded_.spec;
    spec.name = name_in(map_.required("name"));
    spec.product = map_.required("product").text();
    const std::optional<StrictValue> architecture = map_.optional("architecture");
    spec.architecture = architecture || parent_ == nullptr
                            ? map_.required("architecture").word(kArchitectures)
                            : parent_->spec.architecture;
    each_section(spec, [&](std::string_view name, auto& section) {
      if (has_section(name)) {
        section.emplace();
      }
    });
    const std::vector<Field> fields = fields_of(spec);
    find_given(fields);
    for (const Field& field : fields) {
      loaded_.constants.push_back(given_.contains(field.path()) ? read_given(field)
                                                                : inherit(field));
    }
    check_together(fields);
    return std::move(loaded_);
  }

 private:
  /// Returns the GPU's name, from this file or its parent. File names, plans and reports contain
  /// it.
  static std::string name_in(const StrictValue& value) {
    const std::string name = value.text();
    constexpr std::string_view kOthers = "_.-";
    const bool plain = std::ranges::all_of(name, [&](char c) {
      return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
             kOthers.find(c) != kOthers.npos;
    });
    if (!plain || name.empty() || name.size() > 64 || kOthers.find(name.front()) != kOthers.npos) {
      value.fail(fmt::format("expected up to 64 letters, digits, '_', '.' and '-', got '{}'",
                             printable(name)));
    }
    return name;
  }

  bool has_section(std::string_view name) {
    const Architecture architecture = loaded_.spec.architecture;
    const Presence presence = presence_of(name, architecture);
    if (map_.optional(name)) {
      if (presence == Presence::kForbidden) {
        map_.required(name).fail(
            has_mma_sync_alone(architecture)
                ? fmt::format("allowed only for GPUs of architecture hopper or blackwell, not {}",
                              to_text(architecture))
                : fmt::format("allowed only for GPUs of architecture {}",
                              name == "wgmma" || name == "attention" ? "hopper"
                              : name == "tcgen05"                    ? "blackwell"
                                                  : "ampere, ada, hopper or blackwell_rtx"));
      }
      return true;
    }
    const bool parents =
        std::ranges::any_of(parents_, [&](const auto& one) { return one.second.section == name; });
    if (presence == Presence::kRequired && !parents) {
      map_.required(name);  // reports a missing key
    }
    return parents && presence != Presence::kForbidden;
  }

  /// Finds the fields given in the file and rejects unknown keys.
  void find_given(const std::vector<Field>& fields) {
    std::map<std::string_view, std::vector<std::string>> keys;
    for (const Field& field : fields) {
      keys[field.section].emplace_back(field.key);
    }
    for (const auto& [section, names] : keys) {
      const std::optional<StrictValue> own =
          section.empty() ? std::optional(root_) : map_.optional(section);
      if (!own) {
        if (parent_ == nullptr) {
          map_.required(section);  // reports a missing key
        }
        continue;
      }
      const StrictMap map = section.empty() ? map_ : own->map(names);
      for (const std::string& key : names) {
        const std::string path = section.empty() ? key : fmt::format("{}.{}", section, key);
        const bool needed = !parents_.contains(path);
        if (const std::optional<StrictValue> value =
                needed ? std::optional(map.required(key)) : map.optional(key)) {
          given_.emplace(path, *value);
        }
      }
    }
  }

  Constant read_given(const Field& field) {
    ReadQuantity read =
        read_quantity(given_.at(field.path()), field.dimension, field.least, field.most);
    field.set(read.value);
    return read.constant;
  }

  /// Ratio of this GPU's number to its parent's.
  double ratio(const std::string& path) {
    const auto found = parents_.find(path);
    // neither GPU has the section; the key that it scales with decides
    if (found == parents_.end()) {
      GpuSpec every{.architecture = Architecture::kHopper};
      each_section(every, [](std::string_view, auto& section) { section.emplace(); });
      return ratio(std::string(field_of(every, path).proportional_to));
    }
    const Field& of_parent = found->second;
    const auto given = given_.find(path);
    if (given == given_.end()) {
      return of_parent.proportional_to.empty() ? 1 : ratio(std::string(of_parent.proportional_to));
    }
    const double own =
        read_quantity(given->second, of_parent.dimension, of_parent.least, of_parent.most).value;
    return of_parent.value() > 0 ? own / of_parent.value() : 1;
  }

  Constant inherit(const Field& field) {
    const std::string path = field.path();
    const auto found = parents_.find(path);
    if (found == parents_.end()) {
      root_.fail(
          fmt::format("{}: missing key; {} has no value to inherit", path, parent_->spec.name));
    }
    if (field.of_this_card) {
      field.set(loaded_.spec.default_interval);
      Constant constant = loaded_.constants.front();
      constant.key_path = path;
      return constant;
    }
    const double factor = ratio(path);
    Constant constant = *std::ranges::find(parent_->constants, path, &Constant::key_path);
    const bool same = factor == 1;
    if (!constant.ref.starts_with("as on ")) {
      constant.ref = fmt::format("as on {}: {}", parent_->spec.name, constant.ref);
    }
    if (!same) {
      constant.ref = fmt::format("{}'s, scaled by {}", parent_->spec.name, field.proportional_to);
    }
    field.set(found->second.value() * factor);
    constant.value = field.dimension == Dimension::kCount ? field.value() : constant.value * factor;
    constant.standard_error.reset();
    constant.source = same ? Source::kAssumed : Source::kDerived;
    constant.confidence = Confidence::kLow;
    return constant;
  }

  /// Throws `file:line: path: why` at the number or, if it is inherited, at `based_on`.
  [[noreturn]] void fail_at_field(const std::string& path, const std::string& why) const {
    const auto given = given_.find(path);
    if (given != given_.end()) {
      given->second.fail(why);
    }
    map_.required("based_on").fail(fmt::format("{}: {}", path, why));
  }

  std::string text_of(std::string_view path) const {
    const Constant& c = *std::ranges::find(loaded_.constants, path, &Constant::key_path);
    return c.unit == "1" ? fmt::format("{:.6g}", c.value)
                         : fmt::format("{:.6g} {}", c.value, c.unit);
  }

  /// Checks rules between several numbers.
  void check_together(const std::vector<Field>& fields) const {
    const SmSpec& sm = loaded_.spec.sm;
    if (sm.shared_memory_per_cta + sm.shared_memory_reserved_per_cta > sm.shared_memory) {
      fail_at_field("sm.shared_memory_per_cta",
                    "expected at most sm.shared_memory less sm.shared_memory_reserved_per_cta");
    }
    for (const Against& rule : kAtMost) {
      check_against(rule, fields, "most", std::greater<double>());
    }
    for (const Against& rule : kAtLeast) {
      check_against(rule, fields, "least", std::less<double>());
    }
  }

  /// Whether an overlay gives this path.
  bool is_replaced(std::string_view path) const {
    const auto given = given_.find(std::string(path));
    return given != given_.end() && given->second.file() != root_.file();
  }

  /// Rejects the rule that `wrong(key, factor * limit)` breaks, at the number that an overlay
  /// replaces, or else at the key.
  template <class Wrong>
  void check_against(const Against& rule, const std::vector<Field>& fields, std::string_view side,
                     const Wrong& wrong) const {
    const auto key = std::ranges::find(fields, rule.key, &Field::path);
    const auto limit = std::ranges::find(fields, rule.limit, &Field::path);
    if (key == fields.end() || limit == fields.end() ||
        !wrong(key->value(), rule.factor * limit->value())) {
      return;
    }
    if (is_replaced(rule.limit) && !is_replaced(rule.key)) {
      fail_at_field(
          std::string(rule.limit),
          fmt::format("expected at {} {}{} ({}), got {}", side == "most" ? "least" : "most",
                      rule.factor == 1 ? "" : fmt::format("{:g} times ", 1 / rule.factor), rule.key,
                      text_of(rule.key), text_of(rule.limit)));
    } else {
      fail_at_field(std::string(rule.key),
                    fmt::format("expected at {} {}{} ({}), got {}", side,
                                rule.factor == 1 ? "" : fmt::format("{:g} times ", rule.factor),
                                rule.limit, text_of(rule.limit), text_of(rule.key)));
    }
  }

  StrictValue root_;
  StrictMap map_;
  const LoadedGpu* parent_;
  GpuSpec parent_spec_;                   // owns the numbers of parents_
  std::map<std::string, Field> parents_;  // fields of the parent, by path
  std::map<std::string, StrictValue> given_;
  LoadedGpu loaded_{};
};

}  // namespace

LoadedGpu read_gpu(const StrictValue& root, const LoadedGpu* parent) {
  return GpuReader(root, parent).read();
}

std::string_view to_text(Architecture architecture) {
  return word_of(kArchitectures, architecture);
}

}  // namespace tilecast
