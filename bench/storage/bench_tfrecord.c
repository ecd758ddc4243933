/* TFRecord files in the page cache: reading, passing over, and random access, on one core.
 *   bench_tfrecord [FOLDER]            writes files of 100 KB and 1 KB records, times them
 *   bench_tfrecord FOLDER read FILE    times reading an existing file */
#include "bench.h"

#include <stoker/stoker.h>
#include <string.h>

enum { ROUNDS = 9, FILE_BYTES = 200000000 };

typedef struct job {
    const char          *path;
    stk_tfrecord_options options;
    uint64_t             record_bytes, count; /* of the file to write */
    uint64_t             bytes, records;      /* what one run read */
    stk_record_file     *file;
} job;

static void stop_on(stk_status st, const stk_error *err)
{
    char text[1024];
    if (!st) return;
    fprintf(stderr, "bench_tfrecord: %s\n", stk_error_line(err, text, sizeof text));
    exit(1);
}

static void write_file(void *context)
{
    const job           *j = context;
    stk_error            err;
    stk_tfrecord_writer *writer;
    uint8_t             *bytes = malloc(j->record_bytes);
    if (!bytes) exit(1);
    uint64_t state = 1;
    for (uint64_t i = 0; i < j->record_bytes; i++)
        bytes[i] = (uint8_t)((state = state * 6364136223846793005u + 1) >> 56);
    stop_on(stk_tfrecord_writer_open(&writer, NULL, j->path, &j->options, &err), &err);
    for (uint64_t i = 0; i < j->count; i++)
        stop_on(stk_tfrecord_writer_write(writer, stk_bytes_of(bytes, j->record_bytes), &err),
                &err);
    stop_on(stk_tfrecord_writer_commit(writer, &err), &err);
    stk_tfrecord_writer_free(writer);
    free(bytes);
}

static void read_file(void *context)
{
    job                 *j = context;
    stk_error            err;
    stk_tfrecord_reader *reader;
    stk_record           record;
    j->bytes = j->records = 0;
    stop_on(stk_tfrecord_reader_open(&reader, NULL, j->path, &j->options, &err), &err);
    for (;;) {
        stop_on(stk_tfrecord_reader_next(reader, &record, &err), &err);
        if (!record.bytes.data) break;
        j->bytes += record.bytes.size;
        j->records++;
    }
    stk_tfrecord_reader_free(reader);
}

static void skip_file(void *context)
{
    job                 *j = context;
    stk_error            err;
    stk_tfrecord_reader *reader;
    stop_on(stk_tfrecord_reader_open(&reader, NULL, j->path, &j->options, &err), &err);
    stop_on(stk_tfrecord_reader_skip(reader, UINT64_MAX, &j->records, &err), &err);
    stk_tfrecord_reader_free(reader);
}

static void read_shuffled(void *context)
{
    job           *j = context;
    stk_error      err;
    stk_record     record;
    stk_blob       scratch;
    const uint64_t count = stk_record_index_count(stk_record_file_index(j->file));
    uint64_t       at = 0;
    stk_blob_init(&scratch, NULL, STK_MEMORY_RECORD);
    j->bytes = 0;
    for (uint64_t i = 0; i < count; i++) {
        at = (at + 7919) % count;
        stop_on(stk_record_file_read(j->file, at, &scratch, &record, &err), &err);
        j->bytes += record.bytes.size;
    }
    j->records = count;
    stk_blob_release(&scratch);
}

static void print_both(const char *what, const char *name, bench_result r, const job *j)
{
    char label[64];
    snprintf(label, sizeof label, "tfrecord %s %s", what, name);
    if (j->bytes) bench_print(label, r, (double)j->bytes / 1e9, "GB/s");
    bench_print(label, r, (double)j->records, "records/s");
}

static void time_read(job *j, const char *name)
{
    const bench_result r = bench_run(read_file, j, ROUNDS);
    print_both("read", name, r, j);
}

static void time_written(const char *folder, const char *name, uint64_t record_bytes,
                         stk_compression compression)
{
    stk_error err;
    char      path[4096], kept[4096];
    snprintf(path, sizeof path, "%s/bench-%s.tfrecord", folder, name);
    snprintf(kept, sizeof kept, "%s/.bench-%s.tfrecord.stkidx", folder, name);
    job          j = {.path = path,
                      .options = {.compression = compression},
                      .record_bytes = record_bytes,
                      .count = FILE_BYTES / record_bytes};
    const double begin = bench_seconds();
    write_file(&j);
    printf("%-44s %12.4g GB/s\n", "tfrecord write and fsync",
           (double)(j.count * record_bytes) / 1e9 / (bench_seconds() - begin));
    time_read(&j, name);
    if (compression == STK_COMPRESSION_NONE) {
        j.bytes = 0;
        const bench_result skipping = bench_run(skip_file, &j, ROUNDS);
        print_both("skip", name, skipping, &j);
        stop_on(stk_record_file_open(&j.file, NULL, path, NULL, &err), &err);
        const bench_result shuffled = bench_run(read_shuffled, &j, ROUNDS);
        print_both("random", name, shuffled, &j);
        stk_record_file_free(j.file);
    }
    remove(path);
    remove(kept);
}

int main(int count, char **words)
{
    const char *folder = count > 1 ? words[1] : getenv("TMPDIR");
    if (!folder || !*folder) folder = "/tmp";
    if (count == 4 && !strcmp(words[2], "read")) {
        time_read(&(job){.path = words[3]}, "file");
        return 0;
    }
    if (count > 2) {
        fprintf(stderr, "usage: bench_tfrecord [FOLDER [read FILE]]\n");
        return 2;
    }
    time_written(folder, "100KB", 100000, STK_COMPRESSION_NONE);
    time_written(folder, "1KB", 1000, STK_COMPRESSION_NONE);
    return 0;
}
