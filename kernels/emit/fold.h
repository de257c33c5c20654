// Conditions of device code with known values, decided: branches that are not taken go, and names
// that only they used.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "kernels/emit/tokens.h"

namespace tilecast {

/// Values by name: a number, 1 for true; or an enumerator's name.
struct KnownValue {
  std::string text;
  std::optional<long long> number;

  bool operator==(const KnownValue&) const = default;
};
using KnownValues = std::map<std::string, KnownValue>;

/// A number, or a name that stands for itself.
KnownValue constant_of(const std::string& text);

/// The value of an expression, where it follows from `constants`.
std::optional<KnownValue> value_of(const Tokens& expression, const KnownValues& constants);

/// Adds the value of a declaration `constexpr T name = value`; for a structure, of each member.
/// `prefix`: of a class's members, as "Config::".
void learn_constants(const Tokens& declaration, const std::string& prefix, KnownValues& constants);

/// The declaration's or function body's tokens with every condition decided that can be.
Tokens folded(const Tokens& tokens, const KnownValues& constants);

/// Calls of functions ("name/arguments") that only return a constant or a member of `args`,
/// replaced by it.
Tokens with_values(const Tokens& body, const std::map<std::string, Tokens>& values);

/// Without statements that call one of `empty`, functions that do nothing ("name/arguments"), or
/// make an object of a class that holds nothing ("Name{}").
Tokens without_calls(const Tokens& body, const std::set<std::string>& empty);

/// Without local names that nothing uses.
Tokens without_unused(Tokens body);

/// A function's parameters that its body does not read, without their names.
Tokens without_unread_names(const Tokens& function);

/// Arguments between brackets.
std::size_t count_arguments(const Tokens& tokens, std::size_t open);

}  // namespace tilecast
