// Ranks of every feature inside each query, of documents in ascending order of value:
//
//     below[s] = number of documents with a lower value
//     place[s] = below[s] + number of later documents with the same value
//     tied     = pairs of documents with the same value
//
// so n - 1 - place is the position in descending order where equal values keep the order of rows. A query's ranks are
// stored feature by feature, documents beside each other, padded to a multiple of 16 with all bits set.
//
// Set by the caller: RANK (type of a rank), VALUE (type of a value), LONGEST (documents
// sorted at once).

typedef long long wide;
typedef unsigned int word;

constexpr int COLUMNS = 128;              // threads, one column of values each
constexpr bool ONCE = sizeof(RANK) == 1;  // lists are no longer than what is sorted at once

template <int A, int B>
__device__ __forceinline__ void order(float (&x)[LONGEST]) {
    const float low = fminf(x[A], x[B]);
    x[B] = fmaxf(x[A], x[B]);
    x[A] = low;
}

template <int I, int END, int STEP, int APART>
__device__ __forceinline__ void order_all(float (&x)[LONGEST]) {
    if constexpr (I < END) {
        order<I, I + APART>(x);
        order_all<I + STEP, END, STEP, APART>(x);
    }
}

// Batcher's odd-even merge sort: the same comparisons whatever the values, so a column can stay in registers.
template <int FIRST, int N, int APART>
__device__ __forceinline__ void merge(float (&x)[LONGEST]) {
    if constexpr (2 * APART < N) {
        merge<FIRST, N, 2 * APART>(x);
        merge<FIRST + APART, N, 2 * APART>(x);
        order_all<FIRST + APART, FIRST + N - APART, 2 * APART, APART>(x);
    } else {
        order<FIRST, FIRST + APART>(x);
    }
}

template <int FIRST, int N>
__device__ __forceinline__ void sort(float (&x)[LONGEST]) {
    if constexpr (N > 1) {
        sort<FIRST, N / 2>(x);
        sort<FIRST + N / 2, N / 2>(x);
        merge<FIRST, N, 1>(x);
    }
}

// Look 16 values up in the sorted column: how many are lower (or, with `equal`, not higher).
__device__ __forceinline__ void look_up(const float* column, const float (&value)[16], int (&found)[16], bool equal) {
#pragma unroll
    for (int d = 0; d < 16; d++) found[d] = 0;
#pragma unroll
    for (int step = LONGEST / 2; step; step /= 2)
#pragma unroll
        for (int d = 0; d < 16; d++) {
            const float other = column[(found[d] + step - 1) * COLUMNS];
            if (equal ? other <= value[d] : other < value[d]) found[d] += step;
        }
    if (!ONCE)  // the search ends one short where all of them count; a column sorted whole has the value itself
#pragma unroll
        for (int d = 0; d < 16; d++) found[d] += equal ? column[found[d] * COLUMNS] <= value[d] : column[found[d] * COLUMNS] < value[d];
}

// Write 16 ranks, or add to them; the padding stays as it is.
__device__ __forceinline__ void put(RANK* to, const int (&rank)[16], int left, bool fresh) {
    constexpr int PER_WORD = 4 / sizeof(RANK), BITS = 32 / PER_WORD;
    word packed[16 / PER_WORD];
#pragma unroll
    for (int w = 0; w < 16 / PER_WORD; w++) packed[w] = fresh ? 0 : ((const word*)to)[w];
#pragma unroll
    for (int d = 0; d < 16; d++)
        packed[d / PER_WORD] += (d < left ? (word)rank[d] : fresh ? (1u << BITS) - 1 : 0) << (d % PER_WORD * BITS);
#pragma unroll
    for (int w = 0; w < 16 / PER_WORD; w += 4)
        ((uint4*)to)[w / 4] = make_uint4(packed[w], packed[w + 1], packed[w + 2], packed[w + 3]);
}

// float32: sort up to LONGEST documents of a column in registers, look every value of the column up in them, and go on
// with the documents before them.
extern "C" __global__ void __launch_bounds__(COLUMNS)
    ranks_by_sorting(const float* X, const wide* start, const wide* offset, const int* length, RANK* below, RANK* place,
                     int* tied, int K, int first, int last) {
    extern __shared__ float shared[];
    float* sorted = shared + threadIdx.x;  // [LONGEST][COLUMNS]
    word* seen = (word*)(shared + LONGEST * COLUMNS) + threadIdx.x;  // bytes: [LONGEST / 4][COLUMNS][4]
    const wide number = (wide)blockIdx.x * COLUMNS + threadIdx.x;
    const int query = first + (int)(number / K), feature = (int)(number % K);
    if (query >= last) return;
    const int n = length[query], stored = (n + 15) / 16 * 16;
    const float* values = X + start[query] * K + feature;
    const wide at = offset[query] + (wide)feature * stored;
    int pairs = 0;

    for (int begin = ONCE ? 0 : (n - 1) / LONGEST * LONGEST; begin >= 0; begin -= LONGEST) {
        float x[LONGEST];
#pragma unroll
        for (int i = 0; i < LONGEST; i++)
            x[i] = begin + i < n ? values[(wide)(begin + i) * K] + 0.0f : __int_as_float(0x7f800000);  // -0.0 is 0.0
        sort<0, LONGEST>(x);
#pragma unroll
        for (int i = 0; i < LONGEST; i++) sorted[i * COLUMNS] = x[i];
        for (int i = 0; i < LONGEST / 4; i++) seen[i * COLUMNS] = 0;

        const bool fresh = ONCE || begin + LONGEST >= n;
        float next[16];
#pragma unroll
        for (int d = 0; d < 16; d++) next[d] = values[(wide)min(stored - 16 + d, n - 1) * K];
        for (int s = stored - 16; s >= 0; s -= 16) {  // later documents first
            float value[16];
            int low[16], high[16];
#pragma unroll
            for (int d = 0; d < 16; d++) {
                value[d] = next[d] + 0.0f;
                if (s > 0) next[d] = values[(wide)(s - 16 + d) * K];
            }
            look_up(sorted, value, low, false);
            if (!ONCE && s < begin) {
                look_up(sorted, value, high, true);
            } else {
#pragma unroll
                for (int d = 15; d >= 0; d--) {
                    high[d] = low[d];
                    if ((ONCE || s < begin + LONGEST) && s + d < n) {
                        unsigned char* same = (unsigned char*)(seen + low[d] / 4 * COLUMNS) + low[d] % 4;
                        high[d] += *same;
                        *same += 1;
                    }
                }
            }
#pragma unroll
            for (int d = 0; d < 16; d++)
                if (s + d < n) pairs += high[d] - low[d];
            put(below + at + s, low, n - s, fresh);
            put(place + at + s, high, n - s, fresh);
        }
    }
    tied[(wide)query * K + feature] = pairs;
}

// Very long lists, and float64: compare everybody with everybody. A block takes 32 features and 32 documents.
extern "C" __global__ void __launch_bounds__(256)
    ranks_by_counting(const VALUE* X, const wide* start, const wide* offset, const int* length, const int2* items,
                      RANK* below, RANK* place, int* tied, int K) {
    __shared__ VALUE others[32][32];
    const int query = items[blockIdx.x].x, first = items[blockIdx.x].y;
    const int n = length[query], stored = (n + 15) / 16 * 16;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, feature = 32 * blockIdx.y + lane;
    const VALUE* values = X + start[query] * K + min(feature, K - 1);
    VALUE x[4];
    int lower[4] = {0, 0, 0, 0}, later[4] = {0, 0, 0, 0};
#pragma unroll
    for (int d = 0; d < 4; d++) x[d] = values[(wide)min(first + 4 * warp + d, n - 1) * K];
    for (int block = 0; block < n; block += 32) {
        __syncthreads();
        for (int i = warp; i < 32; i += 8)
            if (block + i < n) others[i][lane] = values[(wide)(block + i) * K];
        __syncthreads();
        const int end = min(32, n - block);
        for (int i = 0; i < end; i++) {
            const VALUE other = others[i][lane];
#pragma unroll
            for (int d = 0; d < 4; d++) {
                lower[d] += other < x[d];
                later[d] += other == x[d] && block + i > first + 4 * warp + d;
            }
        }
    }
    if (feature >= K) return;
    int pairs = 0;
#pragma unroll
    for (int d = 0; d < 4; d++) {
        const int s = first + 4 * warp + d;
        const wide at = offset[query] + (wide)feature * stored + s;
        if (s < n) {
            below[at] = (RANK)lower[d];
            place[at] = (RANK)(lower[d] + later[d]);
            pairs += later[d];
        } else if (s < stored) {
            below[at] = (RANK)~0u;
            place[at] = (RANK)~0u;
        }
    }
    if (pairs) atomicAdd(tied + (wide)query * K + feature, pairs);
}
