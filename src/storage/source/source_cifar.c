/* CIFAR-10 and CIFAR-100 in their binary form: records of one or two label bytes, then 32 x 32
 * pixels as a red, a green and a blue plane. */
#include "storage/file/paths.h"
#include "storage/file/text_lines.h"
#include "storage/source/source_internal.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, PLANE = SIDE * SIDE, PIXELS = 3 * PLANE, RECORDS_AT_ONCE = 256 };

/* The differences of the two sets. */
typedef struct variant {
    const char *train, *test; /* patterns of their files */
    size_t      label_bytes;  /* the last of them is the class, the one before the coarse class */
    size_t      classes, coarse_classes;
    const char *names, *coarse_names; /* files of class names */
} variant;

static const variant variants[] = {
    {"data_batch_*.bin", "test_batch.bin", 1, 10, 0, "batches.meta.txt", NULL},
    {"train.bin", "test.bin", 2, 100, 20, "fine_label_names.txt", "coarse_label_names.txt"},
};

typedef struct part {
    const char *name;
    stk_file   *file;
    bool        test;
    uint64_t    first, count;
} part;

typedef struct cifar_source {
    stk_source     source;
    const variant *variant;
    stk_blob       parts;  /* part[] */
    stk_blob       labels; /* label_bytes for each item */
    uint32_t       test_split;
} cifar_source;

static const variant *variant_of(const char *name)
{
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        if (!fnmatch(variants[i].train, name, 0) || !strcmp(variants[i].test, name))
            return &variants[i];
    return NULL;
}

static bool claims_entry(const char *name, stk_file_kind kind)
{
    return kind == STK_FILE_REGULAR && variant_of(name);
}

static part *parts_of(const cifar_source *cifar, size_t *count)
{
    *count = cifar->parts.size / sizeof(part);
    return (part *)(void *)cifar->parts.data;
}

static size_t record_bytes(const cifar_source *cifar)
{
    return cifar->variant->label_bytes + PIXELS;
}

static stk_status take_entry(void *context, const char *name, const stk_file_info *info,
                             stk_error *err)
{
    cifar_source  *cifar = context;
    const variant *which = variant_of(name);
    if (info->kind != STK_FILE_REGULAR || !which) return STK_OK;
    if (cifar->variant && cifar->variant != which)
        return stk_fail(err, STK_E_FORMAT, "cifar", cifar->source.path,
                        "holds files of both CIFAR-10 and CIFAR-100; keep them in two folders");
    cifar->variant = which;
    const char *copy = stk_arena_text(&cifar->source.arena, name, strlen(name), err);
    if (!copy) return err->status;
    const part found = {.name = copy, .test = !strcmp(which->test, name)};
    return stk_blob_append(&cifar->parts, &found, sizeof found, err);
}

static int compare_parts(const void *a, const void *b)
{
    return strcmp(((const part *)a)->name, ((const part *)b)->name);
}

static stk_status check_label(const cifar_source *cifar, const part *p, uint64_t record,
                              unsigned label, size_t classes, stk_error *err)
{
    if (label < classes) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "cifar", p->file->path,
                    "record %" PRIu64 " has label %u, but there are %zu classes; is it %s?", record,
                    label, classes, cifar->variant->label_bytes == 1 ? "CIFAR-10" : "CIFAR-100");
}

/* Labels precede each record's pixels, so the whole file is scanned once. */
static stk_status read_labels(cifar_source *cifar, const part *p, stk_blob *scratch, stk_error *err)
{
    const variant *v = cifar->variant;
    const size_t   bytes = record_bytes(cifar);
    size_t         got;
    STK_TRY(stk_blob_reserve_exact(scratch, bytes * RECORDS_AT_ONCE, err));
    for (uint64_t first = 0; first < p->count; first += RECORDS_AT_ONCE) {
        const uint64_t left = p->count - first;
        const size_t   count = left < RECORDS_AT_ONCE ? (size_t)left : RECORDS_AT_ONCE;
        STK_TRY(stk_cancel_check(cifar->source.cancel, "source", err));
        STK_TRY(stk_file_read_at(p->file, scratch->data, bytes * count, first * bytes, &got, err));
        if (got != bytes * count)
            return stk_fail(err, STK_E_DATALOSS, "cifar", p->file->path,
                            "changed while being read: %zu of %zu bytes", got, bytes * count);
        for (size_t i = 0; i < count; i++) {
            const uint8_t *labels = scratch->data + i * bytes;
            STK_TRY(check_label(cifar, p, first + i, labels[v->label_bytes - 1], v->classes, err));
            if (v->coarse_classes)
                STK_TRY(check_label(cifar, p, first + i, labels[0], v->coarse_classes, err));
            STK_TRY(stk_blob_append(&cifar->labels, labels, v->label_bytes, err));
        }
    }
    return STK_OK;
}

static stk_status open_part(cifar_source *cifar, part *p, stk_blob *scratch, stk_error *err)
{
    stk_source *source = &cifar->source;
    STK_TRY(stk_path_join(scratch, source->path, p->name, err));
    STK_TRY(
        stk_file_open(&p->file, source->fs, (const char *)scratch->data, STK_ACCESS_RANDOM, err));
    const uint64_t bytes = p->file->info.bytes;
    if (bytes % record_bytes(cifar))
        return stk_fail(err, STK_E_DATALOSS, "cifar", p->file->path,
                        "%" PRIu64 " bytes are not a whole number of records of %zu bytes", bytes,
                        record_bytes(cifar));
    p->first = source->count;
    p->count = bytes / record_bytes(cifar);
    source->count += p->count;
    return read_labels(cifar, p, scratch, err);
}

static stk_status open_parts(cifar_source *cifar, stk_error *err)
{
    size_t   count;
    part    *parts = parts_of(cifar, &count);
    stk_blob scratch;
    if (!count)
        return stk_fail(err, STK_E_NOTFOUND, "cifar", cifar->source.path,
                        "no data here: looked for data_batch_*.bin, test_batch.bin, train.bin and "
                        "test.bin");
    qsort(parts, count, sizeof *parts, compare_parts);
    stk_blob_init(&scratch, cifar->source.arena.ledger, STK_MEMORY_READ);
    stk_status st = STK_OK;
    for (size_t i = 0; i < count && !st; i++)
        st = open_part(cifar, &parts[i], &scratch, err);
    stk_blob_release(&scratch);
    return st;
}

static stk_status name_splits(cifar_source *cifar, stk_error *err)
{
    const char *names[2];
    size_t      count, named = 0;
    const part *parts = parts_of(cifar, &count);
    bool        has[2] = {false, false};
    for (size_t i = 0; i < count; i++)
        has[parts[i].test] = true;
    if (has[false]) names[named++] = "train";
    cifar->test_split = (uint32_t)named;
    if (has[true]) names[named++] = "test";
    return stk_source_set_splits(&cifar->source, names, named, err);
}

/* Names from the file beside the data; numbers where it is not there. */
static stk_status name_classes(cifar_source *cifar, stk_feature_info *label, size_t classes,
                               const char *file, stk_error *err)
{
    stk_source *source = &cifar->source;
    char      **names;
    size_t      count;
    stk_blob    path;
    stk_blob_init(&path, source->arena.ledger, STK_MEMORY_INDEX);
    stk_status st = stk_path_join(&path, source->path, file, err);
    if (!st)
        st = stk_lines_read(source->fs, (const char *)path.data, &source->arena, &names, &count,
                            err);
    if (st == STK_E_NOTFOUND) {
        st = stk_path_check_missing(source->fs, (const char *)path.data, err);
        if (!st) st = stk_source_number_classes(source, label, classes, err);
    } else if (!st && count != classes) {
        st = stk_fail(err, STK_E_FORMAT, "cifar", (const char *)path.data,
                      "has %zu class names, but there are %zu classes", count, classes);
    } else if (!st) {
        label->class_names = names;
        label->class_count = count;
    }
    stk_blob_release(&path);
    return st;
}

static stk_status describe(cifar_source *cifar, stk_error *err)
{
    stk_source       *source = &cifar->source;
    const variant    *v = cifar->variant;
    stk_feature_info *image, *label;
    STK_TRY(stk_source_reserve_features(source, 3, err));
    STK_TRY(stk_source_add_feature(source, "image", STK_MEANING_TENSOR, STK_DTYPE_U8, &image, err));
    image->shape = stk_shape_3d(SIDE, SIDE, 3);
    STK_TRY(stk_source_add_feature(source, "label", STK_MEANING_LABEL, STK_DTYPE_I64, &label, err));
    STK_TRY(name_classes(cifar, label, v->classes, v->names, err));
    if (!v->coarse_classes) return STK_OK;
    STK_TRY(stk_source_add_feature(source, "coarse_label", STK_MEANING_LABEL, STK_DTYPE_I64, &label,
                                   err));
    return name_classes(cifar, label, v->coarse_classes, v->coarse_names, err);
}

static stk_status open_cifar(stk_source *source, stk_error *err)
{
    cifar_source *cifar = (cifar_source *)source;
    stk_blob_init(&cifar->parts, source->arena.ledger, STK_MEMORY_INDEX);
    stk_blob_init(&cifar->labels, source->arena.ledger, STK_MEMORY_INDEX);
    STK_TRY(stk_path_list(source->fs, source->path, STK_LIST_KINDS, take_entry, cifar, err));
    STK_TRY(open_parts(cifar, err));
    STK_TRY(name_splits(cifar, err));
    return describe(cifar, err);
}

static void close_cifar(stk_source *source)
{
    cifar_source *cifar = (cifar_source *)source;
    size_t        count;
    const part   *parts = parts_of(cifar, &count);
    for (size_t i = 0; i < count; i++)
        stk_file_close(parts[i].file);
    stk_blob_release(&cifar->parts);
    stk_blob_release(&cifar->labels);
}

static const part *part_of(const cifar_source *cifar, uint64_t index)
{
    size_t      count, i = 0;
    const part *parts = parts_of(cifar, &count);
    while (i + 1 < count && index >= parts[i + 1].first)
        i++;
    return &parts[i];
}

static const uint8_t *labels_of(const cifar_source *cifar, uint64_t index)
{
    return cifar->labels.data + index * cifar->variant->label_bytes;
}

static void describe_item(const stk_source *source, uint64_t index, stk_source_item *out)
{
    const cifar_source *cifar = (const cifar_source *)source;
    const part         *p = part_of(cifar, index);
    *out = (stk_source_item){.name = p->name,
                             .record = index - p->first,
                             .bytes = record_bytes(cifar),
                             .modified_ns = p->file->info.modified_ns,
                             .label = labels_of(cifar, index)[cifar->variant->label_bytes - 1],
                             .split = p->test ? cifar->test_split : 0};
}

static void interleave(const uint8_t *planes, uint8_t *pixels)
{
    for (int i = 0; i < PLANE; i++)
        for (int channel = 0; channel < 3; channel++)
            pixels[3 * i + channel] = planes[channel * PLANE + i];
}

static stk_status read_item(stk_source_cursor *cursor, uint64_t index, stk_error *err)
{
    const cifar_source *cifar = (const cifar_source *)cursor->source;
    const variant      *v = cifar->variant;
    const part         *p = part_of(cifar, index);
    const uint64_t      offset = (index - p->first) * record_bytes(cifar);
    size_t              got;
    STK_TRY(stk_blob_reserve_exact(&cursor->content, 2 * (size_t)PIXELS, err));
    uint8_t *pixels = cursor->content.data, *planes = pixels + PIXELS;
    STK_TRY(stk_file_read_at(p->file, planes, PIXELS, offset + v->label_bytes, &got, err));
    if (got != PIXELS)
        return stk_fail(err, STK_E_DATALOSS, "cifar", p->file->path,
                        "changed while being read: %zu of %d bytes at offset %" PRIu64, got,
                        (int)PIXELS, offset);
    interleave(planes, pixels);
    cursor->fields[0].data = pixels;
    cursor->fields[0].count = PIXELS;
    cursor->values[1].integer = labels_of(cifar, index)[v->label_bytes - 1];
    if (v->coarse_classes) cursor->values[2].integer = labels_of(cifar, index)[0];
    cursor->sample.from =
        (stk_sample_origin){.file = p->file->path, .record = index - p->first, .offset = offset};
    return STK_OK;
}

const stk_importer stk_importer_cifar = {
    .source_bytes = sizeof(cifar_source),
    .cursor_bytes = sizeof(stk_source_cursor),
    .claims_entry = claims_entry,
    .open = open_cifar,
    .close = close_cifar,
    .item = describe_item,
    .read = read_item,
};
