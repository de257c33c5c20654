# Checks that every header compiles by itself. X.cpp and X_test.cpp include X.h before all else
# (checked by tests/structure), so a build that compiles each source separately (not
# TILECAST_FAST_BUILD) already compiles X.h alone. For every header without such a source one is
# generated (with TILECAST_FAST_BUILD one for six headers, in an order that rotates daily), which
# the test builds as part of the header's layer: it finds only what the layer links, and headers of
# layers that are not built (kernels and measurement without a CUDA toolkit) are skipped.

# tilecast_lone_headers(NAME LINK target... HEADERS path...): a library with one source per header,
# or per `at_once` headers, that no other source compiles alone.
function(tilecast_lone_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK;HEADERS")
  set(lone)
  foreach(header IN LISTS arg_HEADERS)
    string(REGEX REPLACE "\\.h$" "" stem ${header})
    if(NOT EXISTS ${stem}.cpp AND NOT EXISTS ${stem}_test.cpp)
      cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      list(APPEND lone ${header})
    endif()
  endforeach()
  set(sources)
  while(lone)
    list(SUBLIST lone 0 ${at_once} together)
    list(REMOVE_ITEM lone ${together})
    list(GET together 0 name_of)
    set(source ${PROJECT_BINARY_DIR}/headers/${name_of}.cpp)
    list(LENGTH together count)
    math(EXPR at "${today} % ${count}")
    list(SUBLIST together 0 ${at} last)
    list(SUBLIST together ${at} -1 together)
    list(APPEND together ${last})
    list(TRANSFORM together PREPEND "#include \"")
    list(TRANSFORM together APPEND "\"\n")
    list(JOIN together "" content)
    file(GENERATE OUTPUT ${source} CONTENT "${content}")
    list(APPEND sources ${source})
  endwhile()
  if(NOT sources)
    return()
  endif()
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${name} PRIVATE tilecast_options ${arg_LINK})
  target_compile_options(${name} PRIVATE -fsyntax-only)
  add_dependencies(tilecast_headers ${name})
endfunction()

add_custom_target(tilecast_headers)
set(at_once 1)
if(TILECAST_FAST_BUILD)
  set(at_once 6)
endif()
string(TIMESTAMP today "%s" UTC)
math(EXPR today "${today} / 86400")

# The tests' own headers; four of them belong to device tests.
file(GLOB covered CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
set(device_headers ${CMAKE_CURRENT_SOURCE_DIR}/gpu.h ${CMAKE_CURRENT_SOURCE_DIR}/gemm_check.h
  ${CMAKE_CURRENT_SOURCE_DIR}/whole_numbers.h)
set(headers ${covered})
list(REMOVE_ITEM headers ${device_headers})
tilecast_lone_headers(tilecast_tests_headers LINK tilecast_cli tilecast_catch HEADERS ${headers})
if(TARGET tilecast_measure)
  tilecast_lone_headers(tilecast_device_tests_headers LINK tilecast_measure tilecast_catch
    HEADERS ${device_headers})
endif()

get_property(layers GLOBAL PROPERTY TILECAST_LAYERS)
foreach(layer IN LISTS layers)
  get_target_property(headers ${layer} TILECAST_HEADERS)
  get_target_property(link ${layer} LINK_LIBRARIES)
  tilecast_lone_headers(${layer}_headers LINK ${link} HEADERS ${headers})
  list(APPEND covered ${headers})
endforeach()

# libtilecast's headers, which other layers do not include.
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/library/*.h
  ${PROJECT_SOURCE_DIR}/include/tilecast/*.h)
set(link tilecast_c tilecast_model)
if(TILECAST_HAS_CUDA)
  list(APPEND link tilecast_kernels)
else()
  list(FILTER headers EXCLUDE REGEX "/(cuda_[a-z_]+|driver|gpu_test)\\.h$")
endif()
set(at_once 1)  # its Plan differs from the public one of the same name
tilecast_lone_headers(tilecast_library_headers LINK ${link} HEADERS ${headers})

if(TILECAST_HAS_CUDA)  # every layer is built, so no header may be left
  file(GLOB_RECURSE left CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/model/*.h
    ${PROJECT_SOURCE_DIR}/kernels/*.h ${PROJECT_SOURCE_DIR}/validate/*.h
    ${PROJECT_SOURCE_DIR}/reports/*.h ${PROJECT_SOURCE_DIR}/cli/*.h)
  list(REMOVE_ITEM left ${covered})
  if(left)
    message(FATAL_ERROR "headers of no layer: ${left}")
  endif()
endif()

file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/headers/planted.cpp
  CONTENT "#include \"tests/planted/incomplete_header.h\"\n")
add_library(tilecast_planted_header OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/headers/planted.cpp)
target_link_libraries(tilecast_planted_header PRIVATE tilecast_options)

# Both build in this folder, so they must not run concurrently.
add_test(NAME headers_compile_alone
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target tilecast_headers)
add_test(NAME planted_header_is_refused
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target tilecast_planted_header)
set_tests_properties(planted_header_is_refused PROPERTIES
  PASS_REGULAR_EXPRESSION "incomplete_header.h:5:.*string.*(does not name|undeclared|no member|not declared|unknown)")
set_tests_properties(headers_compile_alone PROPERTIES COST 30)
set_tests_properties(headers_compile_alone planted_header_is_refused PROPERTIES
  RESOURCE_LOCK build_folder)

# The headers shared by kernels and model, as compiled by nvcc and NVRTC.
file(GLOB shared_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/model/gemm/problem/*.h ${PROJECT_SOURCE_DIR}/model/gemm/config/*.h
  ${PROJECT_SOURCE_DIR}/model/gemm/order/*.h ${PROJECT_SOURCE_DIR}/kernels/gemm/*.h
  ${PROJECT_SOURCE_DIR}/model/stream/block_walk.h ${PROJECT_SOURCE_DIR}/model/stream/stream_config.h
  ${PROJECT_SOURCE_DIR}/model/attention/attention_problem.h
  ${PROJECT_SOURCE_DIR}/model/attention/attention_config.h
  ${PROJECT_SOURCE_DIR}/model/attention/attention_work.h
  ${PROJECT_SOURCE_DIR}/model/base/fast_divisor.h
  ${PROJECT_SOURCE_DIR}/model/base/host_device.h ${PROJECT_SOURCE_DIR}/model/base/integers.h
  ${PROJECT_SOURCE_DIR}/model/base/element_type.h ${PROJECT_SOURCE_DIR}/model/base/math.h
  ${PROJECT_SOURCE_DIR}/model/base/regime.h ${PROJECT_SOURCE_DIR}/model/op/copied_operands.h
  ${PROJECT_SOURCE_DIR}/model/op/op.h)
# headers for the host only
list(FILTER shared_headers EXCLUDE REGEX "(_text|/gemm_fields|/group_rows|/normal_order|/operand_panels|/routing)\\.h$")
if(TILECAST_HAS_CUDA AND CUDAToolkit_NVCC_EXECUTABLE)
  tilecast_script_test(headers_under_nvcc scripts/headers_under_nvcc.sh
    ${CUDAToolkit_NVCC_EXECUTABLE} ${shared_headers})
endif()
if(TILECAST_HAS_CUDA)
  set(shared ${shared_headers})
  list(TRANSFORM shared PREPEND "\"")
  list(TRANSFORM shared APPEND "\"")
  list(JOIN shared ", " TILECAST_SHARED_HEADERS)
  configure_file(structure/headers_under_nvrtc_test.cpp.in
    ${PROJECT_BINARY_DIR}/headers/headers_under_nvrtc_test.cpp @ONLY)
  add_executable(tilecast_nvrtc_test ${PROJECT_BINARY_DIR}/headers/headers_under_nvrtc_test.cpp)
  tilecast_test_options(tilecast_nvrtc_test)
  # it links NVRTC directly
  target_link_options(tilecast_nvrtc_test PRIVATE -Wl,--disable-new-dtags)
  target_link_libraries(tilecast_nvrtc_test PRIVATE tilecast_kernel_sources CUDA::nvrtc
    tilecast_catch)
  tilecast_catch_test(headers_under_nvrtc tilecast_nvrtc_test)
endif()
