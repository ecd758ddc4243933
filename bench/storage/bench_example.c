/* How fast Examples and SequenceExamples are parsed, one thread.
 *   bench_example                records made here: image + label of 1 KB and 100 KB, a table of 20
 *                                columns, token lists of varying length wanted as they are and
 *                                padded, and sequences of steps; batches of 1 and of 256
 *   bench_example FILE [BATCH]   the records of an uncompressed TFRecord file, every feature of the
 *                                first record wanted as dense; for comparison with other parsers */
#include "bench.h"

#include <inttypes.h>
#include <stoker/stoker.h>

enum { ROUNDS = 15, MOST_FEATURES = 64, TABLE_COLUMNS = 20, MOST_TOKENS = 200, MOST_STEPS = 20 };

/* Records one behind the other, and the features wanted of them. */
typedef struct data_set {
    const char      *name;
    stk_blob         bytes;
    stk_bytes       *records;
    size_t           count;
    stk_feature_spec specs[MOST_FEATURES];
    size_t           spec_count;
    char             names[MOST_FEATURES][64];
} data_set;

typedef struct job {
    const data_set     *data;
    stk_example_batch  *batch; /* or */
    stk_sequence_batch *sequences;
    size_t              batch_size;
    size_t              times; /* passes over the data in one run */
} job;

static void check(stk_status status, const stk_error *err)
{
    if (!status) return;
    char text[1024];
    fprintf(stderr, "bench_example: %s\n", stk_error_line(err, text, sizeof text));
    exit(1);
}

static void *need(void *memory)
{
    if (memory) return memory;
    fprintf(stderr, "bench_example: no memory\n");
    exit(1);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* What was written from begin on is a record. The blob may still move: for now only the place is
 * kept. */
static void end_record(data_set *data, size_t begin)
{
    data->records[data->count++] = stk_bytes_of((const uint8_t *)begin, data->bytes.size - begin);
}

static void add_record(data_set *data, const stk_field *fields, size_t count)
{
    stk_error        err;
    const stk_sample sample = {.fields = fields, .field_count = count};
    const size_t     begin = data->bytes.size;
    check(stk_example_write(&data->bytes, &sample, &err), &err);
    end_record(data, begin);
}

static void finish(data_set *data)
{
    for (size_t i = 0; i < data->count; i++)
        data->records[i].data = data->bytes.data + (uintptr_t)data->records[i].data;
}

static void want(data_set *data, const char *name, stk_dtype dtype, size_t count)
{
    stk_feature_spec *spec = &data->specs[data->spec_count];
    char             *copy = data->names[data->spec_count++];
    snprintf(copy, sizeof data->names[0], "%s", name);
    *spec = (stk_feature_spec){.name = copy, .kind = STK_FEATURE_DENSE, .dtype = dtype};
    if (count != 1) spec->shape = stk_shape_1d((int64_t)count);
}

/* Images whose sizes vary by a tenth, as JPEGs do, and a label below 1000. */
static void make_images(data_set *data, const char *name, size_t image_bytes, size_t count)
{
    uint64_t random = 88172645463325252u;
    uint8_t *pixels = need(malloc(2 * image_bytes));
    for (size_t i = 0; i < 2 * image_bytes; i++)
        pixels[i] = (uint8_t)next_random(&random);
    *data = (data_set){.name = name, .records = need(calloc(count, sizeof(stk_bytes)))};
    for (size_t i = 0; i < count; i++) {
        const int64_t   label = (int64_t)(next_random(&random) % 1000);
        const stk_bytes image = stk_bytes_of(
            pixels, image_bytes - image_bytes / 20 + next_random(&random) % (image_bytes / 10 + 1));
        const stk_field fields[] = {
            {.name = "image/encoded", .dtype = STK_DTYPE_BYTES, .data = &image, .count = 1},
            {.name = "image/class/label", .dtype = STK_DTYPE_I64, .data = &label, .count = 1}};
        add_record(data, fields, 2);
    }
    finish(data);
    free(pixels);
    want(data, "image/encoded", STK_DTYPE_BYTES, 1);
    want(data, "image/class/label", STK_DTYPE_I64, 1);
}

/* Ten floats, eight integers of various sizes and two strings. */
static void make_table(data_set *data, size_t count)
{
    uint64_t random = 88172645463325252u;
    *data = (data_set){.name = "table of 20", .records = need(calloc(count, sizeof(stk_bytes)))};
    for (int c = 0; c < TABLE_COLUMNS; c++) {
        const stk_dtype type = c < 10 ? STK_DTYPE_F32 : c < 18 ? STK_DTYPE_I64 : STK_DTYPE_BYTES;
        char            name[64];
        snprintf(name, sizeof name, "%s_%d", c < 10 ? "number" : c < 18 ? "count" : "category", c);
        want(data, name, type, 1);
    }
    for (size_t i = 0; i < count; i++) {
        float     floats[10];
        int64_t   ints[8];
        char      text[2][32];
        stk_bytes strings[2];
        stk_field fields[TABLE_COLUMNS];
        for (int c = 0; c < TABLE_COLUMNS; c++) {
            const uint64_t r = next_random(&random);
            fields[c] =
                (stk_field){.name = data->names[c], .dtype = data->specs[c].dtype, .count = 1};
            if (c < 10) {
                floats[c] = (float)(r % 100000) / 100;
                fields[c].data = &floats[c];
            } else if (c < 18) {
                /* From flags to identifiers: the size of one column's numbers varies little. */
                static const uint64_t ranges[8] = {2, 10, 100, 100, 1000, 10000, 1000000, 1u << 30};
                ints[c - 10] = (int64_t)(r % ranges[c - 10]);
                fields[c].data = &ints[c - 10];
            } else {
                snprintf(text[c - 18], sizeof text[0], "value-%" PRIu64, r % 5000);
                strings[c - 18] = stk_bytes_text(text[c - 18]);
                fields[c].data = &strings[c - 18];
            }
        }
        add_record(data, fields, TABLE_COLUMNS);
    }
    finish(data);
}

/* Up to 200 tokens below 32000 and as many weights, all of them or padded. */
static void make_tokens(data_set *data, stk_feature_kind kind, size_t count)
{
    uint64_t random = 88172645463325252u;
    *data = (data_set){.name = kind == STK_FEATURE_VARLEN ? "tokens, varlen" : "tokens, padded",
                       .records = need(calloc(count, sizeof(stk_bytes)))};
    for (size_t i = 0; i < count; i++) {
        int64_t      tokens[MOST_TOKENS];
        float        weights[MOST_TOKENS];
        const size_t length = 1 + next_random(&random) % MOST_TOKENS;
        for (size_t k = 0; k < length; k++) {
            tokens[k] = (int64_t)(next_random(&random) % 32000);
            weights[k] = (float)k;
        }
        const stk_field fields[] = {
            {.name = "tokens", .dtype = STK_DTYPE_I64, .data = tokens, .count = length},
            {.name = "weights", .dtype = STK_DTYPE_F32, .data = weights, .count = length}};
        add_record(data, fields, 2);
    }
    finish(data);
    want(data, "tokens", STK_DTYPE_I64, 1);
    want(data, "weights", STK_DTYPE_F32, 1);
    for (size_t i = 0; i < data->spec_count; i++)
        data->specs[i].kind = kind;
}

/* A label, up to 20 steps of 8 floats, and as many of one to four tokens. */
static void make_sequences(data_set *data, size_t count)
{
    uint64_t random = 88172645463325252u;
    *data = (data_set){.name = "sequences", .records = need(calloc(count, sizeof(stk_bytes)))};
    for (size_t i = 0; i < count; i++) {
        stk_error       err;
        float           frames[8 * MOST_STEPS] = {0};
        int64_t         tokens[4 * MOST_STEPS];
        size_t          eight[MOST_STEPS], few[MOST_STEPS];
        const size_t    steps = 1 + next_random(&random) % MOST_STEPS, begin = data->bytes.size;
        const int64_t   label = (int64_t)i;
        const stk_field field = {
            .name = "label", .dtype = STK_DTYPE_I64, .data = &label, .count = 1};
        const stk_sample   sample = {.fields = &field, .field_count = 1};
        stk_sequence_field lists[] = {
            {.name = "frames", .dtype = STK_DTYPE_F32, .data = frames, .step_counts = eight},
            {.name = "tokens", .dtype = STK_DTYPE_I64, .data = tokens, .step_counts = few}};
        for (size_t k = 0; k < steps; k++) {
            eight[k] = 8;
            few[k] = 1 + next_random(&random) % 4;
        }
        for (size_t k = 0; k < 4 * steps; k++)
            tokens[k] = (int64_t)(next_random(&random) % 32000);
        lists[0].steps = lists[1].steps = steps;
        check(stk_sequence_example_write(&data->bytes, &sample, lists, 2, &err), &err);
        end_record(data, begin);
    }
    finish(data);
    want(data, "label", STK_DTYPE_I64, 1);
}

static void parse_all(void *context)
{
    job      *j = context;
    stk_error err;
    for (size_t t = 0; t < j->times; t++)
        for (size_t i = 0; i < j->data->count; i += j->batch_size) {
            const size_t left = j->data->count - i;
            check(stk_example_parse(j->batch, j->data->records + i,
                                    left < j->batch_size ? left : j->batch_size, NULL, &err),
                  &err);
        }
}

static void parse_all_sequences(void *context)
{
    job      *j = context;
    stk_error err;
    for (size_t t = 0; t < j->times; t++)
        for (size_t i = 0; i < j->data->count; i += j->batch_size) {
            const size_t left = j->data->count - i;
            check(stk_sequence_parse(j->sequences, j->data->records + i,
                                     left < j->batch_size ? left : j->batch_size, NULL, &err),
                  &err);
        }
}

static void run(void (*parse)(void *), job *j)
{
    const data_set *data = j->data;
    j->times = 200000 / (data->count ? data->count : 1) + 1;
    const bench_result result = bench_run(parse, j, ROUNDS);
    char               line[128];
    snprintf(line, sizeof line, "%s, batch %zu", data->name, j->batch_size);
    bench_print(line, result, (double)(data->count * j->times), "examples/s");
    bench_print(line, result, (double)(data->bytes.size * j->times) * 1e-9, "GB/s");
}

static void measure_sequences(const data_set *data, size_t batch_size)
{
    static const stk_sequence_spec lists[] = {
        {.name = "frames", .dtype = STK_DTYPE_F32, .shape = {.rank = 1, .dim = {8}}},
        {.name = "tokens", .dtype = STK_DTYPE_I64, .varlen = true}};
    stk_error            err;
    stk_sequence_parser *parser;
    job                  j = {.data = data, .batch_size = batch_size};
    check(stk_sequence_parser_new(&parser, data->specs, data->spec_count, lists, 2, &err), &err);
    check(stk_sequence_batch_new(&j.sequences, parser, NULL, &err), &err);
    run(parse_all_sequences, &j);
    stk_sequence_batch_free(j.sequences);
    stk_sequence_parser_free(parser);
}

static void measure(const data_set *data, size_t batch_size)
{
    stk_error           err;
    stk_example_parser *parser;
    job                 j = {.data = data, .batch_size = batch_size};
    check(stk_example_parser_new(&parser, data->specs, data->spec_count, &err), &err);
    check(stk_example_batch_new(&j.batch, parser, NULL, &err), &err);
    run(parse_all, &j);
    stk_example_batch_free(j.batch);
    stk_example_parser_free(parser);
}

static void release(data_set *data)
{
    stk_blob_release(&data->bytes);
    free(data->records);
}

static stk_status want_feature(void *context, const stk_feature_view *feature, stk_error *err)
{
    data_set *data = context;
    char      name[64];
    if (data->spec_count == MOST_FEATURES)
        return stk_fail(err, STK_E_LIMIT, "bench", NULL, "more than %d features", MOST_FEATURES);
    snprintf(name, sizeof name, "%.*s", (int)feature->name.size, (const char *)feature->name.data);
    want(data, name, feature->dtype, feature->count);
    return STK_OK;
}

/* The records of an uncompressed TFRecord file: lengths are believed, checksums not looked at. */
static void read_records(data_set *data, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "bench_example: cannot open %s\n", path);
        exit(1);
    }
    uint8_t   header[12];
    stk_error err;
    size_t    capacity = 0;
    *data = (data_set){.name = path};
    while (fread(header, 1, sizeof header, file) == sizeof header) {
        uint64_t     length;
        const size_t begin = data->bytes.size;
        memcpy(&length, header, sizeof length);
        if (data->count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            data->records = need(realloc(data->records, capacity * sizeof data->records[0]));
        }
        check(stk_blob_reserve(&data->bytes, begin + length + 4, &err), &err);
        if (fread(data->bytes.data + begin, 1, length + 4, file) != length + 4) break;
        data->bytes.size += length;
        data->records[data->count++] = stk_bytes_of((const uint8_t *)begin, length);
    }
    fclose(file);
    finish(data);
    if (data->count)
        check(stk_example_visit(data->records[0], path, want_feature, data, &err), &err);
}

int main(int argc, char **argv)
{
    data_set data;
    if (argc > 1) {
        read_records(&data, argv[1]);
        measure(&data, argc > 2 ? strtoul(argv[2], NULL, 10) : 256);
        release(&data);
        return 0;
    }
    static const size_t batches[] = {1, 256};
    for (int kind = 0; kind < 6; kind++) {
        if (kind == 0) make_images(&data, "image of 1 KB + label", 1000, 4096);
        if (kind == 1) make_images(&data, "image of 100 KB + label", 100000, 512);
        if (kind == 2) make_table(&data, 4096);
        if (kind == 3) make_tokens(&data, STK_FEATURE_VARLEN, 4096);
        if (kind == 4) make_tokens(&data, STK_FEATURE_DENSE_PADDED, 4096);
        if (kind == 5) make_sequences(&data, 4096);
        for (int b = 0; b < 2; b++)
            (kind == 5 ? measure_sequences : measure)(&data, batches[b]);
        release(&data);
    }
    return 0;
}
