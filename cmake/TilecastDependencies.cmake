# The libraries tilecast stands on, from the distribution.

find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)
  # 0.7 exports `yaml-cpp`; take the archive where there is one, so that the program runs on
  # machines with another yaml-cpp.
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

if(TILECAST_BUILD_TESTS)
  find_package(Catch2 REQUIRED)
  add_library(tilecast_catch INTERFACE)
  target_link_libraries(tilecast_catch INTERFACE Catch2::Catch2WithMain)
endif()
