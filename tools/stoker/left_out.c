/* Reports each skipped image once: it recurs in every epoch and would drown other lines. */
#include "left_out.h"

#include "model_images.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 5 };

static const char begin[] = "warning: passed over: ";

void cli_left_out_init(cli_left_out *list)
{
    *list = (cli_left_out){0};
    stk_blob_init(&list->lines, NULL, STK_MEMORY_OUTPUT);
}

void cli_left_out_release(cli_left_out *list)
{
    free(list->buckets);
    stk_blob_release(&list->lines);
}

static uint64_t hash_of(const char *line)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    while (*line)
        hash = (hash ^ (unsigned char)*line++) * 1099511628211u;
    return hash;
}

/* The bucket of hash, or the free bucket for it; capacity is a power of two. */
static size_t bucket_of(const uint64_t *buckets, size_t capacity, uint64_t hash)
{
    size_t at = (size_t)hash & (capacity - 1);
    while (buckets[at] && buckets[at] != hash)
        at = (at + 1) & (capacity - 1);
    return at;
}

/* Half of the buckets stay free. */
static bool grow(cli_left_out *list)
{
    const size_t capacity = list->capacity ? 2 * list->capacity : 64;
    uint64_t    *buckets = calloc(capacity, sizeof *buckets);
    if (!buckets) return false;
    for (size_t i = 0; i < list->capacity; i++)
        if (list->buckets[i])
            buckets[bucket_of(buckets, capacity, list->buckets[i])] = list->buckets[i];
    free(list->buckets);
    list->buckets = buckets;
    list->capacity = capacity;
    return true;
}

/* False: known already, or no memory; it is not reported again then. */
static bool keep(cli_left_out *list, const char *line)
{
    const uint64_t hash = hash_of(line) | 1;
    stk_error      unasked;
    if (2 * list->count >= list->capacity && !grow(list)) return false;
    uint64_t *bucket = &list->buckets[bucket_of(list->buckets, list->capacity, hash)];
    if (*bucket || stk_blob_append(&list->lines, line, strlen(line), &unasked) ||
        stk_blob_append(&list->lines, "\n", 1, &unasked))
        return false;
    *bucket = hash;
    list->count++;
    return true;
}

bool cli_left_out_take(cli_left_out *list, const char *line, const char **show)
{
    const size_t length = sizeof begin - 1;
    *show = NULL;
    if (strncmp(line, begin, length) != 0) return false;
    if (!keep(list, line + length)) return true;
    *show = list->count <= SHOWN       ? line
            : list->count == SHOWN + 1 ? "warning: more images cannot be read and are passed over; "
                                         "all are listed at the end"
                                       : NULL;
    return true;
}

bool cli_left_out_end(const cli_left_out *list, const char *folder)
{
    char      path[1100], line[1024];
    stk_error err;
    if (!list->count) return true;
    snprintf(path, sizeof path, "%s/left_out.txt", folder);
    fprintf(stderr, "%zu image%s could not be read and %s left out", list->count,
            list->count == 1 ? "" : "s", list->count == 1 ? "was" : "were");
    if (cli_images_save(path, stk_blob_bytes(&list->lines), &err)) {
        fprintf(stderr, "; the list could not be written: %s\n",
                stk_error_line(&err, line, sizeof line));
        return false;
    }
    fprintf(stderr, ": ");
    cli_text_print(stderr, path);
    fprintf(stderr, " says which and why\n");
    return true;
}
