// Marks functions that the model (host compiler) and the kernels (nvcc, NVRTC) both call.
#pragma once

#ifdef __CUDACC__
#define TILECAST_HD __host__ __device__
#else
#define TILECAST_HD
#endif

// Always inlined, regardless of size.
#ifdef __CUDACC_RTC__
#define TILECAST_INLINED __forceinline__
#else
#define TILECAST_INLINED inline __attribute__((always_inline))
#endif
