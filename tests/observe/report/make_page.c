/* make_page FOLDER [EVENTS]: writes report.html of the sample, bare.html of a run of which nothing
 * is known, empty.html that asks a server, and expected.json and simulations.json with what this
 * library's own simulation says to questions that the page is asked, too. */
#include "observe/report/sample.h"
#include "observe/report/simulations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/json.h>
#include <stoker/learning.h>

enum { USUAL_EVENTS = 6000, QUESTIONS = 12 };

/* What is made; learning goes into the report only. */
enum { LEARNING, REPORT, BARE, EMPTY, EXPECTED, SIMULATIONS, BLOBS };

static stk_what_if question(int number)
{
    stk_what_if what;
    stk_what_if_init(&what);
    switch (number) {
    case 1:
        what.factor[STK_STAGE_PREPROCESS] = 0.5;
        break;
    case 2:
        what.factor[STK_STAGE_PREPROCESS] = 0;
        break;
    case 3:
        what.factor[STK_STAGE_READ] = 2;
        break;
    case 4:
        what.factor[STK_STAGE_COMPUTE] = 0.25;
        break;
    case 5:
        what.servers = 1;
        break;
    case 6:
        what.servers = 4;
        break;
    case 7:
        what.buffer = 1;
        break;
    case 8:
        what.buffer = 32;
        break;
    case 9:
        what.apart[STK_STAGE_WRITE] = true;
        break;
    case 10:
        what.factor[STK_STAGE_OUTPUT] = 2;
        what.apart[STK_STAGE_OUTPUT] = true;
        break;
    case 11:
        what.factor[STK_STAGE_PREPROCESS] = 1.7;
        what.factor[STK_STAGE_COMPUTE] = 1.3;
        break;
    default:
        break;
    }
    return what;
}

static void ask(stk_json_writer *w, const stk_profile *profile, int number)
{
    const stk_what_if what = question(number);
    write_question(w, profile, &what);
}

static stk_status write_expected(const stk_profile *profile, stk_blob *out, stk_error *err)
{
    stk_json_writer w;
    stk_json_begin(&w, out, 1);
    stk_json_array(&w);
    for (int i = 0; i < QUESTIONS; i++)
        ask(&w, profile, i);
    stk_json_array_end(&w);
    return stk_json_end(&w, err);
}

static stk_status save(const char *folder, const char *name, const stk_blob *bytes, stk_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) return stk_fail(err, STK_E_IO, "sample", path, "cannot be written");
    const bool whole = fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
    if (fclose(file) || !whole) return stk_fail(err, STK_E_IO, "sample", path, "is not whole");
    return STK_OK;
}

static stk_status write_bare(stk_blob *out, stk_error *err)
{
    stk_profile    profile;
    stk_diagnosis *diagnosis = calloc(1, sizeof *diagnosis);
    if (!diagnosis) return stk_fail(err, STK_E_NOMEM, "sample", NULL, "no memory");
    stk_profile_init(&profile);
    stk_status st = stk_diagnose(diagnosis, &profile, err);
    if (!st) st = stk_report_write(&profile, diagnosis, NULL, out, err);
    stk_profile_release(&profile);
    free(diagnosis);
    return st;
}

/* A grey dot as PNG. */
static const uint8_t dot[] = {0x89, 'P', 'N',  'G',  13,   10,   26,   10,   0,    0, 0, 13,
                              'I',  'H', 'D',  'R',  0,    0,    0,    1,    0,    0, 0, 1,
                              8,    0,   0,    0,    0,    0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0,
                              10,   'I', 'D',  'A',  'T',  0x78, 0x9c, 0x63, 0x68, 0, 0, 0,
                              0x82, 0,   0x81, 0x77, 0xcd, 0x72, 0xb6, 0,    0,    0, 0, 'I',
                              'E',  'N', 'D',  0xae, 'B',  0x60, 0x82};

static void add_reports(stk_learning *l)
{
    enum { STEPS = 600, EPOCH = 100 };
    for (int step = 2; step <= STEPS; step += 2) {
        const bool   end = step % EPOCH == 0;
        const double done = (double)step / STEPS, noise = 0.2 * sin(step * 1.7);
        stk_learning_add(
            l, &(stk_learning_row){.step = step,
                                   .epoch = (double)step / EPOCH,
                                   .seconds = step * 0.2,
                                   .loss = 2.3 * exp(-1.5 * done) + noise,
                                   .accuracy = 0.1 + 0.6 * done + noise / 4,
                                   .learning_rate = 0.1 * sin(3.14 * done),
                                   .epoch_loss = end ? 2.3 * exp(-1.5 * done) : (double)NAN,
                                   .epoch_accuracy = end ? 0.1 + 0.6 * done : (double)NAN,
                                   .validation_loss = end ? 2.2 * exp(-done) : (double)NAN,
                                   .validation_accuracy = end ? 0.1 + 0.5 * done : (double)NAN});
    }
}

static stk_status write_learning(stk_blob *out, stk_error *err)
{
    const stk_learning_image images[] = {
        {.encoded = stk_bytes_of(dot, sizeof dot),
         .label = "cat </script>",
         .predicted = "cat",
         .probability = 0.91,
         .right = true},
        {.encoded = stk_bytes_of(dot, sizeof dot),
         .label = "automobile",
         .predicted = "airplane",
         .probability = 0.4},
        {.encoded = stk_bytes_of(dot, sizeof dot), .label = "frog 70 % + cat", .predicted = ""}};
    stk_learning *l;
    STK_TRY(stk_learning_new(&l, err));
    add_reports(l);
    stk_learning_set_position(l, &(stk_learning_position){.state = "running",
                                                          .step = 600,
                                                          .steps = 1000,
                                                          .epoch = 6,
                                                          .epochs = 10,
                                                          .seconds = 120,
                                                          .seconds_left = 82});
    stk_status st = stk_learning_show(l, STK_LEARNING_VALIDATION, 599, images, 2, err);
    if (!st) st = stk_learning_show(l, STK_LEARNING_TRAINING, 501, images + 2, 1, err);
    if (!st) st = stk_learning_write(l, out, err);
    stk_learning_free(l);
    return st;
}

static stk_status write_report(const char *folder, size_t events, const stk_profile *profile,
                               const stk_diagnosis *diagnosis, const stk_blob *learning,
                               stk_blob *out, stk_error *err)
{
    char          path[4096];
    stk_timeline *timeline;
    snprintf(path, sizeof path, "%s/sample.json", folder);
    STK_TRY(stk_sample_timeline(&timeline, profile, events, path, err));
    const stk_report_options options = {
        .trace_path = "trace.json.gz", .timeline = timeline, .learning = stk_blob_bytes(learning)};
    const stk_status st = stk_report_write(profile, diagnosis, &options, out, err);
    stk_timeline_free(timeline);
    return st;
}

static stk_status make(const char *folder, size_t events, stk_profile *profile,
                       stk_diagnosis *diagnosis, stk_blob blobs[BLOBS], stk_error *err)
{
    stk_sample_diagnosis(diagnosis, profile);
    STK_TRY(write_learning(&blobs[LEARNING], err));
    STK_TRY(
        write_report(folder, events, profile, diagnosis, &blobs[LEARNING], &blobs[REPORT], err));
    STK_TRY(write_expected(profile, &blobs[EXPECTED], err));
    STK_TRY(write_simulations(&blobs[SIMULATIONS], err));
    STK_TRY(stk_report_write(NULL, NULL, NULL, &blobs[EMPTY], err));
    STK_TRY(write_bare(&blobs[BARE], err));
    STK_TRY(save(folder, "report.html", &blobs[REPORT], err));
    STK_TRY(save(folder, "bare.html", &blobs[BARE], err));
    STK_TRY(save(folder, "expected.json", &blobs[EXPECTED], err));
    STK_TRY(save(folder, "simulations.json", &blobs[SIMULATIONS], err));
    return save(folder, "empty.html", &blobs[EMPTY], err);
}

int main(int count, char **arguments)
{
    stk_error      err;
    stk_profile    profile;
    stk_diagnosis *diagnosis = calloc(1, sizeof *diagnosis);
    stk_blob       blobs[BLOBS];
    for (int i = 0; i < BLOBS; i++)
        stk_blob_init(&blobs[i], NULL, STK_MEMORY_OUTPUT);
    if (count < 2 || !diagnosis) return 2;
    stk_status st = stk_sample_profile(&profile, &err);
    if (!st) {
        st = make(arguments[1], count > 2 ? (size_t)atoll(arguments[2]) : USUAL_EVENTS, &profile,
                  diagnosis, blobs, &err);
        stk_profile_release(&profile);
    }
    for (int i = 0; i < BLOBS; i++)
        stk_blob_release(&blobs[i]);
    free(diagnosis);
    if (st) fprintf(stderr, "make_page: %s: %s\n", err.where, err.message);
    return st ? 1 : 0;
}
