/* Copies boxes of elements between layouts. Dimensions adjacent on both sides are merged. If the
 * innermost ones match, rows are copied; else tiles are transposed, so that both sides use complete
 * cache lines. */
#include "compute/cpu_kernels/move.h"
#include <string.h>

enum { TILE = 16 };

void stk_move_strides(const stk_shape *shape, int64_t stride[STK_MAX_RANK])
{
    int64_t step = 1;
    for (int d = shape->rank - 1; d >= 0; d--) {
        stride[d] = step;
        step *= shape->dim[d];
    }
}

stk_shape stk_shape_in_memory(const stk_tensor_type *type, stk_format format)
{
    if (format != STK_FORMAT_C8 && format != STK_FORMAT_C16) return type->shape;
    stk_channels c = stk_channels_of(type, format);
    return stk_shape_4d(c.outer, c.blocks, type->shape.dim[1], type->shape.dim[2] * c.block);
}

static stk_move merged(const stk_move *move)
{
    stk_move m = {.element = move->element};
    for (int d = 0; d < move->rank; d++) {
        int last = m.rank - 1;
        if (move->dim[d] == 1) continue;
        if (m.rank && m.src[last] == move->src[d] * move->dim[d] &&
            m.dst[last] == move->dst[d] * move->dim[d]) {
            m.dim[last] *= move->dim[d];
            m.src[last] = move->src[d];
            m.dst[last] = move->dst[d];
            continue;
        }
        m.dim[m.rank] = move->dim[d];
        m.src[m.rank] = move->src[d];
        m.dst[m.rank++] = move->dst[d];
    }
    if (m.rank == 0) m = (stk_move){1, {1}, {1}, {1}, move->element};
    return m;
}

typedef struct job {
    stk_move       move; /* the dimensions outside of tiles */
    int64_t        count, rows, row_src, row_dst, columns, column_src, column_dst;
    int64_t        row_tiles;
    const uint8_t *src;
    uint8_t       *dst;
} job;

/* Removes dimension d from the outer ones. */
static void take(stk_move *m, int d)
{
    m->rank--;
    for (; d < m->rank; d++) {
        m->dim[d] = m->dim[d + 1];
        m->src[d] = m->src[d + 1];
        m->dst[d] = m->dst[d + 1];
    }
}

static void tile_of_four(const job *j, const uint8_t *src_, uint8_t *dst_, int64_t rows,
                         int64_t columns)
{
    const uint32_t *src = (const uint32_t *)(const void *)src_;
    uint32_t       *dst = (uint32_t *)(void *)dst_;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            dst[r * j->row_dst + c * j->column_dst] = src[r * j->row_src + c * j->column_src];
}

static void tile(const job *j, const uint8_t *src, uint8_t *dst, int64_t rows, int64_t columns)
{
    size_t element = j->move.element;
    if (element == sizeof(uint32_t)) {
        tile_of_four(j, src, dst, rows, columns);
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            memcpy(dst + (size_t)(r * j->row_dst + c * j->column_dst) * element,
                   src + (size_t)(r * j->row_src + c * j->column_src) * element, element);
}

static void tile_row(const job *j, const uint8_t *src, uint8_t *dst, int64_t rows)
{
    size_t element = j->move.element;
    if (j->column_src == 1 && j->column_dst == 1) {
        for (int64_t r = 0; r < rows; r++)
            memcpy(dst + (size_t)(r * j->row_dst) * element,
                   src + (size_t)(r * j->row_src) * element, (size_t)j->columns * element);
        return;
    }
    for (int64_t c = 0; c < j->columns; c += TILE)
        tile(j, src + (size_t)(c * j->column_src) * element,
             dst + (size_t)(c * j->column_dst) * element, rows,
             j->columns - c < TILE ? j->columns - c : TILE);
}

static void work(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->count * j->row_tiles, 1, part, parts, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        int64_t src = 0, dst = 0, rest = i / j->row_tiles, row = i % j->row_tiles * TILE;
        for (int d = j->move.rank - 1; d >= 0; d--) {
            src += rest % j->move.dim[d] * j->move.src[d];
            dst += rest % j->move.dim[d] * j->move.dst[d];
            rest /= j->move.dim[d];
        }
        tile_row(j, j->src + (size_t)(src + row * j->row_src) * j->move.element,
                 j->dst + (size_t)(dst + row * j->row_dst) * j->move.element,
                 j->rows - row < TILE ? j->rows - row : TILE);
    }
}

static int smallest(const int64_t *step, int rank)
{
    int best = 0;
    for (int d = 1; d < rank; d++)
        if (step[d] < step[best]) best = d;
    return best;
}

/* Columns are contiguous in the source, rows in the result. If both are the same dimension, rows
 * are the one before it. */
void stk_move_run(const stk_cpu *cpu, const stk_move *move, const void *src, void *dst)
{
    int64_t bytes = (int64_t)move->element;
    job     j = {.move = merged(move), .count = 1, .rows = 1, .src = src, .dst = dst};
    for (int d = 0; d < j.move.rank; d++)
        bytes *= j.move.dim[d];
    if (bytes == 0) return;
    int column = smallest(j.move.src, j.move.rank);
    j.columns = j.move.dim[column];
    j.column_src = j.move.src[column];
    j.column_dst = j.move.dst[column];
    take(&j.move, column);
    if (j.move.rank) {
        int row = smallest(j.move.dst, j.move.rank);
        j.rows = j.move.dim[row];
        j.row_src = j.move.src[row];
        j.row_dst = j.move.dst[row];
        take(&j.move, row);
    }
    for (int d = 0; d < j.move.rank; d++)
        j.count *= j.move.dim[d];
    j.row_tiles = (j.rows + TILE - 1) / TILE;
    stk_work(cpu, 2 * bytes, work, &j);
}
