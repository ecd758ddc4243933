/* Draws images for a contact sheet. */
#include "show_cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/dataset_sources.h>
#include <stoker/functions.h>
#include <string.h>

void cli_show_cells_release(cli_show_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++)
        stk_element_unref(cells->elements[i]);
    free(cells->elements);
    free(cells->cells);
    *cells = (cli_show_cells){0};
}

static stk_status grow(cli_show_cells *out, stk_error *err)
{
    const size_t    capacity = out->capacity ? out->capacity * 2 : 64;
    cli_sheet_cell *cells = realloc(out->cells, capacity * sizeof *cells);
    if (cells) out->cells = cells;
    stk_element **elements = realloc(out->elements, capacity * sizeof(stk_element *));
    if (elements) out->elements = elements;
    if (!cells || !elements)
        return stk_fail(err, STK_E_NOMEM, "sheet", NULL, "no memory for %zu images", capacity);
    out->capacity = capacity;
    return STK_OK;
}

stk_status cli_show_add(cli_show_cells *out, stk_element *element, const char *label,
                        const char *note, stk_error *err)
{
    cli_sheet_cell cell = {0};
    stk_status     st = out->count == out->capacity ? grow(out, err) : STK_OK;
    if (!st && element) st = cli_images_pixels(&cell.pixels, element, err);
    if (st) {
        stk_element_unref(element);
        return st;
    }
    snprintf(cell.label, sizeof cell.label, "%s", label);
    snprintf(cell.note, sizeof cell.note, "%s", note);
    out->elements[out->count] = element;
    out->cells[out->count++] = cell;
    return STK_OK;
}

/* Appends function to the data; takes its reference. */
static stk_status put(stk_dataset **data, stk_function *function, stk_error *err)
{
    const stk_status st = stk_dataset_map(data, function, NULL, err);
    stk_function_unref(function);
    return st;
}

stk_status cli_show_decode(stk_dataset **data, int channels, stk_error *err)
{
    const stk_element_spec        *spec = stk_dataset_spec(*data);
    const int                      restarts = stk_element_spec_find(spec, "image_restarts");
    const stk_decode_image_options options = {
        .channels = channels, .seekable = restarts >= 0, .restarts = restarts};
    stk_function *function;
    if (spec->values[0].dtype != STK_DTYPE_BYTES) return STK_OK;
    STK_TRY(stk_function_decode_image(&function, 0, &options, err));
    return put(data, function, err);
}

stk_status cli_show_put_operation(stk_dataset **data, const char *text, stk_error *err)
{
    char         name[64];
    const size_t length = strcspn(text, " ");
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), text);
    text += length;
    text += strspn(text, " ");
    stk_function *function;
    STK_TRY(stk_function_image(&function, 0, name, text, 1, err));
    return put(data, function, err);
}

/* Draws up to *count undecoded elements. */
static stk_status draw_elements(stk_element **elements, size_t *count, stk_dataset *data,
                                const cli_sample_run *run, stk_error *err)
{
    const stk_iterator_options options = cli_sample_iterator_options(run);
    const size_t               max = *count;
    stk_iterator              *it;
    *count = 0;
    STK_TRY(stk_iterator_start(&it, data, &options, err));
    stk_status st = STK_OK;
    while (!st && *count < max) {
        st = stk_iterator_next(it, &elements[*count], err);
        if (st || !elements[*count]) break;
        ++*count;
    }
    stk_iterator_free(it);
    return st;
}

/* A dataset of these elements, with spec's value names. */
static stk_status repeat_elements(stk_dataset **out, stk_element *const *elements, size_t count,
                                  const stk_element_spec *spec, stk_error *err)
{
    enum { VALUES_MAX = 3 };
    const char   *names[VALUES_MAX];
    stk_function *rename;
    for (size_t i = 0; i < spec->count && i < VALUES_MAX; i++)
        names[i] = spec->values[i].name;
    STK_TRY(stk_dataset_elements(out, elements, count, err));
    stk_status st = stk_dataset_repeat(out, -1, err);
    if (!st) st = stk_function_rename(&rename, names, spec->count, err);
    if (!st) st = put(out, rename, err);
    if (!st) return STK_OK;
    stk_dataset_unref(*out);
    *out = NULL;
    return st;
}

stk_status cli_show_some(stk_dataset **out, const cli_show_request *request, size_t *count,
                         stk_error *err)
{
    stk_dataset  *once;
    stk_element **elements = calloc(*count, sizeof *elements);
    if (!elements) return stk_fail(err, STK_E_NOMEM, "sheet", NULL, "no memory for images");
    stk_status st = cli_images_open(&once, request->path, &request->images, STK_AUTO, 0, err);
    if (st) {
        free(elements);
        return st;
    }
    st = draw_elements(elements, count, once, &request->run, err);
    if (!st && !*count)
        st = stk_fail(err, STK_E_NOTFOUND, "images", request->path, "it holds no images");
    if (!st) st = repeat_elements(out, elements, *count, stk_dataset_spec(once), err);
    for (size_t i = 0; i < *count; i++)
        stk_element_unref(elements[i]);
    free(elements);
    stk_dataset_unref(once);
    return st;
}

static stk_status prepare(stk_dataset **data, const cli_show_request *request, stk_error *err)
{
    if (request->images.preset) return cli_images_prepare(data, &request->images, err);
    STK_TRY(cli_show_decode(data, request->kind.channels, err));
    for (size_t i = 0; i < request->operations.count; i++)
        STK_TRY(cli_show_put_operation(data, request->operations.items[i], err));
    return STK_OK;
}

/* Draws count elements, or the rest of the first one's epoch. Without a note the sample's name is
 * below its class. */
static stk_status draw(cli_show_cells *out, stk_iterator *it, size_t count,
                       const cli_class_names *names, const char *note, stk_error *err)
{
    uint64_t epoch = 0;
    for (size_t i = 0; i < count; i++) {
        stk_element *element;
        char         label[96], name[160];
        STK_TRY(stk_iterator_next(it, &element, err));
        if (!element) return STK_OK;
        if (!i) epoch = stk_element_origin(element)->epoch;
        if (stk_element_origin(element)->epoch != epoch) {
            stk_element_unref(element);
            return STK_OK;
        }
        cli_class_name(names, cli_images_label(element), label, sizeof label);
        cli_sample_name(element, name, sizeof name);
        STK_TRY(cli_show_add(out, element, label, note ? note : name, err));
    }
    return STK_OK;
}

/* The first images of an epoch's stream. */
static stk_status draw_stream(cli_show_cells *out, stk_dataset *data,
                              const cli_show_request *request, const cli_class_names *names,
                              stk_error *err)
{
    const cli_sample_wanted first = {.epoch = request->epoch};
    uint64_t                index;
    stk_iterator           *it;
    STK_TRY(cli_sample_find(&index, request->path, &request->images, &request->run, &first, err));
    STK_TRY(cli_sample_start(&it, data, &request->run, index, err));
    stk_status st = draw(out, it, request->count, names, NULL, err);
    stk_iterator_free(it);
    return st;
}

/* Turns rows of epochs into columns: a sample stays in its row. */
static void transpose(cli_show_cells *cells, size_t rows, size_t columns)
{
    cli_show_cells turned = {.cells = malloc(cells->count * sizeof *turned.cells),
                             .elements = malloc(cells->count * sizeof(stk_element *))};
    for (size_t i = 0; turned.cells && turned.elements && i < cells->count; i++) {
        const size_t to = i % rows * columns + i / rows;
        turned.cells[to] = cells->cells[i];
        turned.elements[to] = cells->elements[i];
    }
    if (turned.cells && turned.elements) {
        memcpy(cells->cells, turned.cells, cells->count * sizeof *turned.cells);
        memcpy(cells->elements, turned.elements, cells->count * sizeof(stk_element *));
    }
    free(turned.cells);
    free(turned.elements);
}

static stk_status draw_epochs(cli_show_cells *out, stk_dataset *data,
                              const cli_show_request *request, size_t count,
                              const cli_class_names *names, stk_error *err)
{
    const stk_iterator_options options = cli_sample_iterator_options(&request->run);
    stk_iterator              *it;
    STK_TRY(stk_iterator_start(&it, data, &options, err));
    stk_status st = draw(out, it, count, names, NULL, err);
    for (size_t epoch = 1; epoch < request->epochs && !st; epoch++) {
        char note[32];
        snprintf(note, sizeof note, "epoch %zu", epoch);
        st = draw(out, it, count, names, note, err);
    }
    stk_iterator_free(it);
    if (!st && count) transpose(out, count, request->epochs);
    return st;
}

static stk_status draw_prepared(cli_show_cells *out, stk_dataset **data,
                                const cli_show_request *request, size_t count,
                                const cli_class_names *names, stk_error *err)
{
    STK_TRY(prepare(data, request, err));
    if (request->skip_bad) STK_TRY(stk_dataset_ignore_errors(data, true, err));
    return request->epochs ? draw_epochs(out, *data, request, count, names, err)
                           : draw_stream(out, *data, request, names, err);
}

stk_status cli_show_images(cli_show_cells *out, const cli_show_request *request,
                           const cli_class_names *names, stk_error *err)
{
    size_t       count = request->count;
    stk_dataset *data;
    STK_TRY(request->epochs
                ? cli_show_some(&data, request, &count, err)
                : cli_images_open(&data, request->path, &request->images, STK_AUTO, -1, err));
    const stk_status st = draw_prepared(out, &data, request, count, names, err);
    stk_dataset_unref(data);
    return st;
}
