# Every header compiles alone: one generated source for each, built by the test itself.

file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/model/*.h ${PROJECT_SOURCE_DIR}/kernels/*.h
  ${PROJECT_SOURCE_DIR}/validate/*.h ${PROJECT_SOURCE_DIR}/reports/*.h
  ${PROJECT_SOURCE_DIR}/cli/*.h
  ${PROJECT_SOURCE_DIR}/tests/*.h)
list(FILTER headers EXCLUDE REGEX "^tests/planted/")
if(NOT TILECAST_HAS_CUDA)
  list(FILTER headers EXCLUDE REGEX "^(kernels|validate/measure)/")
endif()

# What kernels/jit defines when it compiles a kernel; any legal configuration will do here.
set(TILECAST_KERNEL_DEFINITIONS TILECAST_BLOCK_M=128 TILECAST_BLOCK_N=128 TILECAST_BLOCK_K=64
  TILECAST_STAGES=4 TILECAST_WARPGROUPS_M=2 TILECAST_WARPGROUPS_N=1 TILECAST_CLUSTER_M=1
  TILECAST_CLUSTER_N=1 TILECAST_C_SLOTS=2 TILECAST_CTAS_PER_SM=1 TILECAST_INFLIGHT=1
  TILECAST_PRODUCER_REGISTERS=0 TILECAST_A_SOURCE=0 TILECAST_INSTRUCTION_N=0
  TILECAST_SCHEDULE=3 TILECAST_ELEMENT_TYPE=0 TILECAST_LAYOUT=0)

# tilecast_lone_header(OUT header): the path of a source that includes the header, twice.
function(tilecast_lone_header out header)
  set(source ${PROJECT_BINARY_DIR}/headers/${header}.cpp)
  set(text "#include \"${header}\"\n#include \"${header}\"\n")
  file(GENERATE OUTPUT ${source} CONTENT "${text}")
  set(${out} ${source} PARENT_SCOPE)
endfunction()

set(sources)
foreach(header IN LISTS headers)
  tilecast_lone_header(source ${header})
  list(APPEND sources ${source})
endforeach()
add_library(tilecast_headers OBJECT EXCLUDE_FROM_ALL ${sources})
target_link_libraries(tilecast_headers PRIVATE tilecast_cli tilecast_yaml tilecast_catch
  ZLIB::ZLIB)
target_compile_definitions(tilecast_headers PRIVATE ${TILECAST_KERNEL_DEFINITIONS})
target_compile_options(tilecast_headers PRIVATE -fsyntax-only)
if(TARGET tilecast_measure)
  target_link_libraries(tilecast_headers PRIVATE tilecast_measure tilecast_cupti CUDA::nvrtc
    CUDA::cublasLt)
endif()

tilecast_lone_header(planted tests/planted/incomplete_header.h)
add_library(tilecast_planted_header OBJECT EXCLUDE_FROM_ALL ${planted})
target_link_libraries(tilecast_planted_header PRIVATE tilecast_options)

# Both build in this folder, so one after the other.
add_test(NAME headers_compile_alone
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target tilecast_headers)
add_test(NAME planted_header_is_refused
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target tilecast_planted_header)
set_tests_properties(planted_header_is_refused PROPERTIES
  PASS_REGULAR_EXPRESSION "incomplete_header.h:4:.*string.*(does not name|undeclared|no member|not declared|unknown)")
set_tests_properties(headers_compile_alone planted_header_is_refused PROPERTIES
  RESOURCE_LOCK build_folder)

# The headers that kernels share with the model, as nvcc and NVRTC see them.
set(shared_headers ${headers})
list(FILTER shared_headers INCLUDE REGEX
  "^(model/tile/.*|kernels/gemm/.*|model/base/(host_device|integers|math)\\.h$)")
list(FILTER shared_headers EXCLUDE REGEX "(_text|/any_op|/split_rules)\\.h$")  # of the host alone
if(TILECAST_HAS_CUDA AND CUDAToolkit_NVCC_EXECUTABLE)
  list(JOIN TILECAST_KERNEL_DEFINITIONS " -D" definitions)
  tilecast_script_test(headers_under_nvcc scripts/headers_under_nvcc.sh
    ${CUDAToolkit_NVCC_EXECUTABLE} "-D${definitions}" ${shared_headers})
endif()
if(TILECAST_HAS_CUDA)
  set(shared ${shared_headers})
  list(TRANSFORM shared PREPEND "\"")
  list(TRANSFORM shared APPEND "\"")
  list(JOIN shared ", " TILECAST_SHARED_HEADERS)
  set(definitions ${TILECAST_KERNEL_DEFINITIONS})
  list(TRANSFORM definitions PREPEND "\"-D")
  list(TRANSFORM definitions APPEND "\"")
  list(JOIN definitions ", " TILECAST_SHARED_DEFINITIONS)
  configure_file(structure/headers_under_nvrtc_test.cpp.in
    ${PROJECT_BINARY_DIR}/headers/headers_under_nvrtc_test.cpp @ONLY)
  add_executable(tilecast_nvrtc_test ${PROJECT_BINARY_DIR}/headers/headers_under_nvrtc_test.cpp)
  target_link_libraries(tilecast_nvrtc_test PRIVATE tilecast_kernel_sources CUDA::nvrtc
    tilecast_catch)
  tilecast_catch_test(headers_under_nvrtc tilecast_nvrtc_test)
endif()
