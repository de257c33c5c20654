"""A persistent TMA matmul in Triton and the configurations that it is tuned over."""
import itertools

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["M", "N", "K"])
def matmul_tn(a_desc, b_desc, c_desc, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, FLATTEN: tl.constexpr,
              NUM_SMS: tl.constexpr):
    """C[M,N] = A[M,K] B[N,K]^T; each program takes every NUM_SMS-th tile, in bands of GROUP_M."""
    rows = tl.cdiv(M, BLOCK_M)
    columns = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), rows * columns, NUM_SMS, flatten=FLATTEN):
        band = tile // (GROUP_M * columns)
        height = min(rows - band * GROUP_M, GROUP_M)
        inside = tile % (GROUP_M * columns)
        row = (band * GROUP_M + inside % height) * BLOCK_M
        column = (inside // height) * BLOCK_N
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for block in range(tl.cdiv(K, BLOCK_K)):
            a = a_desc.load([row, block * BLOCK_K])
            b = b_desc.load([column, block * BLOCK_K])
            acc = tl.dot(a, b.T, acc)
        c_desc.store([row, column], acc.to(c_desc.dtype))


SHARED = 227 * 1024
SMS = 132


def space():
    """(BLOCK_M, BLOCK_N, BLOCK_K, stages, warps, group, flatten)"""
    tiles = [(64, 64, 64), (64, 64, 128), (64, 128, 64), (64, 128, 128), (64, 256, 64), (128, 64, 64),
             (128, 64, 128), (128, 128, 64), (128, 128, 128), (128, 256, 64), (256, 64, 64),
             (256, 128, 64)]
    found = []
    for (m, n, k), stages, warps in itertools.product(tiles, (2, 3, 4, 6), (4, 8)):
        accumulators = m * n // (warps * 32)
        if accumulators > 256 or accumulators < 32 or accumulators == 256 and stages != 3:
            continue
        if stages * (m + n) * k * 2 + m * n * 2 > SHARED:
            continue
        if stages == 2 and m * n < 128 * 128 or stages == 6 and m * n > 128 * 128:
            continue
        found.append((m, n, k, stages, warps, 8, 1))
        if stages == (3 if m * n > 128 * 128 else 4) and m * n >= 64 * 128 and k == 64:
            found.append((m, n, k, stages, warps, 8, 0))
    for m, n, k, stages, warps in ((128, 128, 64, 4, 8), (128, 256, 64, 3, 8), (256, 128, 64, 3, 8)):
        for group in (1, 4, 16):
            found.append((m, n, k, stages, warps, group, 1))
    return found


SHAPES = [  # m, n, k, dtype
    (8192, 8192, 8192, "fp16"), (4096, 4096, 4096, "fp16"), (2048, 5120, 5120, "bf16"),
    (4096, 7168, 2048, "fp16"), (64, 7168, 2048, "fp16"), (128, 4096, 4096, "bf16"),
    (16, 4096, 14336, "fp16"), (256, 4096, 11008, "fp16"), (512, 11008, 4096, "bf16"),
    (1024, 4096, 4096, "fp16"), (1024, 14336, 4096, "fp16"), (1024, 4096, 14336, "bf16"),
    (2048, 2048, 2048, "fp16"), (2048, 8192, 1024, "fp16"), (3072, 3072, 768, "bf16"),
    (4096, 1024, 4096, "fp16"), (4096, 28672, 4096, "fp16"), (8192, 1280, 8192, "bf16"),
    (8192, 7168, 512, "fp16"), (8192, 4096, 256, "fp16"), (16384, 2048, 2048, "bf16"),
    (512, 512, 8192, "fp16"), (768, 3072, 768, "fp16"), (1536, 1536, 1536, "bf16"),
    (32, 8192, 8192, "fp16"), (192, 6144, 4096, "fp16"), (384, 7168, 7168, "bf16"),
    (640, 5120, 1280, "fp16"), (6144, 6144, 1024, "fp16"), (2560, 10240, 2560, "bf16"),
    (1000, 3000, 4096, "fp16"), (12288, 4096, 4096, "fp16"),
    # shapes of the second day: layers of language models, and random ones
    (32, 5120, 5120, "bf16"), (192, 4096, 14336, "fp16"), (256, 8192, 8192, "bf16"),
    (3000, 2008, 1496, "fp16"), (8, 4096, 4096, "fp16"), (312, 648, 2880, "bf16"),
    (3456, 512, 2176, "fp16"), (5248, 768, 256, "bf16"), (1024, 1024, 1024, "bf16"),
    (64, 12288, 4096, "bf16"), (512, 4096, 4096, "fp16"), (6144, 4096, 4096, "bf16"),
    (384, 1536, 6144, "fp16"), (488, 888, 1896, "fp16"), (3520, 576, 512, "bf16"),
    (1280, 10240, 2176, "fp16"), (128, 28672, 8192, "fp16"), (2304, 2304, 2304, "fp16"),
    (96, 2048, 5632, "bf16"), (4096, 14336, 4096, "bf16"), (640, 8192, 2048, "fp16"),
    (439, 11320, 232, "bf16"), (256, 6528, 384, "fp16"), (1024, 3456, 896, "bf16"),
    (200, 6152, 2056, "bf16"), (16384, 1024, 1024, "fp16"), (4096, 4096, 14336, "fp16"),
    (32, 6144, 4096, "fp16"), (1280, 5120, 13824, "bf16"), (173, 4056, 1136, "fp16"),
    (640, 9408, 832, "bf16"), (256, 768, 4864, "fp16"), (256, 2048, 2048, "fp16"),
    (10240, 8192, 1024, "bf16"), (160, 5120, 5120, "fp16"), (4096, 2560, 640, "fp16"),
    (48, 7168, 16384, "bf16"), (336, 1816, 2416, "bf16"), (128, 1664, 4480, "fp16"),
    (1664, 5376, 2048, "bf16"), (768, 768, 3072, "fp16"), (5120, 3584, 18944, "fp16"),
    (320, 3072, 8192, "bf16"), (2048, 1792, 7168, "fp16"), (1024, 28672, 4096, "bf16"),
    (4476, 1136, 3464, "fp16"), (1088, 1856, 6336, "bf16"), (6272, 2048, 3072, "fp16"),
    (16, 2048, 8192, "bf16"), (896, 4864, 896, "fp16"), (1536, 8960, 1536, "bf16"),
    (64, 1280, 8192, "fp16"), (128, 10240, 8192, "bf16"), (84, 4368, 2832, "bf16"),
    (256, 1472, 3072, "fp16"), (4352, 512, 1280, "bf16"), (4000, 4000, 4000, "fp16"),
    (8192, 8192, 2048, "fp16"), (448, 14336, 4096, "fp16"), (2048, 32000, 2048, "bf16"),
    (24, 128256, 2048, "fp16"), (917, 8200, 5792, "fp16"), (1984, 11712, 3264, "bf16"),
    (3584, 768, 640, "fp16"),
]
