// Simplifies a program by its constants, until nothing changes: branches, parameters and values
// that are fixed (known_values.cpp), and statements that do nothing (idle_statements.cpp).
#pragma once

#include <set>
#include <string>

#include "kernels/emit/declarations.h"

namespace tilecast {

/// Adds the constants of a source that are literals.
void learn_constants(const Lines& lines, Constants& constants);

/// Keeps the specialization that this program chooses, of classes that have one for each choice.
void choose_specializations(Program& program);

/// Replaces parameters of templates that every use gives one value, and decides the branches that
/// depend on them.
bool bind_parameters(Program& program);

/// Puts what functions return, a constant or an argument, in place of their calls.
bool put_values(Program& program);

/// Drops statements that call functions that do nothing, or make objects of classes that hold
/// nothing. `objects`: the names of such objects.
bool drop_idle_calls(Program& program, std::set<std::string>& objects);

/// Drops local constants and objects that nothing uses, and the checks of what is fixed here.
bool drop_unused(Program& program);

}  // namespace tilecast
