// Concordant pairs of documents for every pair of features of a query, on one-bit tensor cores.
//
// For a feature a and documents s, t let G_a[s, t] = (rank of t < rank of s). Over all ordered pairs of documents
//
//     concordant(a, b) = sum_{s,t} popcount(G_a[s, t] & G_b[s, t])
//
// which is a matrix product of bits: mma.m16n8k256, AND and POPC, 32,768 bit products an instruction.
//
// Bits are never stored in device memory. A block of threads takes 128 documents t, splits their ranks into bit planes
// (P_b holds bit b of 32 ranks) and compares 32 documents with one document s in one logic instruction a plane, lowest
// bit first, where m is bit b of the rank of s, repeated:
//
//     less = m & ~P_b | less & ~(P_b ^ m)
//
// 16 documents s at a time make a chunk of 2,048 bits a feature in shared memory, which every warp multiplies for its own
// 48 x 48 features. The order of the bits is arbitrary as long as it is the same for all features.
//
// Set by the caller: BLOCKS (a tile has 48 * BLOCKS features), DIAGONAL (1: the tile with itself, upper triangle), MODE
// (what ties count, as in the CPU's kernel), RANK (type of a rank), BUFFERS (chunks in shared memory, 1 or 2), RESIDENT
// (blocks of threads to fit on a multiprocessor).

typedef unsigned int word;
typedef long long wide;

constexpr int SIDE = 48;
constexpr int TILE = SIDE * BLOCKS;
constexpr int FEATURES = DIAGONAL ? TILE : 2 * TILE;
constexpr int WARPS = DIAGONAL ? BLOCKS * (BLOCKS + 1) / 2 : BLOCKS * BLOCKS;
constexpr int THREADS = 32 * WARPS;
constexpr int GROUPS = (FEATURES / 8 + WARPS - 1) / WARPS;  // groups of 8 features a warp makes bits of
constexpr int STRIDE = 68;                                  // words of a row: 64, and 4 so that eight rows meet all banks
constexpr int PER_WORD = 4 / sizeof(RANK);                  // ranks in a word
constexpr int HALF = 1, TAU_B = 3;
constexpr bool SIGNED = MODE == HALF || MODE == TAU_B;  // discordant pairs are subtracted
constexpr double UNITS = 70368744177664.0;  // 2^46 units make 1

struct Item {
    int query, first_block, last_block, first_document, last_document, slot;
};

// Four 8 x 128-bit matrices; a lane names a row and gets the word of its column in the row of its group.
__device__ __forceinline__ void load_matrices(word (&to)[4], word address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address));
}

__device__ __forceinline__ void multiply_add(int (&c)[4], const word (&a)[4], word b0, word b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Similarity of one query in whole units: the arithmetic of the CPU's `add_similarity`, operation by operation.
__device__ __forceinline__ wide in_units(int count, double pairs, double scale, double untied_a, double untied_b) {
    double value;
    if constexpr (MODE == HALF) {
        value = __dmul_rn(pairs + count, scale);
    } else if constexpr (MODE == TAU_B) {
        const double spread = __dsqrt_rn(__dmul_rn(untied_a, untied_b));
        const double tau = spread > 0.0 ? __ddiv_rn((double)count, spread) : 0.0;
        value = __dmul_rn(__dadd_rn(0.5, __dmul_rn(0.5, tau)), UNITS);
    } else {
        value = __dmul_rn((double)count, scale);
    }
    return __double2ll_rz(__dadd_rn(value, 0.5));
}

// Bit planes of the ranks of 128 documents; beyond the end of the list all bits are set, which is less than nothing.
// The plane after the last one marks the documents that exist.
__device__ __forceinline__ void make_planes(word* planes, const RANK* ranks, int K, int tile_a, int tile_b, int n, int stored,
                                            int first, int n_planes, bool mark) {
    for (int i = threadIdx.x; i < FEATURES * 4; i += THREADS) {
        const int f = i >> 2, t = first + 32 * (i & 3);
        const int feature = min((f < TILE ? tile_a : tile_b - TILE) + f, K - 1);
        word packed[32 / PER_WORD];
        const uint4* from = (const uint4*)(ranks + (wide)feature * stored + t);
#pragma unroll
        for (int part = 0; part < 8 / PER_WORD; part++) {
            uint4 four = make_uint4(~0u, ~0u, ~0u, ~0u);
            if (t + part * 4 * PER_WORD < stored) four = from[part];
            packed[4 * part] = four.x, packed[4 * part + 1] = four.y;
            packed[4 * part + 2] = four.z, packed[4 * part + 3] = four.w;
        }
        constexpr word LOWEST = sizeof(RANK) == 1 ? 0x01010101u : 0x00010001u;
        for (int b = 0; b < n_planes; b++) {
            word plane = 0;
#pragma unroll
            for (int k = 0; k < 32 / PER_WORD; k++) plane += ((packed[k] >> b) & LOWEST) << k;
            planes[b * FEATURES * 4 + i] = plane;
        }
        if (mark) {
            word exists = 0;
#pragma unroll
            for (int k = 0; k < 32; k++)  // document k is byte (or half) k % PER_WORD of word k / PER_WORD
                if (t + k < n) exists |= 1u << (k % PER_WORD * (32 / PER_WORD) + k / PER_WORD);
            planes[n_planes * FEATURES * 4 + i] = exists;
        }
    }
}

struct Ranks {  // of four documents
    word of[4 / PER_WORD];
};

__device__ __forceinline__ Ranks read_ranks(const RANK* ranks, int K, int tile_a, int tile_b, int stored, int f, int s) {
    const int feature = min((f < TILE ? tile_a : tile_b - TILE) + f, K - 1);
    const RANK* from = ranks + (wide)feature * stored + s;
    Ranks found;
    if constexpr (PER_WORD == 4) {
        found.of[0] = *(const word*)from;
    } else {
        const uint2 two = *(const uint2*)from;
        found.of[0] = two.x, found.of[4 / PER_WORD - 1] = two.y;
    }
    return found;
}

// Compare four documents with 128 others and store 4 x 128 bits. `differs`: mark unequal ranks instead of lower ones.
__device__ __forceinline__ void make_bits(word* to, const word* planes, Ranks ranks, int left, int n_planes,
                                          bool differs) {
    word rank[4], bits[4][4];
#pragma unroll
    for (int d = 0; d < 4; d++) {
        rank[d] = (ranks.of[d / PER_WORD] >> (d % PER_WORD * (32 / PER_WORD))) & (sizeof(RANK) == 1 ? 0xFFu : 0xFFFFu);
        if (d >= left) rank[d] = 0;  // beyond the end of the list: above nobody
#pragma unroll
        for (int w = 0; w < 4; w++) bits[d][w] = 0;
    }
    for (int b = 0; b < n_planes; b++) {
        const uint4 four = *(const uint4*)(planes + b * FEATURES * 4);
        const word plane[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int d = 0; d < 4; d++) {
            const word m = (word)((int)(rank[d] << (31 - b)) >> 31);
#pragma unroll
            for (int w = 0; w < 4; w++) {
                const word unequal = plane[w] ^ m;
                bits[d][w] = differs ? bits[d][w] | unequal : (m & ~plane[w]) | (bits[d][w] & ~unequal);
            }
        }
    }
    if (differs) {
        const uint4 exists = *(const uint4*)(planes + n_planes * FEATURES * 4);
#pragma unroll
        for (int d = 0; d < 4; d++) {
            const word keep = d < left ? ~0u : 0u;
            bits[d][0] &= exists.x & keep, bits[d][1] &= exists.y & keep;
            bits[d][2] &= exists.z & keep, bits[d][3] &= exists.w & keep;
        }
    }
#pragma unroll
    for (int d = 0; d < 4; d++)
        *(uint4*)(to + 16 * d) = make_uint4(bits[d][0], bits[d][1], bits[d][2], bits[d][3]);
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    concordance(const RANK* below, const wide* offset, const int* length, const int* tied, const Item* items, wide* slab,
                wide* total, wide* counts, int* queue, int K, int n_items, int n_tiles) {
    extern __shared__ uint4 shared[];
    __shared__ int taken;
    word* bits = (word*)shared;
    word* planes = bits + BUFFERS * FEATURES * STRIDE;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = lane / 4, column = lane % 4;

    int tile_a = 0, tile_b = blockIdx.y;
    if (DIAGONAL) {
        tile_a = blockIdx.y;
    } else {  // pairs a < b of tiles, row by row
        while (tile_b >= n_tiles - 1 - tile_a) tile_b -= n_tiles - 1 - tile_a, tile_a++;
        tile_b += tile_a + 1;
    }
    tile_a *= TILE, tile_b *= TILE;
    int block_a = 0, block_b = warp;
    if (DIAGONAL) {
        while (block_b >= BLOCKS - block_a) block_b -= BLOCKS - block_a, block_a++;
        block_b += block_a;
    } else {
        block_a = warp / BLOCKS, block_b = warp % BLOCKS;
    }
    const bool on_diagonal = DIAGONAL && block_a == block_b;
    const int row_a = SIDE * block_a, row_b = (DIAGONAL ? 0 : TILE) + SIDE * block_b;
    const int feature_a = tile_a + SIDE * block_a + row, feature_b = tile_b + SIDE * block_b + 2 * column;  // of sums[0][0][0]
    // Rows and 16-byte units whose addresses this lane names: for a, 16 rows x 2 units; for b, twice 8 rows x 2 units.
    const word first_word = (word)__cvta_generic_to_shared(bits);
    const int from_a = lane % 16, unit_a = lane / 16 * 16, from_b = lane % 8 + lane / 16 * 8, unit_b = lane / 8 % 2 * 16;
    wide* mine = slab + (wide)(blockIdx.y * gridDim.x + blockIdx.x) * 72 * THREADS + threadIdx.x;

    for (;;) {
        if (threadIdx.x == 0) taken = atomicAdd(queue + blockIdx.y, 1);
        __syncthreads();
        if (taken >= n_items) break;
        const Item item = items[taken];
        const int n = length[item.query], stored = (n + 15) / 16 * 16, n_planes = max(1, 32 - __clz(n - 1));
        const RANK* ranks = below + offset[item.query];

        int sums[3][6][4];
#pragma unroll
        for (int i = 0; i < 72; i++) sums[i / 24][i / 4 % 6][i % 4] = 0;

        for (int pass = 0; pass <= SIGNED; pass++) {
            if (pass) {  // concordant C, then pairs untied in both, twice: 2 B - 4 C = -2 (C - D)
#pragma unroll
                for (int i = 0; i < 72; i++) sums[i / 24][i / 4 % 6][i % 4] *= -4;
            }
            int buffer = 0;
            for (int block = item.first_block; block < item.last_block; block++) {
                Ranks next[GROUPS];
#pragma unroll
                for (int i = 0; i < GROUPS; i++)
                    if (warp + i * WARPS < FEATURES / 8)
                        next[i] = read_ranks(ranks, K, tile_a, tile_b, stored, 8 * (warp + i * WARPS) + lane % 8,
                                             item.first_document + lane / 8 * 4);
                __syncthreads();
                make_planes(planes, ranks, K, tile_a, tile_b, n, stored, 128 * block, n_planes, pass);
                __syncthreads();
                for (int s = item.first_document; s < item.last_document; s += 16) {
                    word* chunk = bits + buffer * FEATURES * STRIDE;
#pragma unroll
                    for (int i = 0; i < GROUPS; i++) {
                        const int f = 8 * (warp + i * WARPS) + lane % 8, ours = s + lane / 8 * 4;
                        if (warp + i * WARPS < FEATURES / 8) {
                            make_bits(chunk + f * STRIDE + lane / 8 * 4, planes + 4 * f, next[i], n - ours, n_planes, pass);
                            if (s + 16 < item.last_document)
                                next[i] = read_ranks(ranks, K, tile_a, tile_b, stored, f, ours + 16);
                        }
                    }
                    __syncthreads();
#pragma unroll
                    for (int step = 0; step < 8; step++) {  // 256 bits: two documents s
                        const word at = first_word + (buffer * FEATURES * STRIDE + 8 * step) * 4;
                        word a[3][4], b[3][4];
#pragma unroll
                        for (int i = 0; i < 3; i++) load_matrices(a[i], at + (row_a + 16 * i + from_a) * STRIDE * 4 + unit_a);
#pragma unroll
                        for (int j = 0; j < 3; j++) load_matrices(b[j], at + (row_b + 16 * j + from_b) * STRIDE * 4 + unit_b);
#pragma unroll
                        for (int i = 0; i < 3; i++)
#pragma unroll
                            for (int j = 2 * i; j < 6; j++)
                                multiply_add(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
                        if (!on_diagonal) {
#pragma unroll
                            for (int i = 1; i < 3; i++)
#pragma unroll
                                for (int j = 0; j < 2 * i; j++)
                                    multiply_add(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
                        }
                    }
                    if (BUFFERS == 1) __syncthreads();
                    buffer = (buffer + 1) % BUFFERS;
                }
            }
        }

        const double pairs = 0.5 * n * (n - 1.0);
        const double scale = __ddiv_rn(MODE == HALF ? 0.5 : 1.0, __dmul_rn(pairs, 1.0 / UNITS));
        if (item.slot >= 0) {
            wide* counted = counts + (wide)item.slot * K * K;
#pragma unroll
            for (int i = 0; i < 72; i++) {
                const int a = feature_a + i / 24 * 16 + i % 4 / 2 * 8, b = feature_b + i / 4 % 6 * 8 + i % 2;
                const wide sum = sums[i / 24][i / 4 % 6][i % 4];  // of pieces, not yet halved
                if (a <= b && b < K) atomicAdd((unsigned long long*)counted + (wide)a * K + b, (unsigned long long)sum);
            }
        } else {
            const int* ties = tied + (wide)item.query * K;
#pragma unroll
            for (int i = 0; i < 72; i++) {
                const int a = feature_a + i / 24 * 16 + i % 4 / 2 * 8, b = feature_b + i / 4 % 6 * 8 + i % 2;
                const int count = SIGNED ? sums[i / 24][i / 4 % 6][i % 4] / -2 : sums[i / 24][i / 4 % 6][i % 4];
                double untied_a = 0.0, untied_b = 0.0;
                if (MODE == TAU_B && a < K && b < K) untied_a = pairs - ties[a], untied_b = pairs - ties[b];
                mine[i * THREADS] += in_units(count, pairs, scale, untied_a, untied_b);
            }
        }
    }

#pragma unroll 1
    for (int i = 0; i < 72; i++) {
        const int a = feature_a + i / 24 * 16 + i % 4 / 2 * 8, b = feature_b + i / 4 % 6 * 8 + i % 2;
        if (a <= b && b < K) atomicAdd((unsigned long long*)total + (wide)a * K + b, (unsigned long long)mine[i * THREADS]);
    }
}
