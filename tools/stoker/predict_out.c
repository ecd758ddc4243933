/* Writes a prediction as text, JSON and CSV. */
#include "predict_out.h"

#include "text.h"

enum { BAR = 20 };

/* Partial selection sort of the shown classes. */
void cli_prediction_sort(const float *probabilities, int64_t classes, int64_t shown, int64_t *order)
{
    for (int64_t i = 0; i < classes; i++)
        order[i] = i;
    for (int64_t i = 0; i < shown; i++) {
        int64_t best = i;
        for (int64_t k = i + 1; k < classes; k++) {
            const float a = probabilities[order[k]], b = probabilities[order[best]];
            if (a > b || (a == b && order[k] < order[best])) best = k;
        }
        const int64_t other = order[i];
        order[i] = order[best];
        order[best] = other;
    }
}

static const char *name_of(const cli_prediction *p, int64_t rank)
{
    return stk_predictor_class_name(p->predictor, p->order[rank]);
}

static void print_bar(const cli_style *style, float fraction)
{
    const int length = (int)(fraction * (float)BAR + 0.5f);
    for (int i = 0; i < BAR; i++)
        fputs(i >= length ? " " : style->unicode ? "\xe2\x96\x88" : "#", stdout);
}

void cli_prediction_print(const cli_prediction *p, const cli_style *style)
{
    const bool right = p->order[0] == p->truth;
    cli_text_print(stdout, p->path);
    if (p->truth >= 0)
        printf("  %s%s%s", right ? style->good : style->bad, right ? "right" : "wrong",
               style->plain);
    printf("\n");
    for (int64_t i = 0; i < p->shown; i++) {
        const float fraction = p->probabilities[p->order[i]];
        printf("  %5.1f %%  ", 100 * (double)fraction);
        print_bar(style, fraction);
        printf("  ");
        cli_text_print(stdout, name_of(p, i));
        printf("\n");
    }
}

void cli_prediction_json(stk_json_writer *json, const cli_prediction *p)
{
    stk_json_object(json);
    stk_json_pair_string(json, "path", p->path);
    if (p->truth >= 0) {
        stk_json_pair_string(json, "truth", stk_predictor_class_name(p->predictor, p->truth));
        stk_json_pair_bool(json, "right", p->order[0] == p->truth);
    }
    stk_json_key(json, "top");
    stk_json_array(json);
    for (int64_t i = 0; i < p->shown; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "class", name_of(p, i));
        stk_json_pair_int(json, "index", p->order[i]);
        stk_json_pair_double(json, "probability", (double)p->probabilities[p->order[i]]);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    stk_json_object_end(json);
}

void cli_prediction_json_error(stk_json_writer *json, const char *path, const char *error)
{
    stk_json_object(json);
    stk_json_pair_string(json, "path", path);
    stk_json_pair_string(json, "error", error);
    stk_json_object_end(json);
}

void cli_prediction_csv_more_heading(cli_text_rows *rows, int64_t shown)
{
    for (int64_t i = 2; i <= shown; i++) {
        char text[40];
        snprintf(text, sizeof text, "class_%lld", (long long)i);
        cli_text_rows_cell(rows, text);
        snprintf(text, sizeof text, "probability_%lld", (long long)i);
        cli_text_rows_cell(rows, text);
    }
}

void cli_prediction_csv_more(cli_text_rows *rows, const stk_predictor *predictor,
                             const float *probabilities, const int64_t *order, int64_t shown)
{
    for (int64_t i = 1; i < shown; i++) {
        cli_text_rows_cell(rows, stk_predictor_class_name(predictor, order[i]));
        cli_text_rows_fraction(rows, (double)probabilities[order[i]]);
    }
}

void cli_prediction_csv_heading(cli_text_rows *rows, int64_t shown)
{
    static const char *const first[] = {"image", "true", "predicted", "right", "confidence"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        cli_text_rows_cell(rows, first[i]);
    cli_prediction_csv_more_heading(rows, shown);
    cli_text_rows_cell(rows, "error");
    cli_text_rows_end(rows);
}

void cli_prediction_csv(cli_text_rows *rows, const cli_prediction *p)
{
    const bool known = p->truth >= 0;
    cli_text_rows_cell(rows, p->path);
    cli_text_rows_cell(rows, known ? stk_predictor_class_name(p->predictor, p->truth) : "");
    cli_text_rows_cell(rows, name_of(p, 0));
    cli_text_rows_cell(rows, !known ? "" : p->order[0] == p->truth ? "1" : "0");
    cli_text_rows_fraction(rows, (double)p->probabilities[p->order[0]]);
    cli_prediction_csv_more(rows, p->predictor, p->probabilities, p->order, p->shown);
    cli_text_rows_cell(rows, "");
    cli_text_rows_end(rows);
}

void cli_prediction_csv_error(cli_text_rows *rows, const char *path, int64_t shown,
                              const char *error)
{
    enum { EMPTY = 4 }; /* after the image */
    cli_text_rows_cell(rows, path);
    for (int64_t i = 0; i < EMPTY + 2 * (shown - 1); i++)
        cli_text_rows_cell(rows, "");
    cli_text_rows_cell(rows, error);
    cli_text_rows_end(rows);
}
