// Simplifies a program with its constants until it no longer changes: branches, parameters and
// values that are fixed (known_values.cpp), and statements that do nothing (idle_statements.cpp).
#pragma once

#include <set>
#include <string>

#include "kernels/emit/declarations.h"

namespace tilecast {

/// Adds the constants of a source whose values are literals.
void learn_constants(const Lines& lines, Constants& constants);

/// Keeps the specialization that this program selects, of classes that have one per choice.
void choose_specializations(Program& program);

/// Replaces template parameters to which every use gives one value, and resolves the branches that
/// depend on them.
bool bind_parameters(Program& program);

/// Replaces calls by what the functions return, if that is a constant or an argument.
bool put_values(Program& program);

/// Drops statements that call functions that do nothing, or make objects of classes that hold
/// nothing. `objects`: names of such objects.
bool drop_idle_calls(Program& program, std::set<std::string>& objects);

/// Drops parameters that a function does not read, where every use is a call whose argument has no
/// effect.
bool drop_parameters(Program& program);

/// Drops unused local constants and objects, and checks that this program's constants decide.
bool drop_unused(Program& program);

}  // namespace tilecast
