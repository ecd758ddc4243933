/* What built-in functions cost a call, one thread: parse_example on records of three features and
 * 1 KB, decode_raw and arithmetic on what comes out. */
#include "bench.h"

#include <stoker/stoker.h>

enum { RECORDS = 1000, TIMES = 100, ROUNDS = 15, IMAGE_BYTES = 1000 };

typedef struct job {
    stk_element  *inputs[RECORDS];
    stk_function *function;
} job;

static void check(stk_status status, const stk_error *err)
{
    if (!status) return;
    char text[1024];
    fprintf(stderr, "bench_functions: %s\n", stk_error_line(err, text, sizeof text));
    exit(1);
}

static stk_element *make_record(int64_t label)
{
    static uint8_t   pixels[IMAGE_BYTES];
    const stk_bytes  image = stk_bytes_of(pixels, sizeof pixels);
    const float      weight = 0.5f;
    const stk_field  fields[] = {{"image", STK_DTYPE_BYTES, stk_shape_scalar(), &image, 1},
                                 {"label", STK_DTYPE_I64, stk_shape_scalar(), &label, 1},
                                 {"weight", STK_DTYPE_F32, stk_shape_scalar(), &weight, 1}};
    const stk_sample sample = {.fields = fields, .field_count = 3};
    stk_blob         blob;
    stk_error        err;
    stk_element     *element;
    stk_blob_init(&blob, NULL, STK_MEMORY_INDEX);
    check(stk_example_write(&blob, &sample, &err), &err);
    check(stk_element_new(&element, 1, &err), &err);
    check(stk_value_bytes(stk_element_edit(element, 0), NULL, stk_blob_bytes(&blob), &err), &err);
    stk_blob_release(&blob);
    return element;
}

static void run(void *context)
{
    job                     *j = context;
    const stk_function_info *info = stk_function_info_of(j->function);
    const stk_call           call = {0};
    stk_error                err;
    for (int t = 0; t < TIMES; t++)
        for (int i = 0; i < RECORDS; i++) {
            stk_element *element = stk_element_ref(j->inputs[i]);
            check(info->map(info->context, &call, &element, &err), &err);
            stk_element_unref(element);
        }
}

static void measure(const char *name, job *j)
{
    const bench_result r = bench_run(run, j, ROUNDS);
    printf("%-44s %12.4g ns a call   (best %.4g, worst %.4g)\n", name,
           1e9 * r.median / TIMES / RECORDS, 1e9 * r.best / TIMES / RECORDS,
           1e9 * r.worst / TIMES / RECORDS);
    stk_function_unref(j->function);
}

/* The inputs go through the function once, for the next measurement. */
static void advance(job *j, stk_function *function)
{
    const stk_function_info *info = stk_function_info_of(function);
    const stk_call           call = {0};
    stk_error                err;
    for (int i = 0; i < RECORDS; i++)
        check(info->map(info->context, &call, &j->inputs[i], &err), &err);
    stk_function_unref(function);
}

int main(void)
{
    static const stk_feature_spec specs[] = {{.name = "image", .dtype = STK_DTYPE_BYTES},
                                             {.name = "label", .dtype = STK_DTYPE_I64},
                                             {.name = "weight", .dtype = STK_DTYPE_F32}};
    static job                    j;
    stk_error                     err;
    stk_function                 *next;
    for (int i = 0; i < RECORDS; i++)
        j.inputs[i] = make_record(i % 100);
    check(stk_function_identity(&j.function, &err), &err);
    measure("identity", &j);
    check(stk_function_parse_example(&j.function, 0, specs, 3, &err), &err);
    measure("parse_example, 3 features, 1 KB", &j);
    check(stk_function_parse_example(&next, 0, specs, 3, &err), &err);
    advance(&j, next);
    check(stk_function_arithmetic(&j.function, STK_ARITHMETIC_ADD, 1, stk_number_integer(1), &err),
          &err);
    measure("add to a scalar of a shared element", &j);
    check(stk_function_decode_raw(&j.function, 0, STK_DTYPE_U8, &err), &err);
    measure("decode_raw, 1000 bytes", &j);
    check(stk_function_decode_raw(&next, 0, STK_DTYPE_U8, &err), &err);
    advance(&j, next);
    check(stk_function_cast(&j.function, 0, STK_DTYPE_F32, &err), &err);
    measure("cast of 1000 uint8 to float32", &j);
    for (int i = 0; i < RECORDS; i++)
        stk_element_unref(j.inputs[i]);
    return 0;
}
