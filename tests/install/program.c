/* Ten lines against the installed library: write one record, read it back. */
#include <stdio.h>
#include <stoker/stoker.h>

int main(int argc, char **argv)
{
    stk_error            err = {0};
    stk_tfrecord_writer *writer;
    stk_tfrecord_reader *reader;
    stk_record           record = {0};
    if (argc != 2) return 2;
    if (stk_tfrecord_writer_open(&writer, NULL, argv[1], NULL, &err) ||
        stk_tfrecord_writer_write(writer, stk_bytes_text("abc"), &err) ||
        stk_tfrecord_writer_commit(writer, &err) ||
        stk_tfrecord_reader_open(&reader, NULL, argv[1], NULL, &err) ||
        stk_tfrecord_reader_next(reader, &record, &err))
        return fprintf(stderr, "%s\n", err.message), 1;
    printf("stoker %s read %zu bytes\n", stk_version(), record.bytes.size);
    stk_tfrecord_reader_free(reader);
    stk_tfrecord_writer_free(writer);
    return 0;
}
