// Leaves out what a program's constants rule out: specializations (known_values.cpp), and
// statements that do nothing (idle_statements.cpp). Declarations that stay read as in the library.
#pragma once

#include <set>
#include <string>

#include "kernels/emit/declarations.h"

namespace tilecast {

/// Adds the constants of a source whose values are literals.
void learn_constants(const Lines& lines, Constants& constants);

/// Keeps the specialization that this program selects, of classes that have one per choice.
void choose_specializations(Program& program);

/// Drops statements that call functions that do nothing, or make objects of classes that hold
/// nothing. `objects`: names of such objects.
bool drop_idle_calls(Program& program, std::set<std::string>& objects);

/// Drops unused local constants and objects, and checks that this program's constants decide.
bool drop_unused(Program& program);

}  // namespace tilecast
