/* The fastest kernel of a matrix multiplication: forecast without a GPU, compiled once, launched
 * with no host work beyond the launch.
 *
 *   tilecast_problem problem = TILECAST_PROBLEM_INIT;
 *   problem.m = problem.n = problem.k = 4096;
 *   problem.type = TILECAST_BF16;
 *   tilecast_plan* plan = NULL;
 *   if (tilecast_plan_create(&problem, NULL, &plan) != TILECAST_OK) puts(tilecast_error_text());
 *
 * C[m,n] = activation(alpha A[m,k] B + beta C + bias), in fp32 until C is rounded; A and B of fp8
 * may have scales (tilecast_scales). All are row-major: TILECAST_TN with A as [m,k] and B as [n,k],
 * TILECAST_NN [m,k] and [k,n], TILECAST_NT [k,m] and [k,n], TILECAST_TT [k,m] and [n,k]. Matrices
 * begin at multiples of 16 bytes.
 *
 * Errors: every function that can fail returns a status; tilecast_error_text() says in one line why
 * the calling thread's last call failed. What the library cannot do is refused, never ignored.
 *
 * Threads: functions may be called from any thread at any time. A plan may be run by many threads
 * on many streams at once, where each run that may overlap another has a workspace of its own.
 * Destroy a plan only when no thread is inside a call with it and its kernels have ended.
 *
 * Growth: structs begin with their size, functions and values are only added. A field that is zero
 * has the meaning it had before it existed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TILECAST_API __attribute__((visibility("default")))
#else
#define TILECAST_API
#endif

#define TILECAST_VERSION_MAJOR 0
#define TILECAST_VERSION_MINOR 2
#define TILECAST_VERSION_PATCH 0
#define TILECAST_VERSION \
  (TILECAST_VERSION_MAJOR * 10000 + TILECAST_VERSION_MINOR * 100 + TILECAST_VERSION_PATCH)

typedef enum tilecast_status {
  TILECAST_OK = 0,
  TILECAST_INVALID_ARGUMENT = 1, /* null, misaligned, out of range, of a wrong size, a number that
                                    no enumerator has; no such plan */
  TILECAST_UNSUPPORTED = 2,      /* no kernel of this library does it */
  TILECAST_NO_DEVICE = 3,        /* no driver, GPU or NVRTC, or a library built without CUDA */
  TILECAST_WRONG_DEVICE = 4,     /* the plan is for another device than the current one */
  TILECAST_WORKSPACE_TOO_SMALL = 5,
  TILECAST_CUDA_ERROR = 6,
  TILECAST_FILE_ERROR = 7, /* a GPU file or the cache could not be read */
  TILECAST_OUT_OF_MEMORY = 8,
  TILECAST_INTERNAL_ERROR = 9
} tilecast_status;

typedef enum tilecast_type {
  TILECAST_FP16 = 1,
  TILECAST_BF16 = 2,
  TILECAST_E4M3 = 3, /* fp8, of A and B in TILECAST_TN */
  TILECAST_E5M2 = 4,
  TILECAST_FP32 = 5 /* of C alone */
} tilecast_type;
typedef enum tilecast_layout {
  TILECAST_TN = 0,
  TILECAST_NN = 1,
  TILECAST_NT = 2,
  TILECAST_TT = 3
} tilecast_layout;
typedef enum tilecast_epilogue {
  TILECAST_EPILOGUE_NONE = 0,  /* alpha is 1, beta is 0 */
  TILECAST_EPILOGUE_SCALED = 1 /* alpha and beta as given to each run; C is read unless beta is 0 */
} tilecast_epilogue;
typedef enum tilecast_bias {
  TILECAST_BIAS_NONE = 0,
  TILECAST_BIAS_PER_ROW = 1,   /* m elements of C's type, one for each row of C; of a C in fp8 bf16,
                                  and a C in fp32 has no bias */
  TILECAST_BIAS_PER_COLUMN = 2 /* n elements */
} tilecast_bias;
typedef enum tilecast_activation {
  TILECAST_ACTIVATION_NONE = 0,
  TILECAST_RELU = 1,
  TILECAST_GELU = 2,      /* x (1 + erf(x / sqrt(2))) / 2 */
  TILECAST_GELU_TANH = 3, /* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 */
  TILECAST_SILU = 4,      /* x / (1 + exp(-x)). Of these three a result is off by 2^-12 |x| + 2^-15
                             at most before it is rounded */
  /* Gates: of columns 2j and 2j + 1 of A B, g and v, column j of C, which has n / 2. */
  TILECAST_SWIGLU = 5, /* silu(g) v */
  TILECAST_GEGLU = 6   /* gelu(g) v */
} tilecast_activation;
/* What elements of fp8 A and B are multiplied by: fp32 numbers on the device. */
typedef enum tilecast_scales {
  TILECAST_SCALES_NONE = 0,
  TILECAST_SCALES_PER_TENSOR = 1, /* one for A, one for B */
  TILECAST_SCALES_PER_ROW = 2,    /* m for the rows of A, n for the columns of B */
  /* [k / 128][m] for 128 elements of a row of A; [n / 128][k / 128] for 128 columns x 128 K of B.
   * Quotients are rounded up. A's rows begin at multiples of 16 bytes. Sums of 128 elements of K
   * are scaled and added up in fp32. */
  TILECAST_SCALES_PER_BLOCK = 3
} tilecast_scales;
/* How sums of fp8 products are added up along K: docs/problems.md. With scales per block they are
 * exact whatever is asked for. */
typedef enum tilecast_accumulate {
  TILECAST_ACCUMULATE_FAST = 0, /* in the tensor cores, which cut them off */
  TILECAST_ACCUMULATE_EXACT = 1 /* those of 128 elements of K leave them and are added up in fp32 */
} tilecast_accumulate;
/* The side that groups part. */
typedef enum tilecast_group_side {
  TILECAST_GROUPS_ALONG_M = 0, /* rows of A and C; each group has a B of its own */
  TILECAST_GROUPS_ALONG_K = 1  /* rows of A and B in TILECAST_NT; each group has a C of its own */
} tilecast_group_side;
typedef enum tilecast_regime {
  TILECAST_BURST = 0,    /* a few milliseconds after rest */
  TILECAST_SUSTAINED = 1 /* under continuous load */
} tilecast_regime;

/* What is to be multiplied. Begin with TILECAST_PROBLEM_INIT. */
typedef struct tilecast_problem {
  size_t struct_size;
  int64_t m, n, k;
  int32_t type;     /* tilecast_type of A and B */
  int32_t type_c;   /* 0: as A and B, of fp8 bf16; or TILECAST_FP32, TILECAST_E4M3; of fp8 also
                       TILECAST_FP16 */
  int32_t layout;   /* tilecast_layout */
  int32_t epilogue; /* tilecast_epilogue */
  /* Elements from one row to the next; 0: tight. Rows of A and B that are no whole 16 bytes are
   * copied by each run, into its workspace; rows of C that are not tight are whole 16 bytes, and
   * have no alpha and beta. */
  int64_t lda, ldb, ldc;
  int64_t batch;      /* products of one launch; 0 or 1: one, all that Blackwell has today */
  int32_t bias;       /* tilecast_bias, one for all products */
  int32_t activation; /* tilecast_activation; neither on Blackwell today */
  /* Elements from one product's matrix to the next's, whole 16 bytes; 0: one lies behind the
   * other; TILECAST_SHARED: all products have this one, A or B alone. */
  int64_t stride_a, stride_b, stride_c;
  int32_t scales;     /* tilecast_scales, of one product */
  int32_t group_side; /* tilecast_group_side; 0 where there are no groups */
  /* Of scales per block: numbers from one row of them to the next; 0: tight, A's up to the next
   * multiple of four, which ld_scale_a is. */
  int64_t ld_scale_a, ld_scale_b;
  /* Not 0: rows of A and C are in so many groups, as a router's of a mixture of experts, and each
   * has a B of its own, one behind the other. How many rows each has is read on the device by every
   * run. fp16, bf16 and fp8, of fp8 with scales per block or none; A and B are tight. Along K, as a
   * backward pass of such experts, k is parted: A is [k][m], B [k][n], C [groups][m][n], whose
   * matrices of groups without rows are zeros; fp16 and bf16. */
  int64_t groups;
  /* 0: groups follow each other. Else they are masked: group g begins at row g * group_capacity, m
   * is groups * group_capacity, and rows of C behind a group's are left as they are. */
  int64_t group_capacity;
  const int64_t* expected_rows; /* on the host, of each group, for the forecast; NULL: alike */
  /* 1: a matrix R of C's type and shape is added, behind the activation; it may be C itself, which
   * is C += A B. Of one product or a batch, with neither gate nor a C in fp8. */
  int32_t residual;
  int32_t amax;    /* 1: the largest magnitude of the result is found */
  int32_t scale_c; /* 1: of a C in fp8, the result is multiplied by a number before it is rounded */
  int32_t accumulate; /* tilecast_accumulate, of fp8; else 0 */
  /* Of R, elements from one row, and one product's matrix, to the next; 0: as C's. */
  int64_t ld_residual, stride_residual;
} tilecast_problem;

#define TILECAST_SHARED (-1)

#define TILECAST_PROBLEM_INIT                                                                   \
  {                                                                                             \
    sizeof(tilecast_problem), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        NULL, 0, 0, 0, 0, 0, 0                                                                  \
  }

/* How it is forecast and compiled; NULL in its place is TILECAST_OPTIONS_INIT. */
typedef struct tilecast_options {
  size_t struct_size;
  const char* gpu;        /* a name in configs/gpus or a path; NULL: the current device */
  const char* config;     /* canonical text of a configuration; NULL: the fastest by forecast
                             that a plan runs */
  const char* config_dir; /* folder of gpus/; NULL: $TILECAST_CONFIG_DIR, else as installed */
  const char* cache_dir;  /* of compiled kernels, "" for none; NULL: $TILECAST_CACHE_DIR, else
                             $XDG_CACHE_HOME/tilecast, else $HOME/.cache/tilecast */
  int32_t regime;         /* tilecast_regime */
  int32_t threads;        /* of the forecast; 0: one for each processor */
  int32_t no_calibration; /* 1: without what was learned of this GPU */
  /* 1: each run is launched programmatically (CUDA's programmatic dependent launch): its CTAs take
   * their places while the kernel before it in the stream still ends, and wait for that end before
   * they read or write memory. A kernel behind it may begin as early if it is launched so, too. The
   * stream's order holds as long as the kernel before has itself waited for those before it, as
   * every kernel does that is not launched programmatically. Not on Blackwell today. */
  int32_t programmatic;
  /* 1, or $TILECAST_CHECK_GROUPS set to 1, for debugging: every run of a plan with groups waits for
   * its stream, and is TILECAST_INVALID_ARGUMENT if group_rows on the device are out of order or
   * out of range; otherwise they are clamped. */
  int32_t check_groups;
  int32_t reserved; /* 0 */
} tilecast_options;

#define TILECAST_OPTIONS_INIT \
  { sizeof(tilecast_options), NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 }

/* What the model says of one configuration: of C = A B with normally distributed values, launched
 * by itself. The problem's bias, activation, rows and copies of operands are in it; its epilogue
 * does not change it: what reading C (beta other than 0) costs is not in it. */
typedef struct tilecast_forecast {
  size_t struct_size;
  char config[256];                         /* canonical text; docs/configurations.md */
  double time_us;                           /* of the kernel alone */
  double interval_low_us, interval_high_us; /* contains nine of ten measured times */
  double tflops;
  double cycles, sm_clock_mhz;
  double power_w;
  char limiter[16];     /* tensor, shared_memory, dram, ...; docs/glossary.md */
  int32_t simulated;    /* 0: by closed form alone */
  int32_t extrapolated; /* 1: the calibration has seen no kernel like it */
} tilecast_forecast;

/* What one run works on; pointers to device memory. Begin with TILECAST_ARGUMENTS_INIT. */
typedef struct tilecast_arguments {
  size_t struct_size;
  const void* a;
  const void* b;
  void* c;
  float alpha, beta; /* 1 and 0 unless the problem's epilogue is TILECAST_EPILOGUE_SCALED */
  void* workspace;   /* 16-byte aligned; see tilecast_plan_workspace */
  size_t workspace_bytes;
  const void* bias;               /* 4-byte aligned; NULL where the problem has none */
  const float *scale_a, *scale_b; /* likewise; scale_a of blocks 16-byte aligned */
  /* Each group's end: one past its last row, ascending, at most m (along K: k), as torch's offs; of
   * masked groups its number of rows. NULL where the problem has no groups. */
  const int32_t* group_rows;
  /* NULL where the problem has none. R begins at a multiple of 16 bytes. */
  const void* residual;
  const float* scale_c;
  float* amax; /* becomes the largest magnitude of the result before scale_c, if that is larger */
} tilecast_arguments;

#define TILECAST_ARGUMENTS_INIT                                                                \
  {                                                                                            \
    sizeof(tilecast_arguments), NULL, NULL, NULL, 1, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, \
        NULL, NULL                                                                             \
  }

/* How candidates are measured. Begin with TILECAST_TUNING_INIT. */
typedef struct tilecast_tuning {
  size_t struct_size;
  const char* file;   /* remembers forecasts and measurements, a line of JSON a problem; made where
                         there is none */
  int32_t candidates; /* the fastest by forecast that are measured, 1 to 64; 0: 8 */
  int32_t again;      /* 1: also where the file has the problem */
} tilecast_tuning;

#define TILECAST_TUNING_INIT \
  { sizeof(tilecast_tuning), NULL, 0, 0 }

typedef struct tilecast_plan tilecast_plan;

/* TILECAST_VERSION of the library that runs, which may be newer than the header's. */
TILECAST_API int tilecast_version(void);

/* One line, of the calling thread's last call that failed; "" before the first. Valid until the
 * thread's next call into the library. */
TILECAST_API const char* tilecast_error_text(void);

/* "TILECAST_OK" and so on; "unknown status" for any other number. Never NULL. */
TILECAST_API const char* tilecast_status_name(int status);

/* The fastest configurations by forecast that a plan runs, fastest first; options.config: that one
 * alone. TILECAST_UNSUPPORTED where a plan runs none. Needs no GPU where options.gpu names one.
 * Takes some 100 ms. `count`: forecasts there is room for, then those written, one at least. The
 * struct_size of the first forecast counts for all. */
TILECAST_API tilecast_status tilecast_predict(const tilecast_problem* problem,
                                              const tilecast_options* options,
                                              tilecast_forecast* forecasts, size_t* count);

/* Chooses the configuration and makes its kernel ready on the current device: forecast, compiled or
 * taken from the cache, loaded. Takes some 100 ms, or seconds where NVRTC compiles. Not for use
 * while the calling thread captures a stream. An options.config with reduction=spread is
 * TILECAST_UNSUPPORTED: the pieces of its tiles wait for each other, and two such kernels on two
 * streams could each hold half of the GPU for ever.
 *
 * Where options.gpu names a GPU and there is none that runs its kernels, the plan can be asked for
 * its forecast and workspace; running it says why it cannot run. */
TILECAST_API tilecast_status tilecast_plan_create(const tilecast_problem* problem,
                                                  const tilecast_options* options,
                                                  tilecast_plan** plan);

/* As tilecast_plan_create, but of the fastest configurations by forecast the one that is fastest
 * when measured: a problem that tuning.file has for this kind of device, driver and library is not
 * measured again, any other in some tenths of a second for each candidate that is compiled already.
 * Measured on `arguments`, whose workspace is not used: C is overwritten, so with a beta other than
 * 0 give a copy. Waits for `stream` and for the device; not for use beside other work on it, which
 * would be measured too. `measured_us` may be NULL. options.config must be NULL. */
TILECAST_API tilecast_status tilecast_plan_tune(const tilecast_problem* problem,
                                                const tilecast_options* options,
                                                const tilecast_tuning* tuning,
                                                const tilecast_arguments* arguments, void* stream,
                                                tilecast_plan** plan, double* measured_us);

TILECAST_API tilecast_status tilecast_plan_forecast(const tilecast_plan* plan,
                                                    tilecast_forecast* forecast);

/* Bytes of device memory that a run needs besides the matrices; 0 where K is not split and no
 * operand is copied. The caller
 * owns them, and clears them (tilecast_plan_clear_workspace, or zeros of his own) before this
 * plan's first run with them. Each run leaves them ready for the next one of the same plan, so runs
 * that follow each other on one stream share a workspace; a workspace that another plan has used,
 * or whose run failed, is cleared again. */
TILECAST_API tilecast_status tilecast_plan_workspace(const tilecast_plan* plan, size_t* bytes);

/* Puts the clearing of a workspace into `stream` (a cudaStream_t or CUstream). */
TILECAST_API tilecast_status tilecast_plan_clear_workspace(const tilecast_plan* plan,
                                                           void* workspace, size_t workspace_bytes,
                                                           void* stream);

/* Puts the kernel into `stream` (a cudaStream_t or CUstream): no allocation, no synchronisation but
 * with options.check_groups; may be captured into a graph. The device current on the calling thread
 * is the plan's. What is wrong with the memory that pointers lead to shows where the stream is
 * waited for. */
TILECAST_API tilecast_status tilecast_plan_run(const tilecast_plan* plan,
                                               const tilecast_arguments* arguments, void* stream);

/* NULL and a plan that is already destroyed are left alone; other calls with a destroyed plan
 * return TILECAST_INVALID_ARGUMENT. */
TILECAST_API void tilecast_plan_destroy(tilecast_plan* plan);

#ifdef __cplusplus
}
#endif
