/* Random runs of the simulator, asked random questions. */
#include "observe/report/replays.h"

#include "observe/diagnose/simulator.h"
#include "observe/report/page_data.h"

enum { RUNS = 60, QUESTIONS_EACH = 10, STEPS = 60 };

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* One of the given numbers. */
#define ONE_OF(state, ...)                                                                         \
    ((const double[]){__VA_ARGS__}[draw(state) % (sizeof((const double[]){__VA_ARGS__}) / 8)])

static simulation random_run(uint64_t *state)
{
    simulation s = simulation_usual();
    s.steps = STEPS;
    s.seed = draw(state);
    s.helpers = (int)ONE_OF(state, 0, 1, 1, 2, 3, 5);
    s.reads_inline = !s.helpers && draw(state) % 2;
    s.buffer = (int)ONE_OF(state, 1, 2, 4, 9);
    s.cores = (int)ONE_OF(state, 0, 2, 2, 4, 8);
    s.threads = (int)ONE_OF(state, 1, 2, 4);
    s.mean_ns[STK_STAGE_READ] = ONE_OF(state, 0, 1e5, 3e6, 9e6);
    s.mean_ns[STK_STAGE_PREPROCESS] = ONE_OF(state, 0, 5e5, 3e6, 2e7);
    s.mean_ns[STK_STAGE_OUTPUT] = ONE_OF(state, 0, 2e4, 6e6);
    s.mean_ns[STK_STAGE_WRITE] = ONE_OF(state, 0, 0, 2e7);
    s.every[STK_STAGE_WRITE] = 10;
    for (int k = 0; k < STK_STAGE_COUNT; k++)
        s.cv[k] = ONE_OF(state, 0.05, 0.3, 1);
    return s;
}

static stk_what_if random_question(uint64_t *state)
{
    stk_what_if what;
    stk_what_if_init(&what);
    for (int k = 0; k < STK_STAGE_COUNT; k++)
        what.factor[k] = ONE_OF(state, 1, 1, 1, 0, 0.4, 1.7, 2, 6);
    what.servers = ONE_OF(state, 0, 0, 1, 3, 6);
    what.threads = ONE_OF(state, 0, 0, 0, 1, 3);
    what.buffer = ONE_OF(state, 0, 0, 1, 3, 100);
    what.apart[STK_STAGE_OUTPUT] = draw(state) % 4 == 0;
    what.apart[STK_STAGE_WRITE] = draw(state) % 4 == 0;
    return what;
}

void write_question(stk_json_writer *w, const stk_profile *profile, const stk_what_if *what)
{
    stk_json_object(w);
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
    stk_json_pair_double(w, "rate", stk_simulate(profile, what).value);
    stk_json_object_end(w);
}

static stk_status write_questions(stk_blob *out, const stk_profile *profile, uint64_t *state,
                                  stk_error *err)
{
    stk_json_writer w;
    stk_json_begin(&w, out, 0);
    stk_json_array(&w);
    for (int i = 0; i < QUESTIONS_EACH; i++) {
        const stk_what_if what = random_question(state);
        write_question(&w, profile, &what);
    }
    stk_json_array_end(&w);
    return stk_json_end(&w, err);
}

static stk_status write_run(stk_blob *out, const stk_profile *profile, uint64_t *state,
                            stk_error *err)
{
    static const char model[] = "{\"model\":", questions[] = ",\"questions\":";
    STK_TRY(stk_blob_append(out, model, sizeof model - 1, err));
    STK_TRY(stk_report_write_replay(profile, out, err));
    STK_TRY(stk_blob_append(out, questions, sizeof questions - 1, err));
    STK_TRY(write_questions(out, profile, state, err));
    return stk_blob_append(out, "}", 1, err);
}

stk_status write_replays(stk_blob *out, stk_error *err)
{
    uint64_t   state = 20;
    stk_status st = stk_blob_append(out, "[", 1, err);
    for (int i = 0; i < RUNS && !st; i++) {
        const simulation s = random_run(&state);
        stk_profile      profile;
        stk_profile_init(&profile);
        simulate(&s, &profile);
        if (i) st = stk_blob_append(out, ",", 1, err);
        if (!st) st = write_run(out, &profile, &state, err);
        stk_profile_release(&profile);
    }
    return st ? st : stk_blob_append(out, "]", 1, err);
}
