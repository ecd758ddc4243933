/* write_records OUT.tfrecord: writes three Examples and two SequenceExamples, reads them back and
 * says what it found. Build: cc write_records.c $(pkg-config --cflags --libs stoker) */
#include <inttypes.h>
#include <stdio.h>
#include <stoker/stoker.h>

static stk_status add_example(stk_tfrecord_writer *writer, stk_blob *scratch, int64_t number,
                              stk_error *err)
{
    const float     weights[3] = {0.5f, -1.25f, (float)number};
    const stk_bytes words[2] = {stk_bytes_text("coal"), stk_bytes_text("fire")};
    const stk_field fields[] = {
        {"label", STK_DTYPE_I64, stk_shape_scalar(), &number, 1},
        {"weights", STK_DTYPE_F32, stk_shape_1d(3), weights, 3},
        {"words", STK_DTYPE_BYTES, stk_shape_1d(2), words, 2},
    };
    const stk_sample sample = {.fields = fields, .field_count = 3};
    scratch->size = 0;
    STK_TRY(stk_example_write(scratch, &sample, err));
    return stk_tfrecord_writer_write(writer, stk_blob_bytes(scratch), err);
}

static stk_status add_sequence(stk_tfrecord_writer *writer, stk_blob *scratch, int64_t number,
                               stk_error *err)
{
    const int64_t            frames[] = {1, 2, 3, 4, 5, 6};
    const size_t             steps[] = {2, 0, 4}; /* three steps of 2, 0 and 4 values */
    const stk_field          id = {"id", STK_DTYPE_I64, stk_shape_scalar(), &number, 1};
    const stk_sample         context = {.fields = &id, .field_count = 1};
    const stk_sequence_field list = {"frames", STK_DTYPE_I64, frames, steps, 3};
    scratch->size = 0;
    STK_TRY(stk_sequence_example_write(scratch, &context, &list, 1, err));
    return stk_tfrecord_writer_write(writer, stk_blob_bytes(scratch), err);
}

static stk_status write_all(const char *path, stk_blob *scratch, stk_error *err)
{
    stk_tfrecord_writer *writer;
    STK_TRY(stk_tfrecord_writer_open(&writer, NULL, path, NULL, err));
    stk_status st = STK_OK;
    for (int64_t i = 0; !st && i < 3; i++)
        st = add_example(writer, scratch, i, err);
    for (int64_t i = 0; !st && i < 2; i++)
        st = add_sequence(writer, scratch, 100 + i, err);
    if (!st) st = stk_tfrecord_writer_commit(writer, err); /* the file appears here */
    stk_tfrecord_writer_free(writer);
    return st;
}

static stk_status count_all(const char *path, uint64_t *records, stk_error *err)
{
    stk_tfrecord_reader *reader;
    stk_record           record;
    STK_TRY(stk_tfrecord_reader_open(&reader, NULL, path, NULL, err));
    stk_status st;
    for (*records = 0;; ++*records) {
        st = stk_tfrecord_reader_next(reader, &record, err);
        if (st || !record.bytes.data) break; /* data is NULL at the end */
    }
    stk_tfrecord_reader_free(reader);
    return st;
}

int main(int argc, char **argv)
{
    stk_error err = {0};
    stk_blob  scratch;
    uint64_t  records = 0;
    char      line[1024];
    if (argc != 2) return fprintf(stderr, "usage: %s OUT.tfrecord\n", argv[0]), 2;
    stk_blob_init(&scratch, NULL, STK_MEMORY_OUTPUT);
    stk_status st = write_all(argv[1], &scratch, &err);
    if (!st) st = count_all(argv[1], &records, &err);
    stk_blob_release(&scratch);
    if (st) return fprintf(stderr, "%s\n", stk_error_line(&err, line, sizeof line)), 1;
    printf("%s: %" PRIu64 " records\n", argv[1], records);
    return 0;
}
