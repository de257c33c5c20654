# CTest entry of the Python package: python/tests/run.sh, which links the module to the layers of
# this build. Their list is written to python/layers.cmake in the build folder.
get_target_property(fmt_type tilecast_fmt TYPE)
get_target_property(yaml_type tilecast_yaml TYPE)
set(archives $<TARGET_FILE:tilecast_cli> $<TARGET_FILE:tilecast_fleet> $<TARGET_FILE:tilecast_record>
  $<TARGET_FILE:tilecast_model>)
if(fmt_type STREQUAL "INTERFACE_LIBRARY")
  list(APPEND archives $<TARGET_FILE:fmt::fmt>)
else()
  list(APPEND archives $<TARGET_FILE:tilecast_fmt>)
endif()
if(NOT yaml_type STREQUAL "INTERFACE_LIBRARY")
  list(APPEND archives $<TARGET_FILE:tilecast_yaml>)
elseif(TARGET yaml-cpp::yaml-cpp)
  list(APPEND archives $<TARGET_FILE:yaml-cpp::yaml-cpp>)
else()
  list(APPEND archives $<TARGET_FILE:yaml-cpp>)
endif()
list(APPEND archives $<TARGET_FILE:ZLIB::ZLIB>)
set(includes $<TARGET_PROPERTY:nlohmann_json::nlohmann_json,INTERFACE_INCLUDE_DIRECTORIES>
  $<TARGET_PROPERTY:tilecast_fmt,INTERFACE_INCLUDE_DIRECTORIES>)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/python/layers.cmake CONTENT
"set(TILECAST_ROOT ${PROJECT_SOURCE_DIR})
set(TILECAST_ARCHIVES ${archives})
set(TILECAST_INCLUDES ${includes})
")
add_test(NAME python COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/tests/run.sh ${PROJECT_BINARY_DIR})
set_tests_properties(python PROPERTIES COST 50 SKIP_RETURN_CODE 77 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  ENVIRONMENT "TILECAST=$<TARGET_FILE:tilecast>;TILECAST_LIBRARY=$<TARGET_FILE:tilecast_c>")
