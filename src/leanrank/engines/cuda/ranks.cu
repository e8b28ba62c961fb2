// Ranks of every feature inside each query, of documents in ascending order of value:
//
//     below[s] = number of documents with a lower value
//     place[s] = below[s] + number of later documents with the same value
//     tied     = pairs of documents with the same value
//
// so n - 1 - place is the position in descending order where equal values keep the order of rows. A query's ranks are
// stored feature by feature, documents beside each other, padded to a multiple of 16 with all bits set.
//
// Set by the caller: RANK (type of a rank), VALUE (type of a value), LONGEST (documents a column is sorted with).

typedef long long wide;
typedef unsigned int word;

constexpr int COLUMNS = 128;  // threads, one column of values each

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

// Short lists of float32: sort the column in registers, then look every value up in it.
extern "C" __global__ void __launch_bounds__(COLUMNS)
    ranks_by_sorting(const float* X, const wide* start, const wide* offset, const int* length, RANK* below, RANK* place,
                     int* tied, int K, int first, int last) {
    extern __shared__ float sorted[];  // [LONGEST][COLUMNS]
    unsigned char* seen = (unsigned char*)(sorted + LONGEST * COLUMNS);
    const wide number = (wide)blockIdx.x * COLUMNS + threadIdx.x;
    const int query = first + (int)(number / K), feature = (int)(number % K);
    if (query >= last) return;
    const int n = length[query], stored = (n + 15) / 16 * 16;
    const float* values = X + start[query] * K + feature;

    float x[LONGEST];
#pragma unroll
    for (int i = 0; i < LONGEST; i++) x[i] = i < n ? values[(wide)i * K] + 0.0f : __int_as_float(0x7f800000);  // -0.0 is 0.0
    sort<0, LONGEST>(x);

    int run = 0, pairs = 0;
#pragma unroll
    for (int i = 0; i < LONGEST; i++) {
        sorted[i * COLUMNS + threadIdx.x] = x[i];
        if (i > 0) {
            run = x[i] == x[i - 1] ? run + 1 : 0;
            if (i < n) pairs += run;
        }
    }
    tied[(wide)query * K + feature] = pairs;
    if (place)
        for (int i = 0; i < LONGEST / 4; i++) ((word*)seen)[i * COLUMNS + threadIdx.x] = 0;

    const wide at = offset[query] + (wide)feature * stored;
    for (int s = stored - 16; s >= 0; s -= 16) {  // later documents first
        float value[16];
        int low[16];
#pragma unroll
        for (int d = 0; d < 16; d++) {
            value[d] = s + d < n ? values[(wide)(s + d) * K] + 0.0f : 0.0f;
            low[d] = 0;
        }
#pragma unroll
        for (int step = LONGEST / 2; step; step /= 2)
#pragma unroll
            for (int d = 0; d < 16; d++)
                if (sorted[(low[d] + step - 1) * COLUMNS + threadIdx.x] < value[d]) low[d] += step;
        word packed[4] = {0, 0, 0, 0};
#pragma unroll
        for (int d = 0; d < 16; d++) packed[d / 4] |= (s + d < n ? low[d] : 0xFFu) << (d % 4 * 8);
        *(uint4*)(below + at + s) = make_uint4(packed[0], packed[1], packed[2], packed[3]);
        if (place) {
            packed[0] = packed[1] = packed[2] = packed[3] = 0;
#pragma unroll
            for (int d = 15; d >= 0; d--) {
                if (s + d < n) {
                    unsigned char* same = seen + (low[d] / 4 * COLUMNS + threadIdx.x) * 4 + low[d] % 4;
                    low[d] += *same;
                    *same += 1;
                }
                packed[d / 4] |= (s + d < n ? low[d] : 0xFFu) << (d % 4 * 8);
            }
            *(uint4*)(place + at + s) = make_uint4(packed[0], packed[1], packed[2], packed[3]);
        }
    }
}

// Long lists, and float64: compare everybody with everybody. A block takes 32 features and 32 documents.
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
            if (place) place[at] = (RANK)(lower[d] + later[d]);
            pairs += later[d];
        } else if (s < stored) {
            below[at] = (RANK)~0u;
            if (place) place[at] = (RANK)~0u;
        }
    }
    if (pairs) atomicAdd(tied + (wide)query * K + feature, pairs);
}
