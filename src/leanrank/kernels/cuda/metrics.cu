// Ranking metrics of every feature: walk the tie groups of each column as the CPU's `ranked_metric` does, operation by
// operation, so that the results are the same bits. A thread walks one column.
//
// Set by the caller: RANK (type of a rank), SHORT (documents of a list whose order fits shared memory, 0: in `scratch`).

typedef long long wide;
typedef unsigned int word;

constexpr int COLUMNS = 128;
constexpr int DISCOUNTED_GAIN = 0;

// What stands at a place: a document, and the first place of those that tie with it.
struct Order {
#if SHORT
    unsigned char *document, *first;
    __device__ __forceinline__ int at(int place) const { return (place / 4 * COLUMNS + threadIdx.x) * 4 + place % 4; }
#else
    RANK *document, *first;
    int K;
    __device__ __forceinline__ wide at(int place) const { return (wide)place * K; }
#endif
};

__device__ __forceinline__ double gain_of(const Order& order, const double* gain, int place) {
    return gain[order.document[order.at(place)]];
}

extern "C" __global__ void __launch_bounds__(COLUMNS)
    ranked_metric(const RANK* below, const RANK* place, const wide* offset, const int* length, const wide* start,
                  const double* gain, const double* divisor, RANK* scratch, double* out, wide stored_ranks, int K,
                  int n_queries, int measure, int cutoff, int expected, int ascending) {
    const wide number = (wide)blockIdx.x * COLUMNS + threadIdx.x;
    const int query = (int)(number / K), feature = (int)(number % K);
    if (query >= n_queries) return;
    const int n = length[query], stored = (n + 15) / 16 * 16, k = min(cutoff, n);
    const RANK* low = below + offset[query] + (wide)feature * stored;
    const RANK* high = place + offset[query] + (wide)feature * stored;
    const double* gains = gain + start[query];

    Order order;
#if SHORT
    __shared__ word shared[2 * SHORT / 4 * COLUMNS];
    order.document = (unsigned char*)shared;
    order.first = (unsigned char*)(shared + SHORT / 4 * COLUMNS);
    for (int s = 0; s < n; s += 4) {
        const word four_low = *(const word*)(low + s), four_high = *(const word*)(high + s);
#pragma unroll
        for (int d = 0; d < 4; d++)
            if (s + d < n) {
                const int p = four_high >> (8 * d) & 0xFF;
                order.document[order.at(p)] = (unsigned char)(s + d);
                order.first[order.at(p)] = (unsigned char)(four_low >> (8 * d));
            }
    }
#else
    order.document = scratch + offset[query] + feature;
    order.first = order.document + stored_ranks;
    order.K = K;
    for (int s = 0; s < n; s++) {
        order.document[order.at(high[s])] = (RANK)s;
        order.first[order.at(high[s])] = low[s];
    }
#endif

    double total = 0.0, hits = 0.0;
    for (int i = 0; i < k;) {
        // Places begin..end hold the group; rows ascend from `end` down to `begin`.
        int begin, end;
        if (ascending) {
            begin = end = i;
            while (end + 1 < n && order.first[order.at(end + 1)] == i) end++;
        } else {
            end = n - 1 - i, begin = order.first[order.at(end)];
        }
        if (!expected && begin < end) {  // the order of rows decides: one document after the other
            for (int p = end; p >= begin && i < k; p--, i++) {
                const double g = gain_of(order, gains, p);
                if (measure == DISCOUNTED_GAIN) {
                    total += g / divisor[i];
                } else {
                    hits += g;
                    if (g > 0.0) total += g * hits / (i + 1);
                }
            }
            continue;
        }
        const int size = end - begin + 1, j = i + size;
        if (size == 1) {
            const double g = gain_of(order, gains, end);
            if (measure == DISCOUNTED_GAIN) {
                if (g != 0.0) total += g / divisor[i];
            } else if (g > 0.0) {
                hits += g;
                total += g * hits / j;
            }
        } else {
            double sum = 0.0;
            for (int p = end; p >= begin; p--) sum += gain_of(order, gains, p);
            if (sum > 0.0) {
                const int upto = min(j, k);
                if (measure == DISCOUNTED_GAIN) {
                    double discounts = 0.0;
                    for (int t = i; t < upto; t++) discounts += 1.0 / divisor[t];
                    total += discounts * (sum / size);
                } else {
                    const double slope = (sum - 1.0) / (size - 1);
                    for (int t = 0; t < upto - i; t++) total += sum / size * (hits + 1.0 + t * slope) / (i + t + 1);
                    hits += sum;
                }
            }
        }
        i = j;
    }
    out[(wide)query * K + feature] = total;
}
