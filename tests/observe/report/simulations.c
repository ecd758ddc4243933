/* Models of simulated runs, and models that no run would give; each with random questions. */
#include "observe/report/simulations.h"

#include "observe/diagnose/simulator.h"
#include "observe/report/page_data.h"

enum { RUNS = 60, MODELS = 120, QUESTIONS_EACH = 10, RUN_STEPS = 60, STEPS_MAX = 200 };

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* One of the given numbers. */
#define ONE_OF(state, ...)                                                                         \
    ((const double[]){__VA_ARGS__}[draw(state) % (sizeof((const double[]){__VA_ARGS__}) / 8)])

static double uniform(uint64_t *state, double max)
{
    return max * (double)(draw(state) % 1000003) / 1000003;
}

static simulation random_run(uint64_t *state)
{
    simulation s = simulation_usual();
    s.steps = RUN_STEPS;
    s.seed = draw(state);
    s.helpers = (int)ONE_OF(state, 0, 1, 1, 2, 3, 5);
    s.reads_inline = !s.helpers && draw(state) % 2;
    s.buffer = (int)ONE_OF(state, 1, 2, 4, 9);
    s.cores = (int)ONE_OF(state, 0, 2, 2, 4, 8);
    s.threads = (int)ONE_OF(state, 1, 2, 4);
    s.mean_ns[STK_STAGE_READ] = ONE_OF(state, 0, 1e5, 3e6, 9e6);
    s.mean_ns[STK_STAGE_PREPROCESS] = ONE_OF(state, 0, 5e5, 3e6, 2e7);
    s.mean_ns[STK_STAGE_ALLREDUCE] = ONE_OF(state, 0, 0, 1e6);
    s.mean_ns[STK_STAGE_OUTPUT] = ONE_OF(state, 0, 2e4, 6e6);
    s.mean_ns[STK_STAGE_WRITE] = ONE_OF(state, 0, 0, 2e7);
    s.every[STK_STAGE_WRITE] = 10;
    for (int k = 0; k < STK_STAGE_COUNT; k++)
        s.cv[k] = ONE_OF(state, 0.05, 0.3, 1);
    return s;
}

/* Contention is told only where threads want more cores than there are (sim_model.c). */
static stk_sim_model random_model(uint64_t *state, stk_sim_model_step *steps)
{
    const uint64_t span = draw(state) % 8 ? 30 : STEPS_MAX - 1; /* some fill the longest queue */
    stk_sim_model  m = {.steps = steps, .count = 2 + draw(state) % span};
    m.helpers = ONE_OF(state, 0, 1, 1, 2, 3, 8, 31);
    m.buffer = ONE_OF(state, 1, 1.5, 2, 4, 9.25, 63, 64);
    m.read_scale = ONE_OF(state, 0.01, 1, 1, 3.5);
    m.prepare_scale = ONE_OF(state, 0.01, 1, 1, 3.5);
    m.reads_inline = draw(state) % 3 == 0;
    m.cores = ONE_OF(state, 0, 1, 2, 4, 16);
    m.threads = ONE_OF(state, 1, 2, 4, 9);
    m.core_scale = ONE_OF(state, 1, 1, 0.3);
    if (m.cores > 0 && m.helpers > 0 && m.threads + m.helpers > m.cores)
        m.contention = ONE_OF(state, 0, 0.1, 0.4, 0.9);
    const double read = ONE_OF(state, 0, 1e5, 4e6, 3e7), work = ONE_OF(state, 0, 1e5, 4e6, 3e7);
    const double late =
        ONE_OF(state, 1, 1, 30); /* a slow second half empties a queue that is full */
    double own[STK_STAGE_COUNT];
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        own[s] = ONE_OF(state, 0, 1e4, 1e6, 9e6);
    for (size_t i = 0; i < m.count; i++) {
        stk_sim_model_step *step = &steps[i];
        *step = (stk_sim_model_step){.read = uniform(state, read),
                                     .prepare = uniform(state, work) * (2 * i < m.count ? 1 : late),
                                     .samples = ONE_OF(state, 64, 64, 64, 7)};
        for (int s = 0; s < STK_STAGE_COUNT; s++)
            step->own[s] = uniform(state, own[s]);
    }
    return m;
}

/* The longest queue, which the first half of the run fills and the second empties. */
static stk_sim_model full_queue(uint64_t *state, stk_sim_model_step *steps)
{
    stk_sim_model m = random_model(state, steps);
    m.count = STEPS_MAX;
    m.helpers = 1;
    m.buffer = STK_SIM_BUFFER_MAX;
    m.contention = m.cores = 0;
    for (size_t i = 0; i < m.count; i++) {
        steps[i] = (stk_sim_model_step){.prepare = 2 * i < m.count ? 1e3 : 8e6, .samples = 64};
        steps[i].own[STK_STAGE_COMPUTE] = 1e6 + uniform(state, 1e6);
    }
    return m;
}

static stk_what_if random_question(uint64_t *state)
{
    stk_what_if what;
    stk_what_if_init(&what);
    for (int k = 0; k < STK_STAGE_COUNT; k++) {
        what.factor[k] = ONE_OF(state, 1, 1, 1, 0, 0.4, 1.7, 2, 6);
        what.apart[k] = draw(state) % 8 == 0;
    }
    what.servers = ONE_OF(state, 0, 0, 1, 3, 6, 40);
    what.threads = ONE_OF(state, 0, 0, 0, 1, 3, 12);
    what.buffer = ONE_OF(state, 0, 0, 0.5, 1, 3, 61, 100);
    return what;
}

static void write_what(stk_json_writer *w, const stk_what_if *what)
{
    stk_json_key(w, "factor");
    stk_json_array(w);
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        stk_json_double(w, what->factor[s]);
    stk_json_array_end(w);
    stk_json_key(w, "apart");
    stk_json_array(w);
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        stk_json_bool(w, what->apart[s]);
    stk_json_array_end(w);
    stk_json_pair_double(w, "servers", what->servers);
    stk_json_pair_double(w, "threads", what->threads);
    stk_json_pair_double(w, "buffer", what->buffer);
}

void write_question(stk_json_writer *w, const stk_profile *profile, const stk_what_if *what)
{
    stk_json_object(w);
    write_what(w, what);
    stk_json_pair_double(w, "rate", stk_simulate(profile, what).value);
    stk_json_object_end(w);
}

static void write_answer(stk_json_writer *w, const stk_sim_model *model, const stk_what_if *what)
{
    const stk_sim_model_run run = stk_sim_run(model, what, NULL, 0);
    stk_json_object(w);
    write_what(w, what);
    stk_json_pair_double(w, "rate", stk_sim_model_rate(model, what));
    stk_json_pair_double(w, "ns", run.ns);
    stk_json_pair_double(w, "samples", run.samples);
    stk_json_pair_double(w, "wait_read", run.wait_read);
    stk_json_pair_double(w, "wait_prepare", run.wait_prepare);
    stk_json_object_end(w);
}

static stk_status write_answers(stk_blob *out, const stk_sim_model *model, uint64_t *state,
                                stk_error *err)
{
    stk_json_writer w;
    stk_json_begin(&w, out, 0);
    stk_json_array(&w);
    for (int i = 0; i < QUESTIONS_EACH; i++) {
        const stk_what_if what = random_question(state);
        write_answer(&w, model, &what);
    }
    stk_json_array_end(&w);
    return stk_json_end(&w, err);
}

static stk_status write_model(stk_blob *out, const stk_sim_model *model, uint64_t *state,
                              stk_error *err)
{
    static const char begin[] = "{\"model\":", questions[] = ",\"questions\":";
    if (out->data[out->size - 1] != '[') STK_TRY(stk_blob_append(out, ",", 1, err));
    STK_TRY(stk_blob_append(out, begin, sizeof begin - 1, err));
    STK_TRY(stk_report_write_model(model, out, err));
    STK_TRY(stk_blob_append(out, questions, sizeof questions - 1, err));
    STK_TRY(write_answers(out, model, state, err));
    return stk_blob_append(out, "}", 1, err);
}

static stk_status write_run(stk_blob *out, uint64_t *state, stk_error *err)
{
    const simulation s = random_run(state);
    stk_profile      profile;
    stk_sim_model    model;
    stk_profile_init(&profile);
    simulate(&s, &profile);
    stk_status st = stk_sim_model_make(&model, &profile, err);
    if (!st) {
        st = write_model(out, &model, state, err);
        stk_sim_model_release(&model);
    }
    stk_profile_release(&profile);
    return st;
}

stk_status write_simulations(stk_blob *out, stk_error *err)
{
    stk_sim_model_step steps[STEPS_MAX];
    uint64_t           state = 20;
    stk_status         st = stk_blob_append(out, "[", 1, err);
    for (int i = 0; i < RUNS && !st; i++)
        st = write_run(out, &state, err);
    for (int i = 0; i < MODELS && !st; i++) {
        const stk_sim_model model =
            i % 20 ? random_model(&state, steps) : full_queue(&state, steps);
        st = write_model(out, &model, &state, err);
    }
    return st ? st : stk_blob_append(out, "]", 1, err);
}
