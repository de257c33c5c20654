// CUPTI's newer calls take one struct each, zeroed except for its size.
#pragma once

#define TILECAST_CUPTI_PARAMS(Type, name) \
  Type name{};                            \
  name.structSize = Type##_STRUCT_SIZE
