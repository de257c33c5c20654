# tilecast's dependencies: from the distribution if available, otherwise, with
# TILECAST_FETCH_DEPS=ON, from pinned source archives verified by SHA-256. The archives are those of
# Debian 12's packages (some without upstream's documentation); if one is identical to upstream's
# release, upstream's URL comes first.

option(TILECAST_FETCH_DEPS "Download libraries that are not installed" OFF)
include(FetchContent)
set(tilecast_missing)

# tilecast_download(OUT HASH url...): path of the archive with this SHA-256, from the first URL that
# has it. Fails fast; FetchContent's download would retry for a minute.
function(tilecast_download out hash)
  list(GET ARGN 0 name)
  get_filename_component(name ${name} NAME)  # the extension selects the decompressor
  set(archive ${PROJECT_BINARY_DIR}/downloads/${name})
  foreach(url IN LISTS ARGN)
    if(EXISTS ${archive})
      break()
    endif()
    file(DOWNLOAD ${url} ${archive}.part STATUS status INACTIVITY_TIMEOUT 20)
    file(SHA256 ${archive}.part got)
    if(got STREQUAL hash)
      file(RENAME ${archive}.part ${archive})
    endif()
  endforeach()
  if(NOT EXISTS ${archive})
    message(FATAL_ERROR "could not be downloaded with the right SHA-256: ${ARGN}")
  endif()
  set(${out} ${archive} PARENT_SCOPE)
endfunction()

# tilecast_fetch(NAME POOL path HASH sha256 [UPSTREAM url]): unpacks an archive to NAME_SOURCE_DIR
# without building it.
macro(tilecast_fetch name)
  cmake_parse_arguments(fetch "" "POOL;HASH;UPSTREAM" "" ${ARGN})
  message(STATUS "${name}: not installed; fetching its source")
  tilecast_download(fetch_archive ${fetch_HASH} ${fetch_UPSTREAM}
    http://deb.debian.org/debian/pool/main/${fetch_POOL}
    https://snapshot.debian.org/archive/debian/20250520T000000Z/pool/main/${fetch_POOL})
  FetchContent_Declare(${name} URL ${fetch_archive} URL_HASH SHA256=${fetch_HASH}
    DOWNLOAD_EXTRACT_TIMESTAMP OFF SOURCE_SUBDIR not-built)
  FetchContent_MakeAvailable(${name})
  string(TOLOWER ${name} fetch_lower)
  set(${name}_SOURCE_DIR ${${fetch_lower}_SOURCE_DIR})
endmacro()

# tilecast_header_library(TARGET folder): an interface target for a folder of headers
function(tilecast_header_library target folder)
  string(REPLACE "::" "_" plain ${target})
  add_library(${plain} INTERFACE)
  target_include_directories(${plain} SYSTEM INTERFACE ${folder})
  add_library(${target} ALIAS ${plain})
endfunction()

find_package(Threads REQUIRED)

find_package(CLI11 QUIET)
if(NOT TARGET CLI11::CLI11)
  if(TILECAST_FETCH_DEPS)
    tilecast_fetch(CLI11 POOL c/cli11/cli11_2.1.2+ds.orig.tar.xz
      HASH 8143d20b688e98ccce8e24562d3b68e5f47c12e896c42c7ca8553dbde5bed55d)
    tilecast_header_library(CLI11::CLI11 ${CLI11_SOURCE_DIR}/include)
  else()
    list(APPEND tilecast_missing libcli11-dev)
  endif()
endif()

# tilecast_fmt: compiled once into an archive, so that the programs also run without an installed
# fmt. The distributions' package has only headers and a shared library; header-only use would cost
# every source five seconds.
find_package(fmt QUIET)
if(TARGET fmt::fmt)
  get_target_property(fmt_headers fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
elseif(TILECAST_FETCH_DEPS)
  tilecast_fetch(fmt POOL f/fmtlib/fmtlib_9.1.0+ds1.orig.tar.gz
    HASH 84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583)
  set(fmt_headers ${fmt_SOURCE_DIR}/include)
  set(fmt_VERSION 9.1.0)
else()
  list(APPEND tilecast_missing libfmt-dev)
endif()
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(tilecast_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt.cpp)
  target_include_directories(tilecast_fmt SYSTEM PUBLIC ${fmt_headers})
elseif(TARGET fmt::fmt)
  add_library(tilecast_fmt INTERFACE)
  target_link_libraries(tilecast_fmt INTERFACE fmt::fmt)
endif()

find_package(nlohmann_json QUIET)
if(NOT TARGET nlohmann_json::nlohmann_json)
  if(TILECAST_FETCH_DEPS)
    tilecast_fetch(nlohmann_json POOL n/nlohmann-json3/nlohmann-json3_3.11.2.orig.tar.gz
      UPSTREAM https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
      HASH d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273)
    tilecast_header_library(nlohmann_json::nlohmann_json ${nlohmann_json_SOURCE_DIR}/include)
  else()
    list(APPEND tilecast_missing nlohmann-json3-dev)
  endif()
endif()

find_package(Eigen3 QUIET NO_MODULE)
if(NOT TARGET Eigen3::Eigen)
  if(TILECAST_FETCH_DEPS)
    tilecast_fetch(Eigen3 POOL e/eigen3/eigen3_3.4.0.orig.tar.bz2
      UPSTREAM https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.bz2
      HASH b4c198460eba6f28d34894e3a5710998818515104d6e74e5cc331ce31e46e626)
    tilecast_header_library(Eigen3::Eigen ${Eigen3_SOURCE_DIR})
  else()
    list(APPEND tilecast_missing libeigen3-dev)
  endif()
endif()

# tilecast_yaml: for programs the archive if there is one, so that they also run with another
# version of yaml-cpp installed. A shared library cannot use it, since the distributions' archive is
# not position-independent.
find_package(yaml-cpp QUIET)
if(yaml-cpp_FOUND)
  find_library(TILECAST_YAML_ARCHIVE libyaml-cpp.a)
  mark_as_advanced(TILECAST_YAML_ARCHIVE)
  set(yaml_shared yaml-cpp)  # target name before 0.8
  if(TARGET yaml-cpp::yaml-cpp)
    set(yaml_shared yaml-cpp::yaml-cpp)
  endif()
  add_library(tilecast_yaml INTERFACE)
  if(TILECAST_YAML_ARCHIVE)
    set(in_program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
    target_include_directories(tilecast_yaml SYSTEM INTERFACE ${YAML_CPP_INCLUDE_DIR})
    target_link_libraries(tilecast_yaml INTERFACE
      $<IF:${in_program},${TILECAST_YAML_ARCHIVE},${yaml_shared}>)
  else()
    target_link_libraries(tilecast_yaml INTERFACE ${yaml_shared})
  endif()
elseif(TILECAST_FETCH_DEPS)
  tilecast_fetch(yaml-cpp POOL y/yaml-cpp/yaml-cpp_0.7.0+dfsg.orig.tar.xz
    HASH dc63708605404e0b963e0ca3a9619d1c8270eda2839603e6fa0384e5e51e5312)
  file(GLOB yaml_sources ${yaml-cpp_SOURCE_DIR}/src/*.cpp)
  add_library(tilecast_yaml STATIC ${yaml_sources})
  target_include_directories(tilecast_yaml SYSTEM PUBLIC ${yaml-cpp_SOURCE_DIR}/include)
  target_compile_definitions(tilecast_yaml PUBLIC YAML_CPP_STATIC_DEFINE)
  target_compile_options(tilecast_yaml PRIVATE -w)
else()
  list(APPEND tilecast_missing libyaml-cpp-dev)
endif()

find_package(ZLIB QUIET)
if(NOT TARGET ZLIB::ZLIB)
  if(TILECAST_FETCH_DEPS)
    enable_language(C)
    tilecast_fetch(zlib POOL z/zlib/zlib_1.2.13.dfsg.orig.tar.bz2
      HASH 71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1)
    file(GLOB zlib_sources ${zlib_SOURCE_DIR}/*.c)
    add_library(tilecast_zlib STATIC ${zlib_sources})
    target_include_directories(tilecast_zlib SYSTEM PUBLIC ${zlib_SOURCE_DIR})
    target_compile_definitions(tilecast_zlib PRIVATE HAVE_UNISTD_H HAVE_STDARG_H)
    target_compile_options(tilecast_zlib PRIVATE -w)
    add_library(ZLIB::ZLIB ALIAS tilecast_zlib)
  else()
    list(APPEND tilecast_missing zlib1g-dev)
  endif()
endif()

if(TILECAST_BUILD_TESTS)
  find_package(Catch2 QUIET)
  add_library(tilecast_catch INTERFACE)
  if(TARGET Catch2::Catch2WithMain)
    target_link_libraries(tilecast_catch INTERFACE Catch2::Catch2WithMain)
  elseif(TILECAST_FETCH_DEPS)
    tilecast_fetch(Catch2 POOL c/catch2/catch2_2.13.10.orig.tar.gz
      HASH 2f4fe284449cf17394350e027ae21958973a61b9161197d416e2dfca16167686)
    file(WRITE ${PROJECT_BINARY_DIR}/catch_main.cpp
      "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
    add_library(tilecast_catch_main STATIC ${PROJECT_BINARY_DIR}/catch_main.cpp)
    target_include_directories(tilecast_catch_main SYSTEM PUBLIC
      ${Catch2_SOURCE_DIR}/single_include)
    target_link_libraries(tilecast_catch INTERFACE tilecast_catch_main)
  else()
    list(APPEND tilecast_missing catch2)
  endif()
endif()

if(tilecast_missing)
  list(JOIN tilecast_missing " " tilecast_missing)
  message(FATAL_ERROR "libraries are missing: apt-get install ${tilecast_missing} (Debian and "
    "Ubuntu names), or configure with -DTILECAST_FETCH_DEPS=ON to download their sources")
endif()
