# Finds the CUDA toolkit components that kernels and measurement need. The CUDA language is not
# used: NVRTC compiles kernels at run time from embedded sources.

set(TILECAST_HAS_CUDA OFF)
if(NOT TILECAST_WITH_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit 12.8 QUIET)
  if(CUDAToolkit_FOUND)
    # CMake 4 moved CUDAToolkit_LIBRARY_DIR, but knows the paths of these two.
    get_filename_component(cupti_hint "${CUDA_cupti_LIBRARY}" DIRECTORY)
    find_library(TILECAST_NVPERF_HOST nvperf_host HINTS ${CUDAToolkit_LIBRARY_DIR} ${cupti_hint}
      ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/lib64)
    find_library(TILECAST_CUPTI cupti HINTS ${CUDAToolkit_LIBRARY_DIR} ${cupti_hint}
      ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/lib64)
    find_path(TILECAST_CUPTI_INCLUDE cupti.h HINTS ${CUDAToolkit_INCLUDE_DIRS}
      ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include)
    if(TILECAST_NVPERF_HOST AND TILECAST_CUPTI AND TILECAST_CUPTI_INCLUDE AND TARGET CUDA::nvrtc
       AND TARGET CUDA::cublasLt)
      set(TILECAST_HAS_CUDA ON)
    endif()
  endif()
endif()

if(TILECAST_HAS_CUDA)
  get_filename_component(cupti_folder ${TILECAST_CUPTI} DIRECTORY)
  set(TILECAST_CUDA_LIBRARY_DIRS ${CUDAToolkit_LIBRARY_DIR} ${cupti_folder})
  list(REMOVE_DUPLICATES TILECAST_CUDA_LIBRARY_DIRS)

  add_library(tilecast_cupti INTERFACE)
  target_include_directories(tilecast_cupti SYSTEM INTERFACE ${TILECAST_CUPTI_INCLUDE})
  # libcupti opens libnvperf_host by bare name, so it must be linked to be found.
  target_link_libraries(tilecast_cupti INTERFACE ${TILECAST_CUPTI}
    -Wl,--no-as-needed ${TILECAST_NVPERF_HOST} -Wl,--as-needed CUDA::cudart_static)
  message(STATUS "CUDA toolkit ${CUDAToolkit_VERSION}: kernels and measurement are built")
elseif(TILECAST_WITH_CUDA STREQUAL "ON")
  message(FATAL_ERROR "TILECAST_WITH_CUDA=ON, but the CUDA toolkit (12.8 or later with NVRTC, CUPTI and cuBLASLt) was not found")
else()
  message(STATUS "No complete CUDA toolkit: the model is built alone")
endif()

# tilecast_embed_sources(NAME): a library that embeds every source a kernel can include, by path.
function(tilecast_embed_sources name)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/model/base/fast_divisor.h
    ${PROJECT_SOURCE_DIR}/model/base/host_device.h ${PROJECT_SOURCE_DIR}/model/base/integers.h
    ${PROJECT_SOURCE_DIR}/model/base/element_type.h ${PROJECT_SOURCE_DIR}/model/base/math.h
    ${PROJECT_SOURCE_DIR}/model/base/regime.h ${PROJECT_SOURCE_DIR}/model/op/*.h
    ${PROJECT_SOURCE_DIR}/model/gemm/output/*.h ${PROJECT_SOURCE_DIR}/model/gemm/problem/*.h
    ${PROJECT_SOURCE_DIR}/model/gemm/config/*.h ${PROJECT_SOURCE_DIR}/model/gemm/order/*.h
    ${PROJECT_SOURCE_DIR}/model/attention/*.h
    ${PROJECT_SOURCE_DIR}/model/stream/*.h ${PROJECT_SOURCE_DIR}/kernels/ptx/*.cuh
    ${PROJECT_SOURCE_DIR}/kernels/ptx/*.h ${PROJECT_SOURCE_DIR}/kernels/device/*.h
    ${PROJECT_SOURCE_DIR}/kernels/device/*.cuh ${PROJECT_SOURCE_DIR}/kernels/gemm/*.cu
    ${PROJECT_SOURCE_DIR}/kernels/gemm/*.h ${PROJECT_SOURCE_DIR}/kernels/emit/*.cu
    ${PROJECT_SOURCE_DIR}/kernels/emit/*.cuh ${PROJECT_SOURCE_DIR}/kernels/launch/*.h
    ${PROJECT_SOURCE_DIR}/kernels/attention/*.cu ${PROJECT_SOURCE_DIR}/kernels/attention/*.cuh
    ${PROJECT_SOURCE_DIR}/kernels/attention/*.h ${PROJECT_SOURCE_DIR}/kernels/stream/*.cu
    ${PROJECT_SOURCE_DIR}/kernels/stream/*.cuh ${PROJECT_SOURCE_DIR}/kernels/stream/*.h
    ${PROJECT_SOURCE_DIR}/kernels/micro/*.cu
    ${PROJECT_SOURCE_DIR}/kernels/micro/*.cuh ${PROJECT_SOURCE_DIR}/kernels/micro/*.h
    ${PROJECT_SOURCE_DIR}/kernels/verify/*.cu ${PROJECT_SOURCE_DIR}/kernels/verify/*.cuh
    ${PROJECT_SOURCE_DIR}/kernels/verify/*.h)
  list(FILTER files EXCLUDE REGEX "_text\\.h$")
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded_sources.cpp)
  add_custom_command(OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated} "-DFILES=${files}" -DROOT=${PROJECT_SOURCE_DIR}
      -P ${PROJECT_SOURCE_DIR}/cmake/embed_sources.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed_sources.cmake
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  add_library(${name} STATIC ${generated})
  target_link_libraries(${name} PUBLIC tilecast_options)
endfunction()

# tilecast_use_cudnn(SOURCE): compiles SOURCE with cuDNN, the baseline of attention, if its headers
# and those of its frontend (pip install nvidia-cudnn-frontend; -DTILECAST_CUDNN_FRONTEND=FOLDER) are
# installed. Nothing is linked: the library is opened at run time.
function(tilecast_use_cudnn source)
  find_path(TILECAST_CUDNN_INCLUDE cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_path(TILECAST_CUDNN_FRONTEND cudnn_frontend.h HINTS ${TILECAST_CUDNN_INCLUDE})
  if(TILECAST_CUDNN_INCLUDE AND TILECAST_CUDNN_FRONTEND)
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
      "-DTILECAST_HAS_CUDNN;-isystem;${TILECAST_CUDNN_FRONTEND};-isystem;${TILECAST_CUDNN_INCLUDE}")
    message(STATUS "cuDNN: attention is measured next to it")
  endif()
endfunction()
