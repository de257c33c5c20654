# tilecast_layer(NAME FOLDERS dir... [ONLY regex] [EXCLUDE regex] [LINK target...]
#                [PRIVATE_LINK target...])
#
# A static library of every .cpp in the folders, and one test program NAME_test of every X_test.cpp
# beside them; ONLY and EXCLUDE choose among the paths. Each X_benchmark.cpp is a program of its own,
# X_benchmark, built with the rest and run by hand. A new file needs no line here. Tests tagged
# [gpu] run as a second CTest entry NAME_gpu with the label `gpu`, which skips (exit code 77) where
# there is no device.

# Warnings are errors with the compilers the project is tested with; another one may warn of more.
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
  # g++ 12 warns of std::string operator+ itself (GCC bug 105651).
  target_compile_options(tilecast_options INTERFACE -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # g++ 13 takes a reference that a function returns for one to its arguments (GCC bug 107532).
  target_compile_options(tilecast_options INTERFACE -Wno-dangling-reference)
endif()

# The files of a layer, parted into sources, tests, benchmarks and headers.
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
  add_test(NAME ${name} COMMAND ${program} "~[gpu]" --order rand --warn NoAssertions)
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
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ONLY;EXCLUDE" "FOLDERS;LINK;PRIVATE_LINK")
  tilecast_layer_files(FOLDERS ${arg_FOLDERS} ONLY "${arg_ONLY}" EXCLUDE "${arg_EXCLUDE}"
    SOURCES sources TESTS tests BENCHMARKS benchmarks HEADERS headers)

  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES TILECAST_HEADERS "${headers}")
  set_property(GLOBAL APPEND PROPERTY TILECAST_LAYERS ${name})
  target_link_libraries(${name} PUBLIC tilecast_options ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})

  foreach(benchmark IN LISTS benchmarks)
    cmake_path(GET benchmark STEM program)
    add_executable(${program} ${benchmark})
    target_link_libraries(${program} PRIVATE ${name} ${arg_PRIVATE_LINK})
  endforeach()

  if(TILECAST_BUILD_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${name} ${arg_PRIVATE_LINK} tilecast_catch)
    tilecast_catch_test(${name} ${name}_test ${tests})
  endif()
endfunction()
