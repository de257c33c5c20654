// Simplifies a program with its constants until nothing changes any more: branches, parameters and
// values that are fixed (known_values.cpp), and statements that do nothing (idle_statements.cpp).
#pragma once

#include <set>
#include <string>

#include "kernels/emit/declarations.h"

namespace tilecast {

/// Adds the constants of a source whose values are literals.
void learn_constants(const Lines& lines, Constants& constants);

/// If a class has one specialization per choice, keeps only the one that this program selects.
void choose_specializations(Program& program);

/// Replaces template parameters for which every use gives the same value, and resolves the branches
/// that depend on them.
bool bind_parameters(Program& program);

/// Replaces calls by what the functions return, if that is a constant or an argument.
bool put_values(Program& program);

/// Drops statements that call functions that do nothing, or that make objects of classes without
/// content. `objects`: names of such objects.
bool drop_idle_calls(Program& program, std::set<std::string>& objects);

/// Drops parameters that a function does not read, if every use is a call whose argument has no
/// effect.
bool drop_parameters(Program& program);

/// Drops unused local constants and objects, and static checks that this program's constants
/// decide.
bool drop_unused(Program& program);

}  // namespace tilecast
