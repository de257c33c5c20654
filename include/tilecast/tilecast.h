/* Finds the fastest kernel for a matrix multiplication or for attention: predicted without a GPU,
 * compiled once, and launched without further host work.
 *
 *   tilecast_problem problem = TILECAST_PROBLEM_INIT;
 *   problem.m = problem.n = problem.k = 4096;
 *   problem.type = TILECAST_BF16;
 *   tilecast_plan* plan = NULL;
 *   if (tilecast_plan_create(&problem, NULL, &plan) != TILECAST_OK) puts(tilecast_error_text());
 *
 * C[m,n] = activation(alpha A[m,k] B + beta C + bias), computed in fp32 until C is rounded; fp8 A
 * and B may have scales (tilecast_scales). All matrices are row-major: TILECAST_TN stores A as
 * [m,k] and B as [n,k], TILECAST_NN [m,k] and [k,n], TILECAST_NT [k,m] and [k,n], TILECAST_TT [k,m]
 * and [n,k]. Matrices are 16-byte aligned. Attention: tilecast_attention.
 *
 * Errors: every function that can fail returns a status; tilecast_error_text() describes the
 * calling thread's last failure in one line. Unsupported requests are refused, never ignored.
 *
 * Threads: functions may be called from any thread at any time. A plan may be run by many threads
 * on many streams at once; runs that may overlap need separate workspaces. Destroy a plan only when
 * no thread is inside a call with it and its kernels have ended.
 *
 * Compatibility: structs begin with their size, and functions and values are only added. A zero
 * field keeps the behaviour from before the field existed.
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
  TILECAST_INVALID_ARGUMENT = 1, /* null, misaligned, out of range, wrong size, unknown
                                    enumerator, or no such plan */
  TILECAST_UNSUPPORTED = 2,      /* no kernel of this library supports it */
  TILECAST_NO_DEVICE = 3,        /* no driver, GPU or NVRTC, or built without CUDA */
  TILECAST_WRONG_DEVICE = 4,     /* the plan is for a device other than the current one */
  TILECAST_WORKSPACE_TOO_SMALL = 5,
  TILECAST_CUDA_ERROR = 6,
  TILECAST_FILE_ERROR = 7, /* a GPU file or the cache could not be read */
  TILECAST_OUT_OF_MEMORY = 8,
  TILECAST_INTERNAL_ERROR = 9
} tilecast_status;

typedef enum tilecast_type {
  TILECAST_FP16 = 1,
  TILECAST_BF16 = 2,
  TILECAST_E4M3 = 3, /* fp8, for A and B in TILECAST_TN */
  TILECAST_E5M2 = 4,
  TILECAST_FP32 = 5 /* for C only */
} tilecast_type;
typedef enum tilecast_layout {
  TILECAST_TN = 0,
  TILECAST_NN = 1,
  TILECAST_NT = 2,
  TILECAST_TT = 3
} tilecast_layout;
typedef enum tilecast_epilogue {
  TILECAST_EPILOGUE_NONE = 0, /* alpha is 1, beta is 0 */
  TILECAST_EPILOGUE_SCALED =
      1 /* alpha and beta are given to each run; C is read unless beta is 0 */
} tilecast_epilogue;
typedef enum tilecast_bias {
  TILECAST_BIAS_NONE = 0,
  TILECAST_BIAS_PER_ROW = 1,   /* m elements of C's type, or bf16 if C is fp8; not supported if C
                                  is fp32 */
  TILECAST_BIAS_PER_COLUMN = 2 /* n elements */
} tilecast_bias;
typedef enum tilecast_activation {
  TILECAST_ACTIVATION_NONE = 0,
  TILECAST_RELU = 1,
  TILECAST_GELU = 2,      /* x (1 + erf(x / sqrt(2))) / 2 */
  TILECAST_GELU_TANH = 3, /* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 */
  TILECAST_SILU = 4,      /* x / (1 + exp(-x)). The error of these three before rounding is at most
                             2^-12 |x| + 2^-15 */
  /* Gates: C has n / 2 columns. Column j is computed from g and v, columns 2j and 2j + 1 of A B. */
  TILECAST_SWIGLU = 5, /* silu(g) v */
  TILECAST_GEGLU = 6   /* gelu(g) v */
} tilecast_activation;
/* Scales of fp8 A and B: fp32 factors in device memory. */
typedef enum tilecast_scales {
  TILECAST_SCALES_NONE = 0,
  TILECAST_SCALES_PER_TENSOR = 1, /* one for A, one for B */
  TILECAST_SCALES_PER_ROW = 2,    /* m for the rows of A, n for the columns of B */
  /* For A [k / 128][m], one per 128 elements of a row; for B [n / 128][k / 128], one per 128
   * columns x 128 K. Quotients are rounded up. Rows of A's scales are 16-byte aligned. Partial sums
   * over 128 elements of K are scaled and added up in fp32. */
  TILECAST_SCALES_PER_BLOCK = 3
} tilecast_scales;
/* Accumulation of fp8 products along K; see docs/problems.md. Block scales always use EXACT. */
typedef enum tilecast_accumulate {
  TILECAST_ACCUMULATE_FAST = 0, /* in the tensor cores, which truncate sums */
  TILECAST_ACCUMULATE_EXACT = 1 /* partial sums are promoted to fp32 every 128 elements of K */
} tilecast_accumulate;
/* The dimension divided into groups. */
typedef enum tilecast_group_side {
  TILECAST_GROUPS_ALONG_M = 0, /* rows of A and C; each group has its own B */
  TILECAST_GROUPS_ALONG_K = 1  /* rows of A and B in TILECAST_NT; each group has its own C */
} tilecast_group_side;
typedef enum tilecast_regime {
  TILECAST_BURST = 0,    /* a few milliseconds of work on an idle GPU */
  TILECAST_SUSTAINED = 1 /* under continuous load */
} tilecast_regime;

/* The problem. Initialize with TILECAST_PROBLEM_INIT. */
typedef struct tilecast_problem {
  size_t struct_size;
  int64_t m, n, k;
  int32_t type;     /* tilecast_type of A and B */
  int32_t type_c;   /* 0: the type of A and B, or bf16 if they are fp8. Also TILECAST_FP32 and
                       TILECAST_E4M3, and TILECAST_FP16 with fp8 operands */
  int32_t layout;   /* tilecast_layout */
  int32_t epilogue; /* tilecast_epilogue */
  /* Elements between consecutive rows; 0: packed. If rows of A or B are not multiples of 16 bytes,
   * each run copies the operand into its workspace. Rows of C that are not packed must be multiples
   * of 16 bytes, and do not support alpha and beta. */
  int64_t lda, ldb, ldc;
  int64_t batch;      /* GEMMs per launch; 0 or 1: one. Not supported on Blackwell yet */
  int32_t bias;       /* tilecast_bias, shared by all GEMMs of a batch */
  int32_t activation; /* tilecast_activation; neither is supported on Blackwell yet */
  /* Elements between the matrices of consecutive GEMMs, a multiple of 16 bytes; 0: contiguous;
   * TILECAST_SHARED: one matrix for all GEMMs, for A or B only. */
  int64_t stride_a, stride_b, stride_c;
  int32_t scales;     /* tilecast_scales, for a single GEMM */
  int32_t group_side; /* tilecast_group_side; 0 without groups */
  /* For block scales: numbers between consecutive rows of scales; 0: packed, with A's rounded up to
   * a multiple of four. ld_scale_a must be a multiple of four. */
  int64_t ld_scale_a, ld_scale_b;
  /* Number of groups; 0: none. Along M, as in a mixture of experts, rows of A and C are divided
   * into groups, each with its own B; the matrices of B are contiguous. Every run reads the rows of
   * each group on the device. fp16, bf16, and fp8 with block scales or none; A and B are packed.
   * Along K, as in a backward pass, k is divided: A is [k][m], B [k][n], C [groups][m][n], where
   * matrices of empty groups are zero; fp16 and bf16. */
  int64_t groups;
  /* 0: groups are packed. Otherwise they are masked: group g begins at row g * group_capacity, m is
   * groups * group_capacity, and rows of C after a group's last are left unchanged. */
  int64_t group_capacity;
  const int64_t* expected_rows; /* on the host, per group, for the forecast; NULL: equal */
  /* 1: adds a matrix R of C's type and shape after the activation; it may be C itself: C += A B.
   * For a single GEMM or a batch, without a gate or an fp8 C. */
  int32_t residual;
  int32_t amax;       /* 1: computes the largest magnitude of the result */
  int32_t scale_c;    /* 1: for an fp8 C, multiplies the result by a factor before rounding */
  int32_t accumulate; /* tilecast_accumulate, for fp8; else 0 */
  /* Elements between consecutive rows of R, and between its matrices; 0: as for C. */
  int64_t ld_residual, stride_residual;
} tilecast_problem;

#define TILECAST_SHARED (-1)

#define TILECAST_PROBLEM_INIT                                                                   \
  {                                                                                             \
    sizeof(tilecast_problem), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        NULL, 0, 0, 0, 0, 0, 0                                                                  \
  }

/* Which keys a query sees. */
typedef enum tilecast_mask {
  TILECAST_MASK_FULL = 0,
  TILECAST_MASK_CAUSAL = 1 /* those up to its own position: the last query sees the last key, even
                              if there are more or fewer queries than keys */
} tilecast_mask;
typedef enum tilecast_heads_layout {
  TILECAST_BHSD = 0, /* [batch, heads, rows, head_dim] */
  TILECAST_BSHD = 1  /* [batch, rows, heads, head_dim] */
} tilecast_heads_layout;

/* Elements between consecutive sequences, heads and rows of a tensor, multiples of 8; the head_dim
 * elements of a row are contiguous. All 0: packed, in the problem's layout. The stride of a
 * dimension of length 1 is not used. */
typedef struct tilecast_strides {
  int64_t batch, head, row;
} tilecast_strides;

/* Attention forward: O = softmax(scale Q K^T) V for each query head of each sequence, computed in
 * fp32. Q and O have `heads` heads of `queries` rows, K and V `kv_heads` heads of `keys` rows;
 * consecutive heads / kv_heads query heads share a KV head. Rows of O without a key that they see
 * are zero. Variable lengths, paged K and V, other masks and dropout are not supported. Initialize
 * with TILECAST_ATTENTION_INIT. */
typedef struct tilecast_attention {
  size_t struct_size;
  int64_t batch, heads, kv_heads, queries, keys;
  int64_t head_dim; /* 64, 128 or 256 */
  int32_t type;     /* TILECAST_FP16 or TILECAST_BF16: of Q, K, V and O */
  int32_t mask;     /* tilecast_mask */
  int32_t layout;   /* tilecast_heads_layout of packed tensors */
  int32_t lse;      /* 1: also writes the log-sum-exp of each row */
  tilecast_strides q, k, v, o;
} tilecast_attention;

#define TILECAST_ATTENTION_INIT                                                                  \
  {                                                                                              \
    sizeof(tilecast_attention), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, { \
      0, 0, 0                                                                                    \
    }                                                                                            \
  }

/* How the problem is forecast and compiled; NULL means TILECAST_OPTIONS_INIT. */
typedef struct tilecast_options {
  size_t struct_size;
  const char* gpu;        /* a name in configs/gpus or a path; NULL: the current device */
  const char* config;     /* a configuration; NULL: the predicted fastest that a plan can
                             run */
  const char* config_dir; /* folder of gpus/; NULL: $TILECAST_CONFIG_DIR, else the installed one */
  const char* cache_dir;  /* for compiled kernels, "" for none; NULL: $TILECAST_CACHE_DIR, else
                             $XDG_CACHE_HOME/tilecast, else $HOME/.cache/tilecast */
  int32_t regime;         /* tilecast_regime */
  int32_t threads;        /* for the forecast; 0: one per processor */
  int32_t no_calibration; /* 1: ignores the GPU's calibration */
  /* 1: uses CUDA's programmatic dependent launch: a run's CTAs become resident while the previous
   * kernel of the stream ends, and wait for its end before they access memory. The next
   * kernel may start early too, if it is launched in the same way. Stream order is preserved as
   * long as the previous kernel itself waited for its predecessors, as every ordinary launch does.
   * It has an effect only on Hopper. */
  int32_t programmatic;
  /* 1, or $TILECAST_CHECK_GROUPS set to 1, for debugging: every run of a plan with groups
   * synchronizes its stream, and returns TILECAST_INVALID_ARGUMENT if group_rows on the device are
   * out of order or out of range. Without it they are clamped. */
  int32_t check_groups;
  int32_t reserved; /* must be 0 */
} tilecast_options;

#define TILECAST_OPTIONS_INIT \
  { sizeof(tilecast_options), NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 }

/* The model's prediction for one configuration, with normally distributed values, in one launch.
 * For C = A B it includes the problem's bias, activation, leading dimensions and operand copies,
 * but not the cost of reading C if beta is not 0. */
typedef struct tilecast_forecast {
  size_t struct_size;
  char config[256];                         /* canonical text; docs/configurations.md */
  double time_us;                           /* kernel time, without the launch */
  double interval_low_us, interval_high_us; /* 90 % of measured times are inside */
  double tflops;
  double cycles, sm_clock_mhz;
  double power_w;
  char limiter[16];     /* tensor, shared_memory, dram, ...; docs/glossary.md */
  int32_t simulated;    /* 0: by the analytic model alone */
  int32_t extrapolated; /* 1: unlike any kernel of the calibration */
} tilecast_forecast;

/* Arguments of one run, in device memory. Initialize with TILECAST_ARGUMENTS_INIT. */
typedef struct tilecast_arguments {
  size_t struct_size;
  const void* a;
  const void* b;
  void* c;
  float alpha, beta; /* 1 and 0 unless the problem's epilogue is TILECAST_EPILOGUE_SCALED */
  void* workspace;   /* 16-byte aligned; see tilecast_plan_workspace */
  size_t workspace_bytes;
  const void* bias;               /* 4-byte aligned; NULL if the problem has none */
  const float *scale_a, *scale_b; /* likewise; block scales of A 16-byte aligned */
  /* Each group's end (one past its last row), ascending, at most m (along K: k), like torch's offs;
   * for masked groups the number of rows. NULL without groups. */
  const int32_t* group_rows;
  /* R, 16-byte aligned; NULL if the problem has none. */
  const void* residual;
  const float* scale_c;
  float* amax; /* raised to the largest magnitude of the result before scale_c */
} tilecast_arguments;

#define TILECAST_ARGUMENTS_INIT                                                                \
  {                                                                                            \
    sizeof(tilecast_arguments), NULL, NULL, NULL, 1, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, \
        NULL, NULL                                                                             \
  }

/* Arguments of one run of attention, in device memory, 16-byte aligned. The range of O,
 * from its first to its last element, neither overlaps nor interleaves with another tensor's.
 * Initialize with TILECAST_ATTENTION_ARGUMENTS_INIT. */
typedef struct tilecast_attention_arguments {
  size_t struct_size;
  const void *q, *k, *v;
  void* o;
  float* lse;  /* [batch, heads, queries], natural logarithm, 4-byte aligned; NULL if the problem
                  has none. -infinity for a row that sees no key */
  float scale; /* above 0; 0: 1 / sqrt(head_dim) */
  int32_t reserved; /* must be 0 */
  void* workspace;  /* as in tilecast_arguments */
  size_t workspace_bytes;
} tilecast_attention_arguments;

#define TILECAST_ATTENTION_ARGUMENTS_INIT \
  { sizeof(tilecast_attention_arguments), NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, 0 }

/* How candidates are chosen and measured. Initialize with TILECAST_TUNING_INIT. */
typedef struct tilecast_tuning {
  size_t struct_size;
  const char* file;   /* stores forecasts and measurements, one line of JSON per problem; created if
                         missing */
  int32_t candidates; /* number of predicted fastest to measure, 1 to 64; 0: 8 */
  int32_t again;      /* 1: measure even if the file has the problem */
} tilecast_tuning;

#define TILECAST_TUNING_INIT \
  { sizeof(tilecast_tuning), NULL, 0, 0 }

typedef struct tilecast_plan tilecast_plan;

/* TILECAST_VERSION of the loaded library, which may be newer than the header's. */
TILECAST_API int tilecast_version(void);

/* One-line description of the calling thread's last failure; "" if there was none. Valid until the
 * thread's next call into the library. */
TILECAST_API const char* tilecast_error_text(void);

/* "TILECAST_OK" and so on; "unknown status" for any other number. Never NULL. */
TILECAST_API const char* tilecast_status_name(int status);

/* The predicted fastest configurations that a plan can run, fastest first, or only options.config.
 * Returns TILECAST_UNSUPPORTED if there is none. Needs no GPU if options.gpu names one. Takes about
 * 100 ms. `count`: capacity of `forecasts` on entry, number written on return, at least one. The
 * struct_size of the first forecast applies to all. */
TILECAST_API tilecast_status tilecast_predict(const tilecast_problem* problem,
                                              const tilecast_options* options,
                                              tilecast_forecast* forecasts, size_t* count);

/* Predicts the times of `count` given configurations by the analytic model, into times_us in their
 * order. A partial configuration has the time of its fastest match; times_us is infinite for one
 * that cannot run or that no candidate matches. `count`: 1 to 2^20. A configuration that cannot be
 * read is TILECAST_INVALID_ARGUMENT, and nothing is written. Needs no GPU if options.gpu names one.
 * options.config must be NULL. */
TILECAST_API tilecast_status tilecast_rank(const tilecast_problem* problem,
                                           const tilecast_options* options,
                                           const char* const* configs, size_t count,
                                           double* times_us);

/* Chooses a configuration and prepares its kernel on the current device: forecasts, compiles or
 * reads the cache, and loads. Takes about 100 ms, or seconds if NVRTC compiles. Must not be called
 * while the calling thread captures a stream. An options.config with reduction=spread is
 * TILECAST_UNSUPPORTED: its CTAs wait for one another, so two such kernels on different streams
 * could deadlock the GPU.
 *
 * If options.gpu names a GPU and the current device cannot run its kernels, the plan still provides
 * its forecast and workspace size; running it returns the reason why it cannot run. */
TILECAST_API tilecast_status tilecast_plan_create(const tilecast_problem* problem,
                                                  const tilecast_options* options,
                                                  tilecast_plan** plan);

/* Like tilecast_plan_create, but measures the predicted fastest configurations and takes the
 * fastest. A problem that tuning.file has for this device model, driver and library is not measured
 * again; others take some tenths of a second per compiled candidate. Measures on `arguments`,
 * without their workspace: C is overwritten, so pass a copy if beta is not 0. Waits for `stream`
 * and the device; concurrent work on the device would distort the measurement. `measured_us` may be
 * NULL. options.config must be NULL. */
TILECAST_API tilecast_status tilecast_plan_tune(const tilecast_problem* problem,
                                                const tilecast_options* options,
                                                const tilecast_tuning* tuning,
                                                const tilecast_arguments* arguments, void* stream,
                                                tilecast_plan** plan, double* measured_us);

/* Like tilecast_predict, tilecast_plan_create, tilecast_plan_tune and tilecast_plan_run, for
 * attention. The functions below take plans of both operations. options.programmatic is not
 * supported. */
TILECAST_API tilecast_status tilecast_attention_predict(const tilecast_attention* problem,
                                                        const tilecast_options* options,
                                                        tilecast_forecast* forecasts,
                                                        size_t* count);
TILECAST_API tilecast_status tilecast_attention_plan_create(const tilecast_attention* problem,
                                                            const tilecast_options* options,
                                                            tilecast_plan** plan);
TILECAST_API tilecast_status tilecast_attention_plan_tune(
    const tilecast_attention* problem, const tilecast_options* options,
    const tilecast_tuning* tuning, const tilecast_attention_arguments* arguments, void* stream,
    tilecast_plan** plan, double* measured_us);
TILECAST_API tilecast_status tilecast_attention_run(const tilecast_plan* plan,
                                                    const tilecast_attention_arguments* arguments,
                                                    void* stream);

TILECAST_API tilecast_status tilecast_plan_forecast(const tilecast_plan* plan,
                                                    tilecast_forecast* forecast);

/* Bytes of device memory that a run needs in addition to the matrices; 0 if K, or the keys, are not
 * split, no operand is copied and tiles are not drawn (order=dynamic). The caller owns the
 * workspace and clears it before this plan's first run with it (tilecast_plan_clear_workspace, or a
 * memset to zero). Each run leaves it ready for the next run of the same plan, so consecutive runs
 * on one stream can share a workspace. Clear it again after use by another plan, or after a failed
 * run. */
TILECAST_API tilecast_status tilecast_plan_workspace(const tilecast_plan* plan, size_t* bytes);

/* Enqueues the clearing of a workspace on `stream` (a cudaStream_t or CUstream). */
TILECAST_API tilecast_status tilecast_plan_clear_workspace(const tilecast_plan* plan,
                                                           void* workspace, size_t workspace_bytes,
                                                           void* stream);

/* Enqueues the kernel on `stream` (a cudaStream_t or CUstream): no allocation, and no
 * synchronization except with options.check_groups; may be captured into a graph. The calling
 * thread's current device must be the plan's. Invalid device pointers are reported when the stream
 * is synchronized. */
TILECAST_API tilecast_status tilecast_plan_run(const tilecast_plan* plan,
                                               const tilecast_arguments* arguments, void* stream);

/* Ignores NULL and destroyed plans; other calls with a destroyed plan return
 * TILECAST_INVALID_ARGUMENT. */
TILECAST_API void tilecast_plan_destroy(tilecast_plan* plan);

#ifdef __cplusplus
}
#endif
