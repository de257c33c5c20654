// Uses a name it does not include, on purpose: the test of lone headers must notice.
#pragma once

inline std::string planted() { return "planted"; }
