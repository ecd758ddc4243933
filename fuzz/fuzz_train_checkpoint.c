/* Checkpoints of training, loaded into three variables. Odd first bytes: the rest is a file. Even:
 * the rest says which texts and tensors a file has whose checksums are right, so that what lies
 * behind them is reached. A load that fails says why and changes nothing; all memory is given back.
 */
#include "compute/runtime/device_variables.h"
#include "memory_filesystem.h"
#include "train/checkpoint/checkpoint_format.h"

#include <stoker/stoker.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CEILING = 64 << 20, TEXT_MOST = 32, DATA_MOST = 64, VARIABLES = 3, STEP = 77 };

static void demand(int condition)
{
    if (!condition) __builtin_trap();
}

/* A file system whose one output goes to memory. */
typedef struct collector {
    stk_filesystem     fs;
    stk_filesystem_ops ops;
    stk_output         output;
    stk_blob           content;
} collector;

static collector *collector_of(stk_output *output)
{
    return (collector *)(void *)((char *)output - offsetof(collector, output));
}

static stk_status collect_write(stk_output *output, const void *data, size_t size, stk_error *err)
{
    return stk_blob_append(&collector_of(output)->content, data, size, err);
}

static stk_status collect_commit(stk_output *output, stk_error *err)
{
    (void)output, (void)err;
    return STK_OK;
}

static void collect_close(stk_output *output)
{
    (void)output;
}

static stk_status collect_create(const stk_filesystem *fs, const char *path, stk_output **out,
                                 stk_error *err)
{
    static const stk_output_ops ops = {collect_write, collect_commit, collect_close};
    collector                  *c = (collector *)(uintptr_t)fs;
    (void)err;
    c->output = (stk_output){.ops = &ops, .path = (char *)(uintptr_t)path};
    *out = &c->output;
    return STK_OK;
}

/* What the input still has; zeros after. */
typedef struct choices {
    const uint8_t *next;
    size_t         left;
} choices;

static uint8_t choose(choices *c)
{
    if (!c->left) return 0;
    c->left--;
    return *c->next++;
}

/* Most often a number; else nothing (false) or any text. */
static bool choose_text(choices *c, char text[TEXT_MOST])
{
    const uint8_t kind = choose(c);
    memcpy(text, "1", 2);
    if (kind == 255) return false;
    if (kind < 128) return true;
    const size_t length = kind % TEXT_MOST;
    for (size_t i = 0; i < length; i++)
        text[i] = (char)choose(c);
    text[length] = 0;
    return true;
}

/* As the checkpoint should have it, or any type and shape. */
static bool choose_tensor(choices *c, stk_safetensors_item *item)
{
    const uint8_t kind = choose(c);
    if (kind == 255) return false;
    if (kind < 128) return true;
    item->dtype = (stk_dtype)(choose(c) % STK_DTYPE_COUNT);
    item->shape = stk_shape_2d(choose(c) % 4, 1 + choose(c) % 2);
    item->shape.rank = kind % 3;
    return true;
}

static size_t choose_texts(choices *c, stk_safetensors_text_item *texts, char rooms[][TEXT_MOST],
                           char crc[STK_CHECKPOINT_CRC_CAPACITY])
{
    static const stk_run_state nothing;
    size_t                     count = 0;
    texts[count++] =
        (stk_safetensors_text_item){STK_CHECKPOINT_VERSION, STK_CHECKPOINT_VERSION_NOW};
    for (size_t i = 0; i < STK_RUN_STATE_NUMBERS; i++) {
        char        unused[STK_RUN_STATE_CAPACITY];
        const char *key = stk_run_state_text(&nothing, i, unused);
        if (choose_text(c, rooms[i])) texts[count++] = (stk_safetensors_text_item){key, rooms[i]};
    }
    stk_checkpoint_texts_crc(texts, count, crc);
    texts[count++] = (stk_safetensors_text_item){STK_CHECKPOINT_CRC, crc};
    return count;
}

static bool make_file(choices *c, collector *to)
{
    static const uint8_t              data[DATA_MOST];
    static const stk_safetensors_item usual[] = {
        {"w", STK_DTYPE_F32, {1, {2}}, data},
        {"n", STK_DTYPE_I64, {0, {0}}, data},
        {"stoker.input", STK_DTYPE_U8, {1, {5}}, data},
        {"stoker.schedule", STK_DTYPE_U8, {1, {0}}, data},
        {"stoker.metrics", STK_DTYPE_U8, {1, {3}}, data},
    };
    stk_safetensors_text_item texts[STK_RUN_STATE_NUMBERS + 2];
    stk_safetensors_item      items[sizeof usual / sizeof usual[0] + 1];
    char                      rooms[STK_RUN_STATE_NUMBERS][TEXT_MOST];
    char                      crc[STK_CHECKPOINT_CRC_CAPACITY];
    stk_error                 err;
    size_t                    count = 0;
    const size_t              text_count = choose_texts(c, texts, rooms, crc);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        items[count] = usual[i];
        count += choose_tensor(c, &items[count]);
    }
    if (choose(c) & 1) items[count++] = (stk_safetensors_item){"m", STK_DTYPE_U8, {0, {0}}, data};
    return !stk_safetensors_save(&to->fs, "made", items, count, texts, text_count, NULL, &err);
}

typedef struct run {
    stk_ledger    *ledger;
    stk_device    *device;
    stk_variables *variables;
    stk_run_state  state;
} run;

static void run_open(run *r)
{
    static const stk_tensor_type types[VARIABLES] = {
        {STK_DTYPE_F32, {1, {2}}}, {STK_DTYPE_I64, {0, {0}}}, {STK_DTYPE_F32, {1, {1}}}};
    static const stk_variable_options roles[VARIABLES] = {{.role = STK_VARIABLE_PARAMETER},
                                                          {.role = STK_VARIABLE_OPTIMIZER},
                                                          {.role = STK_VARIABLE_METRIC}};
    static const char *const          names[VARIABLES] = {"w", "n", "m"};
    stk_error                         err;
    size_t                            index;
    demand(!stk_ledger_new(&r->ledger, CEILING, &err));
    const stk_device_options options = {.threads = 1, .ledger = r->ledger};
    demand(!stk_device_open(&r->device, "ref", &options, &err));
    demand(!stk_variables_new(&r->variables, r->device, 1, &err));
    for (size_t i = 0; i < VARIABLES; i++)
        demand(!stk_variables_add(r->variables, names[i], &types[i], &roles[i], &index, &err));
    demand(!stk_variables_write(r->variables, 0, (float[]){3, 4}, 2 * sizeof(float), &err));
    stk_run_state_init(&r->state, r->ledger);
    r->state.step = STEP;
    demand(!stk_blob_append(&r->state.input, "input", 5, &err));
}

static void run_close(run *r)
{
    stk_ledger_report report;
    stk_run_state_release(&r->state);
    stk_variables_free(r->variables);
    stk_device_free(r->device);
    stk_ledger_read(r->ledger, &report);
    demand(!report.bytes);
    stk_ledger_unref(r->ledger);
}

static void demand_unchanged(run *r)
{
    static const float before[2] = {3, 4};
    float              now[2];
    stk_error          err;
    demand(!stk_variables_read(r->variables, 0, now, sizeof now, &err));
    demand(!memcmp(before, now, sizeof now) && r->state.step == STEP);
    demand(r->state.input.size == 5 && !memcmp(r->state.input.data, "input", 5));
}

static void load(stk_bytes content)
{
    run                     r;
    stk_error               err = {0};
    const memory_filesystem memory = memory_filesystem_of("fuzz", content);
    run_open(&r);
    if (stk_checkpoint_load(&memory.fs, "fuzz", r.variables, &r.state, &err)) {
        demand(err.message[0] != 0);
        demand_unchanged(&r);
    }
    run_close(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    if (data[0] & 1) {
        load(stk_bytes_of(data + 1, size - 1));
        return 0;
    }
    choices   c = {data + 1, size - 1};
    collector made = {.ops = {.create = collect_create}};
    made.fs = (stk_filesystem){&made.ops, "collector"};
    stk_blob_init(&made.content, NULL, STK_MEMORY_OUTPUT);
    if (make_file(&c, &made)) load(stk_blob_bytes(&made.content));
    stk_blob_release(&made.content);
    return 0;
}
