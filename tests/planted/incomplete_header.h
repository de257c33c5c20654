// Uses a name of a header that it does not include, on purpose; the test of lone headers must
// detect it.
#pragma once

inline std::string planted() { return "planted"; }
