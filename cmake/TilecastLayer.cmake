# tilecast_layer(NAME FOLDERS dir... [ONLY regex] [EXCLUDE regex] [LINK target...]
#                [PRIVATE_LINK target...] [SEPARATE] [LITTLE])
#
# A static library of every .cpp in the folders, and one test program NAME_test of every X_test.cpp
# next to them; ONLY and EXCLUDE filter the paths. SEPARATE: TILECAST_FAST_BUILD does not join the
# sources. LITTLE: compile without optimization. Each
# X_benchmark.cpp is a separate program, X_benchmark, built with the rest and run by hand. New files
# are found automatically. Tests tagged [gpu] run as a second CTest entry NAME_gpu with the label
# `gpu`, which is skipped (exit code 77) without a device.

# Warnings are errors with the compilers that the project is tested with; others may have more
# warnings.
set(werror_default OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^1[23]\\.")
  set(werror_default ON)
endif()
option(TILECAST_WERROR "Treat warnings as errors" ${werror_default})

add_library(tilecast_options INTERFACE)
target_include_directories(tilecast_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tilecast_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-missing-field-initializers
  $<$<BOOL:${TILECAST_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 warns about std::string operator+ itself (GCC bug 105651), and about precompiled headers
  # in two more ways.
  target_compile_options(tilecast_options INTERFACE -Wno-restrict
    "$<$<BOOL:${TILECAST_FAST_BUILD}>:-Wno-stringop-overflow;-Wno-array-bounds>")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # g++ 13 mistakes a returned reference for one to its arguments (GCC bug 107532).
  target_compile_options(tilecast_options INTERFACE -Wno-dangling-reference)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # TILECAST_ASSERT(!"why") is intentional.
  target_compile_options(tilecast_options INTERFACE -Wno-string-conversion)
endif()

# Most of a full build is spent rereading headers. The launcher joins sources to avoid that; a
# developer's build compiles each source separately, which is quicker after a change and verifies
# that each includes what it needs.
option(TILECAST_FAST_BUILD
  "Compile a folder's sources eight at a time, and tests, with precompiled headers" OFF)
set(TILECAST_PRECOMPILE ${TILECAST_FAST_BUILD})
if(CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(TILECAST_PRECOMPILE OFF)  # clang's contain file times, which defeats the launcher's cache
endif()
set(TILECAST_COMMON_HEADERS <fmt/format.h> <algorithm> <chrono> <filesystem> <functional> <map>
  <memory> <optional> <random> <set> <span> <string> <vector>)

# tilecast_join_sources(TARGET source...): compiles up to eight sources of a folder as one
# translation unit, so names in their unnamed namespaces must differ.
function(tilecast_join_sources target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # it treats the joined sources as headers
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  set(last)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL last)
      set(last ${folder})
      set(count 0)
    endif()
    math(EXPR part "${count} / 8")
    math(EXPR count "${count} + 1")
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE "/" "_" name "${name}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${part})
  endforeach()
endfunction()

# tilecast_join_tests(OUT NAME test...): joins tests in pieces of about 60 kB, each test in a
# namespace of its own, so that names in tests may be equal.
function(tilecast_join_tests out name)
  if(NOT TILECAST_FAST_BUILD)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(joined)
  set(bytes 0)
  foreach(test IN LISTS ARGN)
    if(bytes EQUAL 0)
      list(LENGTH joined part)
      set(piece ${CMAKE_CURRENT_BINARY_DIR}/joined/${name}_${part}.cpp)
      list(APPEND joined ${piece})
      set(headers)
      set(tests "namespace tilecast {}\n")
    endif()
    file(STRINGS ${test} included REGEX "^#include")
    list(APPEND headers ${included})
    cmake_path(RELATIVE_PATH test BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE space)
    string(MAKE_C_IDENTIFIER ${space} space)
    string(APPEND tests "namespace ${space} {\nnamespace tilecast {\nusing namespace ::tilecast;\n}\n"
      "#include \"${test}\"\n}  // namespace ${space}\n")
    file(SIZE ${test} size)
    math(EXPR bytes "${bytes} + ${size}")
    list(REMOVE_DUPLICATES headers)
    list(JOIN headers "\n" text)
    file(CONFIGURE OUTPUT ${piece} CONTENT "${text}\n${tests}" @ONLY)
    if(bytes GREATER 50000)
      set(bytes 0)
    endif()
  endforeach()
  set(${out} ${joined} PARENT_SCOPE)
endfunction()

# tilecast_computes_little(TARGET LEVEL): optimizes less, since more would take longer than it saves.
function(tilecast_computes_little target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
endfunction()

# tilecast_precompile(TARGET HEADERS option...): TARGET uses the common precompiled headers of
# HEADERS, a target created on demand with these options, which must equal TARGET's.
function(tilecast_precompile target headers)
  if(NOT TILECAST_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET ${headers})
    add_library(${headers} OBJECT ${PROJECT_SOURCE_DIR}/cmake/common_headers.cpp)
    target_link_libraries(${headers} PRIVATE tilecast_options tilecast_fmt)
    target_precompile_headers(${headers} PRIVATE ${TILECAST_COMMON_HEADERS})
    cmake_parse_arguments(PARSE_ARGV 2 arg "LITTLE;TEST" "" "")
    if(arg_LITTLE)
      tilecast_computes_little(${headers} 1)
    endif()
    if(arg_TEST)
      tilecast_computes_little(${headers} 0)
      target_link_libraries(${headers} PRIVATE tilecast_catch)
      target_precompile_headers(${headers} PRIVATE ${PROJECT_SOURCE_DIR}/tests/catch.h)
      set_target_properties(${headers} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# tilecast_test_options(TARGET): options of a test program.
function(tilecast_test_options target)
  tilecast_computes_little(${target} 0)
  if(TILECAST_FAST_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # treats joined tests as headers
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  # Uses the compiler's default: CMake's flags for programs and libraries differ, and the headers
  # must be compiled with those of programs.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  tilecast_precompile(${target} tilecast_test_headers TEST)
endfunction()

# Splits the files of a layer into sources, tests, benchmarks and headers.
function(tilecast_layer_files)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "ONLY;EXCLUDE;SOURCES;TESTS;BENCHMARKS;HEADERS"
    "FOLDERS")
  set(files)
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp
      ${PROJECT_SOURCE_DIR}/${folder}/*.h)
    list(APPEND files ${found})
  endforeach()
  if(arg_ONLY)
    list(FILTER files INCLUDE REGEX "${arg_ONLY}")
  endif()
  if(arg_EXCLUDE)
    list(FILTER files EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()
  set(tests ${files})
  set(benchmarks ${files})
  set(headers ${files})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER benchmarks INCLUDE REGEX "_benchmark\\.cpp$")
  list(FILTER headers INCLUDE REGEX "\\.h$")
  list(FILTER files EXCLUDE REGEX "_(test|benchmark)\\.cpp$|\\.h$")
  set(${arg_SOURCES} ${files} PARENT_SCOPE)
  set(${arg_TESTS} ${tests} PARENT_SCOPE)
  set(${arg_BENCHMARKS} ${benchmarks} PARENT_SCOPE)
  set(${arg_HEADERS} ${headers} PARENT_SCOPE)
endfunction()

# tilecast_catch_test(NAME PROGRAM source...): CTest entries for a Catch2 program.
function(tilecast_catch_test name program)
  add_test(NAME ${name} COMMAND ${program} "~[gpu]~[.]" --order rand --warn NoAssertions)
  set_tests_properties(${name} PROPERTIES WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set(on_device OFF)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} tagged REGEX "\\[gpu\\]")
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    if(tagged)
      set(on_device ON)
    endif()
  endforeach()
  if(on_device)
    add_test(NAME ${name}_gpu COMMAND ${program} "[gpu]" --order rand --warn NoAssertions)
    set_tests_properties(${name}_gpu PROPERTIES LABELS gpu SKIP_RETURN_CODE 77
      RESOURCE_LOCK gpu WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
endfunction()

function(tilecast_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SEPARATE;LITTLE" "ONLY;EXCLUDE"
    "FOLDERS;LINK;PRIVATE_LINK")
  tilecast_layer_files(FOLDERS ${arg_FOLDERS} ONLY "${arg_ONLY}" EXCLUDE "${arg_EXCLUDE}"
    SOURCES sources TESTS tests BENCHMARKS benchmarks HEADERS headers)

  add_library(${name} STATIC ${sources})
  if(TILECAST_FAST_BUILD AND NOT arg_SEPARATE)
    tilecast_join_sources(${name} ${sources})
  endif()
  if(arg_LITTLE)
    tilecast_computes_little(${name} 1)
    tilecast_precompile(${name} tilecast_little_headers LITTLE)
  else()
    tilecast_precompile(${name} tilecast_headers_of_layers)
  endif()
  set_target_properties(${name} PROPERTIES TILECAST_HEADERS "${headers}")
  set_property(GLOBAL APPEND PROPERTY TILECAST_LAYERS ${name})
  target_link_libraries(${name} PUBLIC tilecast_options ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})

  foreach(benchmark IN LISTS benchmarks)
    cmake_path(GET benchmark STEM program)
    add_executable(${program} ${benchmark})
    target_link_libraries(${program} PRIVATE ${name} ${arg_PRIVATE_LINK})
  endforeach()

  if(TILECAST_BUILD_TESTS AND tests)
    tilecast_join_tests(joined ${name} ${tests})
    add_executable(${name}_test ${joined})
    target_link_libraries(${name}_test PRIVATE ${name} ${arg_PRIVATE_LINK} tilecast_catch)
    tilecast_test_options(${name}_test)
    tilecast_catch_test(${name} ${name}_test ${tests})
  endif()
endfunction()
