/* The functions of cuda_kernels/mma.cuh, lane by lane; included in its namespace. */
typedef const char *shared_at;

inline shared_at shared_of(const void *p)
{
    return (const char *)p;
}

/* Values of all lanes of the warp, valid until the call after the next: two tables alternate, since
 * a lane may reach the next call while others still read. */
template <typename T> const T *gather(const T &mine)
{
    enum { WARPS = 32, LANES = 32 };
    static T        table[WARPS][2][LANES];
    static unsigned calls[WARPS][LANES];
    int             warp = (int)threadIdx.x / LANES, lane = stk_emulated::lane();
    T              *all = table[warp][calls[warp][lane]++ % 2];
    all[lane] = mine;
    __syncwarp();
    return all;
}

template <bool TURNED, int COUNT> void load_squares(shared_at row, uint32_t (&to)[COUNT])
{
    int              line = stk_emulated::lane() / 4, column = stk_emulated::lane() % 4;
    const shared_at *rows = gather(row);
    for (int square = 0; square < COUNT; square++) {
        uint16_t element[2];
        for (int i = 0; i < 2; i++) {
            int from = TURNED ? 2 * column + i : line, at = TURNED ? line : 2 * column + i;
            memcpy(&element[i], rows[square * 8 + from] + at * 2, sizeof element[i]);
        }
        to[square] = (uint32_t)element[1] << 16 | element[0];
    }
}

template <typename T> float element_of(uint32_t word, int i)
{
    uint16_t bits = (uint16_t)(word >> (16 * i));
    T        x;
    memcpy((void *)&x, &bits, sizeof x);
    return to_float(x);
}

struct fragments {
    uint32_t a[4], b[2];
};

template <typename T>
void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1, T)
{
    int              line = stk_emulated::lane() / 4, column = stk_emulated::lane() % 4;
    const fragments *all = gather(fragments{{a[0], a[1], a[2], a[3]}, {b0, b1}});
    for (int q = 0; q < 4; q++)
        for (int c = 0; c < 2; c++)
            for (int k = 0; k < 4; k++) { /* two elements of either half */
                const uint32_t *rows = all[line * 4 + q].a + k / 2 * 2;
                float           b = element_of<T>(all[(2 * column + c) * 4 + q].b[k / 2], k % 2);
                d[c] += element_of<T>(rows[0], k % 2) * b;
                d[2 + c] += element_of<T>(rows[1], k % 2) * b;
            }
}

template <typename KERNEL> cudaError_t allow_shared(KERNEL *, int)
{
    return cudaSuccess;
}
