# Build-time parts of reports.
#
# tilecast_fingerprint: a hash of the model's sources, which invalidates stored predictions when the
# model changes.
file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/model/*.h ${PROJECT_SOURCE_DIR}/model/*.cpp)
list(FILTER files EXCLUDE REGEX "_(test|benchmark)\\.cpp$")
set(generated ${PROJECT_BINARY_DIR}/reports/model_fingerprint.cpp)
add_custom_command(OUTPUT ${generated}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated} "-DFILES=${files}" -DROOT=${PROJECT_SOURCE_DIR}
    -P ${PROJECT_SOURCE_DIR}/cmake/fingerprint.cmake
  DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/fingerprint.cmake
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
add_library(tilecast_fingerprint STATIC ${generated})
target_link_libraries(tilecast_fingerprint PUBLIC tilecast_options)

# tilecast_report_vega, built by hand: tools that draw figures, in TILECAST_REPORT_VEGA, from the
# package pinned by version and SHA-256 in reports/vega/requirements.txt (reports/README.md).
set(TILECAST_REPORT_VEGA ${PROJECT_BINARY_DIR}/reports/vega)
find_program(TILECAST_PYTHON NAMES python3)
mark_as_advanced(TILECAST_PYTHON)
if(TILECAST_PYTHON)
  add_custom_target(tilecast_report_vega
    COMMAND ${TILECAST_PYTHON} -m pip install --quiet --disable-pip-version-check --no-deps
      --only-binary :all: --require-hashes --upgrade --target ${TILECAST_REPORT_VEGA}/packages
      -r ${PROJECT_SOURCE_DIR}/reports/vega/requirements.txt
    VERBATIM)

  # tilecast_report_browser, built by hand: tools that drive Chromium in the page's test.
  set(TILECAST_REPORT_BROWSER ${PROJECT_BINARY_DIR}/reports/browser)
  add_custom_target(tilecast_report_browser
    COMMAND ${TILECAST_PYTHON} -m pip install --quiet --disable-pip-version-check --upgrade
      --only-binary :all: --target ${TILECAST_REPORT_BROWSER}
      -r ${PROJECT_SOURCE_DIR}/reports/browser/requirements.txt
    VERBATIM)
endif()
