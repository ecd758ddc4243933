/* Elements as text and as JSON. */
#include "show_elements.h"

#include "text.h"

#include <inttypes.h>
#include <stoker/dataset_sources.h>
#include <stoker/iterator.h>
#include <stoker/json.h>
#include <stoker/recipe.h>
#include <string.h>

enum { WHERE_ROOM = 512, VALUE_ROOM = 400 };

static void print_text(const stk_element *element, const stk_element_spec *spec, uint64_t number)
{
    char where[WHERE_ROOM], value[VALUE_ROOM];
    printf("element %" PRIu64 ", ", number);
    cli_text_print(stdout, stk_element_where(element, where, sizeof where));
    printf("\n");
    for (size_t i = 0; i < stk_element_count(element); i++) {
        printf("  ");
        if (spec->known && i < spec->count)
            cli_text_print(stdout, spec->values[i].name);
        else
            printf("%zu", i);
        printf(": ");
        cli_text_print(stdout, stk_value_text(stk_element_value(element, i), value, sizeof value));
        printf("\n");
    }
}

static void write_shape(stk_json_writer *json, const stk_shape *shape)
{
    stk_json_key(json, "shape");
    stk_json_array(json);
    for (int d = 0; d < shape->rank; d++)
        stk_json_int(json, shape->dim[d]);
    stk_json_array_end(json);
}

static void write_value(stk_json_writer *json, const stk_value *value, const char *name)
{
    static const char *const kinds[] = {"dense", "ragged", "sparse", "dataset"};
    char                     text[VALUE_ROOM];
    stk_json_object(json);
    stk_json_pair_string(json, "name", name);
    stk_json_pair_string(json, "kind", kinds[value->kind]);
    if (value->kind != STK_VALUE_DATASET) {
        stk_json_pair_string(json, "dtype", stk_dtype_name(value->dtype));
        write_shape(json, &value->shape);
    }
    stk_json_pair_string(json, "text", stk_value_text(value, text, sizeof text));
    stk_json_object_end(json);
}

static void write_element(stk_json_writer *json, const stk_element *element,
                          const stk_element_spec *spec)
{
    char where[WHERE_ROOM], number[24];
    stk_json_object(json);
    stk_json_pair_string(json, "where", stk_element_where(element, where, sizeof where));
    stk_json_key(json, "values");
    stk_json_array(json);
    for (size_t i = 0; i < stk_element_count(element); i++) {
        snprintf(number, sizeof number, "%zu", i);
        write_value(json, stk_element_value(element, i),
                    spec->known && i < spec->count ? spec->values[i].name : number);
    }
    stk_json_array_end(json);
    stk_json_object_end(json);
}

/* json NULL: as text. */
static stk_status print_all(stk_iterator *it, const cli_show_elements *wanted,
                            stk_json_writer *json, stk_error *err)
{
    const stk_element_spec *spec = stk_iterator_spec(it);
    for (uint64_t i = 0; i < wanted->count; i++) {
        stk_element *element;
        STK_TRY(stk_iterator_next(it, &element, err));
        if (!element) return STK_OK;
        if (json)
            write_element(json, element, spec);
        else
            print_text(element, spec, i);
        stk_element_unref(element);
    }
    return STK_OK;
}

static stk_status print_json(stk_iterator *it, const cli_show_elements *wanted, stk_error *err)
{
    stk_json_writer json;
    stk_blob        text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    stk_json_object(&json);
    stk_json_pair_string(&json, "path", wanted->path);
    stk_json_key(&json, "elements");
    stk_json_array(&json);
    stk_status st = print_all(it, wanted, &json, err);
    stk_json_array_end(&json);
    stk_json_object_end(&json);
    if (!st) st = stk_json_end(&json, err);
    if (!st) fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return st;
}

static bool is_recipe(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

static stk_status open_data(stk_dataset **out, const cli_show_elements *wanted, stk_error *err)
{
    const stk_source_options options = {.follow_outside = wanted->follow_outside};
    stk_source              *source;
    if (is_recipe(wanted->path)) return stk_recipe_load(out, wanted->path, NULL, err);
    STK_TRY(stk_source_open(&source, NULL, wanted->path, &options, err));
    const stk_status st = stk_dataset_of_source(out, source, wanted->path, NULL, err);
    stk_source_free(source);
    return st;
}

static stk_status run(const cli_show_elements *wanted, stk_error *err)
{
    const stk_iterator_options options = {
        .seed = wanted->seed, .threads = wanted->threads, .memory_bytes = wanted->memory_bytes};
    stk_dataset  *data = NULL;
    stk_iterator *it = NULL;
    STK_TRY(open_data(&data, wanted, err));
    stk_status st = stk_iterator_start(&it, data, &options, err);
    if (!st) st = wanted->json ? print_json(it, wanted, err) : print_all(it, wanted, NULL, err);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return st;
}

int cli_show_elements_run(const cli_command *command, const cli_show_elements *wanted)
{
    stk_error err;
    if (!run(wanted, &err)) return CLI_EXIT_OK;
    return is_recipe(wanted->path) ? cli_report_recipe(command, &err, NULL)
                                   : cli_report_error(command, &err, NULL);
}
