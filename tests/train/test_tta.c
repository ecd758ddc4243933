/* Evaluation of several views of an image: logits are the average of those of the views, each made
 * and evaluated by itself. */
#include "train/session/session.h"
#include "train/tiny_data.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 12, CLASSES = 10, ROWS = 5, PIXELS = SIZE * SIZE };

typedef struct bed {
    stk_train_recipe recipe;
    stk_train_data   data;
    uint8_t          images[ROWS * PIXELS];
    int64_t          labels[ROWS];
} bed;

static void make_bed(bed *b, const char *name)
{
    tiny_recipe(&b->recipe, &b->data, tiny_data(name, 40, SIZE, 4), stk_test_path("unused"),
                (const char *const[]){"model.name", "cnn", "model.width", "0.25", "data.eval_batch",
                                      "8", NULL});
    srand(3);
    for (int i = 0; i < ROWS * PIXELS; i++)
        b->images[i] = (uint8_t)rand();
    for (int i = 0; i < ROWS; i++)
        b->labels[i] = i % CLASSES;
    EXPECT_INT_EQ(CLASSES, b->recipe.model.classes); /* an IDX set has ten */
}

/* Logits with the first weights of the seed, which are the same in every session. */
static void evaluate(bed *b, const char *tta, const uint8_t *images, float *logits,
                     stk_metrics *metrics)
{
    stk_session           *session;
    stk_error              err;
    float                  capacity[8 * CLASSES];
    const stk_loader_batch batch = {ROWS, images, b->labels, NULL};
    EXPECT_OK(stk_train_recipe_set(&b->recipe, "train.tta", tta, "test", &err));
    EXPECT_OK(stk_session_open(&session, &b->recipe, false, NULL, &err));
    EXPECT_OK(stk_session_ready_evaluate(session, SIZE, &err));
    EXPECT_OK(stk_session_evaluate(session, &batch, SIZE, capacity, &err));
    memcpy(logits, capacity, ROWS * CLASSES * sizeof *logits);
    EXPECT_OK(stk_session_metrics(session, true, true, metrics, &err));
    EXPECT_INT_EQ(ROWS, metrics->count);
    stk_session_free(session);
}

/* -1 is 1, SIZE is SIZE - 2. */
static int reflected(int at)
{
    return at < 0 ? -at : at >= SIZE ? 2 * SIZE - 2 - at : at;
}

static void look(const uint8_t *from, int shift, bool mirrored, uint8_t *to)
{
    for (int i = 0; i < ROWS * PIXELS; i++) {
        int x = i % SIZE, y = i / SIZE % SIZE, row = i / PIXELS;
        x = reflected((mirrored ? SIZE - 1 - x : x) + shift);
        to[i] = from[row * PIXELS + reflected(y + shift) * SIZE + x];
    }
}

static void expect_average(const char *tta, int shifts)
{
    static const int shift[] = {0, -1, 1};
    bed              b;
    stk_metrics      metrics, unused;
    uint8_t          seen[ROWS * PIXELS];
    float            found[ROWS * CLASSES], one[ROWS * CLASSES];
    double           expected[ROWS * CLASSES] = {0}, loss = 0;
    make_bed(&b, tta);
    for (int v = 0; v < 2 * shifts; v++) {
        const double share = shifts == 1 ? 0.5 : v < 2 ? 0.25 : 0.125;
        look(b.images, shift[v / 2], v % 2, seen);
        evaluate(&b, "none", seen, one, &unused);
        for (int i = 0; i < ROWS * CLASSES; i++)
            expected[i] += share * (double)one[i];
    }
    evaluate(&b, tta, b.images, found, &metrics);
    for (int i = 0; i < ROWS * CLASSES; i++)
        EXPECT(fabs(expected[i] - (double)found[i]) < 1e-5);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0;
        for (int c = 0; c < CLASSES; c++)
            sum += exp(expected[r * CLASSES + c]);
        loss += log(sum) - expected[r * CLASSES + b.labels[r]];
    }
    EXPECT(fabs(loss - (double)metrics.loss) < 1e-5 * fabs(loss));
    stk_train_data_release(&b.data);
}

STK_TEST(mirror_is_the_mean_of_a_image_and_its_mirror_image)
{
    expect_average("mirror", 1);
}

STK_TEST(mirror_shift_is_that_and_both_shifted_by_a_pixel_at_half_the_weight)
{
    expect_average("mirror-shift", 3);
}

STK_TEST(other_words_are_refused)
{
    stk_train_recipe recipe;
    stk_error        err;
    stk_train_recipe_init(&recipe);
    EXPECT_STATUS(STK_E_INVALID,
                  stk_train_recipe_set(&recipe, "train.tta", "mirrors", "--tta", &err));
    EXPECT_CONTAINS("mirror-shift", err.message);
}
