/* stoker show: a contact sheet of the network's input. */
#include "command.h"
#include "left_out_json.h"
#include "packed_name.h"
#include "show_cells.h"
#include "show_elements.h"
#include "text.h"

#include <inttypes.h>
#include <stoker/functions.h>
#include <stoker/json.h>
#include <stoker/train.h>
#include <string.h>

typedef struct values {
    cli_common_values common;
    cli_image_values  images;
    cli_option_list   operations;
    int64_t           count, columns, seed, epoch, epochs, elements;
    const char       *out, *on_bad;
} values;

static const values defaults = {.seed = 1, .out = "sheet.png", .on_bad = "fail"};

enum { USUAL_COUNT = 32, USUAL_ROWS = 6, USUAL_COLUMNS = 8, USUAL_DRAWS = 6 };

static const char *on_bad_choice(size_t index)
{
    static const char *const words[] = {"fail", "skip"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const cli_option options[] = {
    CLI_IMAGE_OPTIONS(values, images),
    {CLI_OPTION(values, operations, "op", LIST, "'NAME PARAMETERS'"), .group = "Images",
     .help = "show this image operation instead of a preset, such as 'rotate degrees=-30,30'; "
             "several are done in turn; 'all' shows each one on the same image"},
    {CLI_OPTION(values, on_bad, "on-bad", CHOICE, "WHAT"), .choice = on_bad_choice,
     .group = "Images",
     .help = "images that cannot be read: fail, or skip them and say which (default fail)"},
    {CLI_OPTION(values, count, "count", INTEGER, "N"), .letter = 'n', .least = 0, .most = 4096,
     .group = "Which ones", .help = "images to show (default 32; 6 with --epochs)"},
    {CLI_OPTION(values, epochs, "epochs", INTEGER, "N"), .least = 0, .most = 64,
     .group = "Which ones", .help = "show every image as it comes in so many epochs, one row each"},
    {CLI_OPTION(values, epoch, "epoch", INTEGER, "N"), .least = 0, .most = 1e9,
     .group = "Which ones", .help = "show the first images of this epoch (default 0: the first)"},
    {CLI_OPTION(values, seed, "seed", INTEGER, "N"), .least = 1, .most = 9.3e18,
     .group = "Which ones",
     .help = "of order and augmentation; 'stoker replay' finds the same with it (default 1)"},
    {CLI_OPTION(values, elements, "elements", INTEGER, "N"), .least = 0, .most = 1e9,
     .group = "Output",
     .help = "instead of a sheet, print the first N elements that a recipe (.yaml) gives, or "
             "the fields of data: names, types, shapes, first values"},
    {CLI_OPTION(values, out, "out", FILE, "FILE"), .letter = 'o', .group = "Output",
     .help = "PNG to write (default sheet.png)"},
    {CLI_OPTION(values, columns, "columns", INTEGER, "N"), .least = 0, .most = 64,
     .group = "Output", .help = "images side by side (default 8)"},
    CLI_COMMON_OPTIONS(values, common),
};

typedef struct session {
    const cli_invocation *call;
    const values         *values;
    cli_show_request      request;
    cli_show_cells        cells;
    cli_class_names       names;
    size_t                columns;
    bool                  all; /* --op all */
    cli_sheet_size        size;
    char                  heading[200], subheading[300];
} session;

static const char *operation_name(const void *context, size_t index)
{
    stk_image_operation operation;
    (void)context;
    return stk_image_operation_at(index, &operation) ? operation.name : NULL;
}

static bool is_operation(const char *name, size_t length)
{
    const char *known;
    for (size_t i = 0; (known = operation_name(NULL, i)) != NULL; i++)
        if (strlen(known) == length && !memcmp(known, name, length)) return true;
    return false;
}

/* An unknown name is a usage error; the library reports wrong parameters. */
static int check_operations(session *s)
{
    const cli_option_list *list = &s->values->operations;
    for (size_t i = 0; i < list->count; i++) {
        const size_t length = strcspn(list->items[i], " ");
        char         name[64], message[CLI_OPTION_MESSAGE], advice[CLI_OPTION_MESSAGE];
        s->all = s->all || strcmp(list->items[i], "all") == 0;
        if (strcmp(list->items[i], "all") == 0 || is_operation(list->items[i], length)) continue;
        snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), list->items[i]);
        snprintf(message, sizeof message, "--op: there is no image operation '%s'", name);
        cli_suggest(advice, sizeof advice, name, "", operation_name, NULL);
        return cli_report_usage(s->call->command, message,
                                advice[0] ? advice : "'stoker show --help' lists them");
    }
    if (s->values->epochs && strcmp(s->values->on_bad, "skip") == 0)
        return cli_report_usage(s->call->command, "--on-bad skip and --epochs exclude each other",
                                "an image that cannot be read has no row of epochs");
    if (s->all && list->count > 1)
        return cli_report_usage(s->call->command, "--op all stands alone", NULL);
    if (list->count && s->values->images.preset)
        return cli_report_usage(s->call->command, "--op and --preset exclude each other", NULL);
    return CLI_EXIT_OK;
}

static void choose_numbers(session *s)
{
    const values     *v = s->values;
    cli_show_request *r = &s->request;
    r->path = s->call->operands[0];
    r->images = v->images;
    r->operations = v->operations;
    r->run = (cli_sample_run){(uint64_t)v->seed, (int)v->common.threads, v->common.memory_bytes};
    r->skip_bad = r->images.skip_bad = strcmp(v->on_bad, "skip") == 0;
    r->epoch = (uint64_t)v->epoch;
    r->epochs = (size_t)v->epochs;
    r->count = v->count ? (size_t)v->count : v->epochs ? USUAL_ROWS : USUAL_COUNT;
    s->columns = v->columns ? (size_t)v->columns : s->all ? USUAL_DRAWS : USUAL_COLUMNS;
    if (r->epochs) s->columns = r->epochs;
    if (s->all && s->columns < 2) s->columns = 2;
    r->columns = s->columns;
}

/* Chooses as 'stoker train' would from many images. False: data without classes, for which it does
 * not choose. */
static bool choose_as_train(session *s)
{
    cli_show_request *r = &s->request;
    stk_train_recipe  recipe;
    stk_train_data    data;
    stk_error         unasked;
    stk_train_recipe_init(&recipe);
    snprintf(recipe.data.path, sizeof recipe.data.path, "%s", r->path);
    if (r->skip_bad) recipe.data.on_bad_sample = STK_ON_BAD_SKIP;
    recipe.data.follow_outside = r->images.follow_outside;
    if (r->images.split)
        snprintf(recipe.data.split, sizeof recipe.data.split, "%s", r->images.split);
    if (stk_train_data_read(&data, &recipe, &unasked)) return false;
    const bool        decided = stk_train_resolve(&recipe, &data, NULL, &unasked) == STK_OK;
    const stk_preset *preset = decided ? stk_preset_find(recipe.data.preset) : NULL;
    if (preset) r->images.preset = preset->name;
    if (preset && !r->images.size) r->images.size = recipe.data.size;
    if (preset && !s->values->common.quiet)
        fprintf(stderr,
                "most images have about %lld x %lld pixels%s: taken for preset %s; --preset "
                "chooses another\n",
                (long long)data.width, (long long)data.height, data.channels == 1 ? ", grey" : "",
                preset->name);
    stk_train_data_release(&data);
    return preset != NULL;
}

static stk_status choose_preset(session *s, stk_error *err)
{
    cli_show_request *r = &s->request;
    if (r->images.preset) return STK_OK;
    if (!r->operations.count && choose_as_train(s)) return STK_OK;
    STK_TRY(cli_images_look(&r->kind, r->path, &r->images, r->run.memory_bytes, err));
    if (r->operations.count) return STK_OK;
    int64_t size = 0;
    r->images.preset = cli_images_guess(&r->kind, &size);
    if (!r->images.size) r->images.size = size;
    if (!s->values->common.quiet)
        fprintf(stderr,
                "the first image has %d x %d pixels%s: taken for preset %s; --preset "
                "chooses another\n",
                r->kind.width, r->kind.height, r->kind.channels == 1 ? ", grey" : "",
                r->images.preset);
    return STK_OK;
}

static void list_operations(char *text, size_t capacity, const cli_option_list *list)
{
    size_t used = 0;
    for (size_t i = 0; i < list->count && used < capacity; i++)
        used +=
            (size_t)snprintf(text + used, capacity - used, "%s%s", i ? "; " : "", list->items[i]);
}

static void write_heading(session *s)
{
    const cli_show_request *r = &s->request;
    char                    epochs[48] = "";
    if (s->all)
        snprintf(s->heading, sizeof s->heading, "image operations");
    else if (r->operations.count)
        list_operations(s->heading, sizeof s->heading, &r->operations);
    else
        snprintf(s->heading, sizeof s->heading, "%s, %s, %d x %d", r->images.preset,
                 r->images.evaluate ? "evaluation" : "training", s->cells.cells[0].pixels.width,
                 s->cells.cells[0].pixels.height);
    if (r->epochs)
        snprintf(epochs, sizeof epochs, ", %zu epochs", r->epochs);
    else if (!s->all)
        snprintf(epochs, sizeof epochs, ", epoch %" PRIu64, r->epoch);
    snprintf(s->subheading, sizeof s->subheading, "%s  seed %" PRIu64 "%s", r->path, r->run.seed,
             epochs);
}

/* The listing for class names skips the same files as the images' own. */
static const stk_source *left_out_of(const session *s)
{
    return s->request.skip_bad ? s->names.source : NULL;
}

static stk_status show(session *s, stk_error *err)
{
    stk_blob png;
    STK_TRY(choose_preset(s, err));
    if (!s->all)
        STK_TRY(cli_class_names_load(&s->names, s->request.path, s->request.images.follow_outside,
                                     err));
    if (!s->values->common.quiet) cli_left_out_print(left_out_of(s));
    stk_status st = s->all ? cli_show_operations(&s->cells, &s->request, err)
                           : cli_show_images(&s->cells, &s->request, &s->names, err);
    if (!st && !s->cells.count)
        st = stk_fail(err, STK_E_NOTFOUND, "images", s->request.path, "it holds no images");
    if (st) return st;
    if (s->columns > s->cells.count) s->columns = s->cells.count;
    write_heading(s);
    const cli_sheet sheet = {.heading = s->heading,
                             .subheading = s->subheading,
                             .cells = s->cells.cells,
                             .count = s->cells.count,
                             .columns = (int)s->columns};
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    st = cli_sheet_write(&png, &sheet, &s->size, err);
    if (!st) st = cli_images_save(s->values->out, stk_blob_bytes(&png), err);
    stk_blob_release(&png);
    return st;
}

static size_t image_count(const session *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->cells.count; i++)
        count += s->cells.elements[i] != NULL;
    return count;
}

static stk_status write_cell(stk_json_writer *json, const cli_sheet_cell *cell,
                             const stk_element *element, uint64_t memory_bytes, stk_error *err)
{
    const stk_origin *origin = stk_element_origin(element);
    char              name[200], packed[200];
    STK_TRY(cli_packed_name(element, memory_bytes, packed, sizeof packed, err));
    stk_json_object(json);
    stk_json_pair_string(json, "label", cell->label);
    stk_json_pair_string(json, "sample", cli_sample_name(element, name, sizeof name));
    stk_json_pair_string(json, "file_name", packed);
    stk_json_pair_uint(json, "record", origin->record);
    stk_json_pair_uint(json, "epoch", origin->epoch);
    stk_json_pair_int(json, "width", cell->pixels.width);
    stk_json_pair_int(json, "height", cell->pixels.height);
    stk_json_object_end(json);
    return STK_OK;
}

static stk_status print_json(const session *s, stk_error *err)
{
    stk_json_writer json;
    stk_blob        text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    stk_json_object(&json);
    stk_json_pair_string(&json, "out", s->values->out);
    stk_json_pair_int(&json, "width", s->size.width);
    stk_json_pair_int(&json, "height", s->size.height);
    if (s->request.images.preset) stk_json_pair_string(&json, "preset", s->request.images.preset);
    stk_json_pair_uint(&json, "seed", s->request.run.seed);
    cli_left_out_write_json(&json, left_out_of(s));
    stk_json_key(&json, "images");
    stk_json_array(&json);
    stk_status st = STK_OK;
    for (size_t i = 0; !st && i < s->cells.count; i++)
        if (s->cells.elements[i])
            st = write_cell(&json, &s->cells.cells[i], s->cells.elements[i],
                            s->values->common.memory_bytes, err);
    stk_json_array_end(&json);
    stk_json_object_end(&json);
    if (!st) st = stk_json_end(&json, err);
    if (!st) fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return st;
}

static void print_text(const session *s)
{
    const size_t count = image_count(s);
    cli_text_print(stdout, s->values->out);
    printf(": %zu image%s in %zu column%s, %d x %d pixels\n", count, count == 1 ? "" : "s",
           s->columns, s->columns == 1 ? "" : "s", s->size.width, s->size.height);
}

static const char *advise(const stk_error *err)
{
    if (err->status == STK_E_CEILING) return "--memory-mb raises the limit";
    if (strcmp(err->component, "decode") && strcmp(err->component, "read")) return NULL;
    if (err->status == STK_E_NOTFOUND) return NULL;
    return "mend or remove it, or let 'stoker pack --on-bad skip' leave bad images out";
}

/* Flags of a sheet say nothing about elements. */
static int print_elements(const cli_invocation *call, const values *v)
{
    const cli_show_elements wanted = {.path = call->operands[0],
                                      .count = (uint64_t)v->elements,
                                      .seed = (uint64_t)v->seed,
                                      .threads = (int)v->common.threads,
                                      .memory_bytes = v->common.memory_bytes,
                                      .json = v->common.json,
                                      .follow_outside = v->images.follow_outside};
    if (v->operations.count || v->images.preset || v->images.size || v->images.evaluate ||
        v->images.split || v->count || v->columns || v->epoch || v->epochs)
        return cli_report_usage(call->command,
                                "--elements and the flags of a sheet exclude each other",
                                "--seed, --threads, --memory-mb and --json go with it");
    return cli_show_elements_run(call->command, &wanted);
}

static int run(const cli_invocation *call)
{
    session   s = {.call = call, .values = call->values};
    stk_error err;
    if (s.values->elements) return print_elements(call, s.values);
    int code = check_operations(&s);
    if (code) return code;
    choose_numbers(&s);
    stk_status st = show(&s, &err);
    if (!st && s.values->common.json)
        st = print_json(&s, &err);
    else if (!st)
        print_text(&s);
    code = st ? cli_report_error(call->command, &err, advise(&err)) : CLI_EXIT_OK;
    cli_show_cells_release(&s.cells);
    cli_class_names_release(&s.names);
    return code;
}

static void print_operations(FILE *out, int width)
{
    stk_image_operation operation;
    fprintf(out, "\nImage operations for --op:\n");
    for (size_t i = 0; stk_image_operation_at(i, &operation); i++) {
        const int column = fprintf(out, "  %s", operation.name);
        cli_text_wrap(out, operation.help, column, 24, width);
    }
}

const cli_command cli_command_show = {
    .name = "show",
    .summary = "draw what the network sees: a contact sheet of augmented images; print elements",
    .operands = "DATA",
    .description =
        "Writes a PNG with images of DATA (a pack, or any source that 'stoker pack' takes) as "
        "the pipeline of a preset gives them, with the class and the name of the sample below "
        "each. Without --preset the one that suits the size of the images is taken. With "
        "--elements, prints what a recipe gives instead.",
    .examples = "stoker show packed/\n"
                "stoker show photos/ --preset imagenet --epochs 8 -o augmented.png\n"
                "stoker show packed/ --op 'rotate degrees=-30,30' --op 'flip'\n"
                "stoker show photos/ --op all -o operations.png\n"
                "stoker show recipe.yaml --elements 3",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .print_more_help = print_operations,
    .run = run,
};
