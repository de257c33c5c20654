// Times of earlier revisions of a kernel, as the kernel of today would have them: less the savings
// of later revisions (kernels/revision.h). Rows whose saving is too uncertain do not count: kernels
// whose bulk stores of C were narrower, where rows of C start inside sectors; the kernels of today
// take 0.83 to 0.99 of their time (kernel_changes). Fit and validation compare the model with
// these. Checked by: times_of_today_test.cpp.
#pragma once

#include "validate/record/measurement_csv.h"

namespace tilecast {

MeasurementFile in_times_of_today(MeasurementFile file);

}  // namespace tilecast
