# tilecast_layer(NAME FOLDERS dir... [LINK target...] [PRIVATE_LINK target...])
#
# A static library of every .cpp in the folders, and one test program NAME_test of every X_test.cpp
# beside them. A new file needs no line here. Tests tagged [gpu] run as a second CTest entry with
# the label `gpu`, which skips (exit code 77) where there is no device.

add_library(tilecast_options INTERFACE)
target_include_directories(tilecast_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tilecast_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-missing-field-initializers -Werror)

function(tilecast_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;LINK;PRIVATE_LINK")
  set(sources)
  set(tests)
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
    foreach(file IN LISTS found)
      if(file MATCHES "_test\\.cpp$")
        list(APPEND tests ${file})
      else()
        list(APPEND sources ${file})
      endif()
    endforeach()
  endforeach()

  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC tilecast_options ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})

  if(TILECAST_BUILD_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${name} ${arg_PRIVATE_LINK} tilecast_catch)
    add_test(NAME ${name} COMMAND ${name}_test "~[gpu]" --order rand --warn NoAssertions)
    set_tests_properties(${name} PROPERTIES WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
endfunction()
