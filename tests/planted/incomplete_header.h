// Deliberately uses a name that it does not include; the test of lone headers must detect it.
#pragma once

inline std::string planted() { return "planted"; }
