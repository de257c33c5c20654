/* What the model says of a product, in C; needs no GPU and no CUDA. */
#include <stdio.h>
#include <tilecast/tilecast.h>

int main(void) {
  tilecast_problem problem = TILECAST_PROBLEM_INIT;
  problem.m = problem.n = 8192;
  problem.k = 512;
  problem.type = TILECAST_FP16;
  tilecast_options options = TILECAST_OPTIONS_INIT;
  options.gpu = "h200_sxm";
  tilecast_forecast best[3];
  best[0].struct_size = sizeof best[0];
  size_t count = 3;
  if (tilecast_predict(&problem, &options, best, &count) != TILECAST_OK) {
    fprintf(stderr, "%s\n", tilecast_error_text());
    return 1;
  }
  for (size_t i = 0; i < count; ++i) {
    printf("%6.1f us (%.1f to %.1f)  %s\n", best[i].time_us, best[i].interval_low_us,
           best[i].interval_high_us, best[i].config);
  }
  return 0;
}
