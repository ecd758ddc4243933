/* From texts to padded batches: a generator makes documents, a map in C changes them, flat_map cuts
 * each into sentences, padded_batch gives them one length. A checkpoint is taken in the middle, and
 * a second iterator goes on from it. Prints what is known of the elements, and then the elements.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/stoker.h>
#include <string.h>

enum { DOCUMENTS = 5, BATCH = 3, BEFORE = 2, MOST_WORDS = 16 };

static const char *const sentences[] = {"A cat sleeps. ", "Two dogs run far. ", "It rains. "};

/* The place of one pass over the documents: all that a checkpoint needs of it. */
typedef struct place {
    uint64_t next;
} place;

static stk_status open_documents(void *context, uint64_t epoch, void **state, stk_error *err)
{
    (void)context;
    (void)epoch;
    *state = calloc(1, sizeof(place));
    return *state ? STK_OK : stk_fail(err, STK_E_NOMEM, "documents", NULL, "no memory for a place");
}

static void close_documents(void *context, void *state)
{
    (void)context;
    free(state);
}

/* Document n has n + 1 sentences. */
static stk_status next_document(void *context, void *state, const stk_call *call, stk_element **out,
                                stk_error *err)
{
    place *at = state;
    char   text[256] = "";
    (void)context;
    *out = NULL;
    if (at->next == DOCUMENTS) return STK_OK;
    for (uint64_t i = 0; i <= at->next; i++)
        strcat(text, sentences[(at->next + i) % 3]);
    STK_TRY(stk_element_new(out, 1, err));
    stk_status st =
        stk_value_bytes(stk_element_edit(*out, 0), call->ledger, stk_bytes_text(text), err);
    if (st) {
        stk_element_unref(*out);
        *out = NULL;
        return st;
    }
    at->next++;
    return STK_OK;
}

static stk_status save_documents(void *context, void *state, stk_blob *out, stk_error *err)
{
    (void)context;
    return stk_blob_append(out, state, sizeof(place), err);
}

static stk_status restore_documents(void *context, void *state, stk_bytes saved, stk_error *err)
{
    (void)context;
    if (saved.size != sizeof(place))
        return stk_fail(err, STK_E_DATALOSS, "documents", NULL, "a place of %zu bytes", saved.size);
    memcpy(state, saved.data, sizeof(place));
    return STK_OK;
}

/* A map: the text in capitals. The bytes may be shared with others, so new ones are made. */
static stk_status shout(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    STK_TRY(stk_element_make_unique(element, err));
    stk_value      *value = stk_element_edit(*element, 0);
    const stk_bytes from = *(const stk_bytes *)stk_value_data(value);
    char            loud[256];
    (void)context;
    for (size_t i = 0; i < from.size && i < sizeof loud; i++)
        loud[i] = (char)toupper(from.data[i]);
    stk_value_release(value);
    return stk_value_bytes(value, call->ledger, stk_bytes_of(loud, from.size), err);
}

/* The lengths of the words up to the next full stop, as a vector; 0 past the last sentence. */
static size_t read_sentence(const char **text, int64_t lengths[MOST_WORDS])
{
    size_t count = 0;
    while (**text && **text != '.' && count < MOST_WORDS) {
        const size_t length = strcspn(*text, " .");
        lengths[count++] = (int64_t)length;
        *text += length;
        *text += **text == ' ';
    }
    *text += strspn(*text, ". ");
    return count;
}

/* An expand function: a dataset of one element per sentence. */
static stk_status cut(void *context, const stk_call *call, const stk_element *document,
                      stk_dataset **out, stk_error *err)
{
    const stk_bytes bytes = *(const stk_bytes *)stk_value_data(stk_element_value(document, 0));
    char            text[256];
    const char     *at = text;
    stk_element    *list[DOCUMENTS];
    size_t          count = 0;
    stk_status      st = STK_OK;
    int64_t         lengths[MOST_WORDS];
    (void)context;
    snprintf(text, sizeof text, "%.*s", (int)bytes.size, (const char *)bytes.data);
    while (!st && *at) {
        const stk_shape shape = stk_shape_1d((int64_t)read_sentence(&at, lengths));
        void           *data;
        st = stk_element_new(&list[count], 1, err);
        if (st) break;
        st = stk_value_dense(stk_element_edit(list[count++], 0), call->ledger, STK_DTYPE_I64,
                             &shape, &data, err);
        if (!st) memcpy(data, lengths, (size_t)shape.dim[0] * sizeof *lengths);
    }
    if (!st) st = stk_dataset_elements(out, list, count, err);
    for (size_t i = 0; i < count; i++)
        stk_element_unref(list[i]);
    return st;
}

/* Puts function on the data; the reference is taken over. */
static stk_status put(stk_dataset **data, stk_function *function, bool flat, stk_error *err)
{
    const stk_status st = flat ? stk_dataset_flat_map(data, function, err)
                               : stk_dataset_map(data, function, NULL, err);
    stk_function_unref(function);
    return st;
}

static stk_status build(stk_dataset **data, stk_error *err)
{
    const stk_value_spec     text = {.name = "text", .dtype = STK_DTYPE_BYTES, .rank_known = true};
    const stk_value_spec     words = {.name = "word_lengths",
                                      .dtype = STK_DTYPE_I64,
                                      .rank_known = true,
                                      .shape = stk_shape_1d(-1)};
    const stk_element_spec   texts = {.known = true, .count = 1, .values = &text};
    const stk_element_spec   sentence = {.known = true, .count = 1, .values = &words};
    const stk_generator_info documents = {.name = "documents",
                                          .output = &texts,
                                          .cardinality = DOCUMENTS,
                                          .open = open_documents,
                                          .next = next_document,
                                          .close = close_documents,
                                          .save = save_documents,
                                          .restore = restore_documents};
    const stk_function_info  shouting = {.name = "shout", .output = &texts, .map = shout};
    const stk_function_info  cutting = {.name = "cut", .output = &sentence, .expand = cut};
    stk_function            *function;
    STK_TRY(stk_dataset_generator(data, &documents, err));
    STK_TRY(stk_function_new(&function, &shouting, err));
    STK_TRY(put(data, function, false, err));
    STK_TRY(stk_function_new(&function, &cutting, err));
    STK_TRY(put(data, function, true, err));
    return stk_dataset_padded_batch(data, BATCH, NULL, err);
}

/* Prints up to most elements. */
static stk_status print(const char *who, stk_iterator *it, int most, stk_error *err)
{
    for (int i = 0; i < most; i++) {
        stk_element *batch;
        char         text[256];
        STK_TRY(stk_iterator_next(it, &batch, err));
        if (!batch) return STK_OK;
        printf("%s %s\n", who, stk_element_text(batch, stk_iterator_spec(it), text, sizeof text));
        stk_element_unref(batch);
    }
    return STK_OK;
}

static stk_status run(stk_dataset *data, stk_blob *saved, stk_error *err)
{
    char          text[256];
    stk_iterator *first = NULL, *second = NULL;
    printf("elements: %s\n", stk_element_spec_text(stk_dataset_spec(data), text, sizeof text));
    stk_status st = stk_iterator_start(&first, data, NULL, err);
    if (!st) st = print("first ", first, BEFORE, err);
    if (!st) st = stk_iterator_save(first, saved, err);
    if (!st) st = print("first ", first, 100, err);
    if (!st) st = stk_iterator_start(&second, data, NULL, err);
    if (!st) st = stk_iterator_restore(second, stk_blob_bytes(saved), err);
    if (!st) st = print("second", second, 100, err);
    stk_iterator_free(first);
    stk_iterator_free(second);
    return st;
}

int main(void)
{
    stk_dataset *data = NULL;
    stk_error    err;
    stk_blob     saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_OUTPUT);
    stk_status st = build(&data, &err);
    if (!st) st = run(data, &saved, &err);
    if (st) {
        char line[1024];
        fprintf(stderr, "%s\n", stk_error_line(&err, line, sizeof line));
    }
    stk_blob_release(&saved);
    stk_dataset_unref(data);
    return st ? 1 : 0;
}
