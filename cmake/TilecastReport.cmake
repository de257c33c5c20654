# Tools of reports.

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
