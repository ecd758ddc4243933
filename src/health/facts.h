/* The facts kept of each inspected image, and the rules that use them. */
#ifndef STK_HEALTH_FACTS_H
#define STK_HEALTH_FACTS_H

#include <stoker/health.h>

enum { STK_HEALTH_GRID = 9, STK_HEALTH_CELLS = STK_HEALTH_GRID * STK_HEALTH_GRID };

typedef struct stk_health_fact {
    uint64_t   item;    /* its index in the source */
    uint64_t   content; /* a hash of its bytes */
    uint64_t   bytes;
    uint64_t   looks[2];                /* where it becomes lighter, to the right and downwards */
    uint8_t    cells[STK_HEALTH_CELLS]; /* the image in grey, of 9 by 9 pixels */
    uint8_t    format, channels, bits;
    bool       flat; /* too uniform to be compared */
    bool       turned, more_frames;
    bool       wrong_ending; /* its name says another format */
    stk_status bad;
    int32_t    width, height;
    int64_t    label;
    uint32_t   split;
} stk_health_fact;

typedef struct stk_health_facts {
    stk_health_fact  *all;
    size_t            count;
    const stk_source *source;
    stk_ledger       *ledger;
} stk_health_facts;

/* Adds a finding with its count, to be completed; NULL if full. */
stk_health_finding *stk_health_add(stk_health_report *report, const char *rule,
                                   stk_health_level level, uint64_t count);
void stk_health_say(stk_health_finding *finding, const char *format, ...) STK_PRINTF(2, 3);
/* Adds an example, if there is space. */
void stk_health_example(stk_health_finding *finding, const char *format, ...) STK_PRINTF(2, 3);
/* Sorts problems first; removes findings of count 0. */
void stk_health_sort(stk_health_report *report);
/* "cat/1.jpg"; of records "cat/1.jpg, record 7 of train-00000.tfrecord", with the name that the
 * image had before it was packed where the record has it. */
void stk_health_name(const stk_source *source, uint64_t item, char *out, size_t capacity);

/* Image inspection state of one thread. */
typedef struct stk_health_looker stk_health_looker;
STK_NODISCARD stk_status stk_health_looker_new(stk_health_looker **out, const stk_source *source,
                                               stk_ledger *ledger, stk_error *err);
void                     stk_health_looker_free(stk_health_looker *looker); /* NULL is fine */
/* Fills fact for its item. A bad image sets fact->bad and reason; an error is a failure of the run.
 */
STK_NODISCARD stk_status stk_health_look(stk_health_looker *looker, stk_health_fact *fact,
                                         stk_error *reason, stk_error *err);

/* Rules. Each adds its findings. */
STK_NODISCARD stk_status stk_health_copies(const stk_health_facts *facts, stk_health_report *report,
                                           stk_error *err);
STK_NODISCARD stk_status stk_health_near(const stk_health_facts *facts, stk_health_report *report,
                                         stk_error *err);
STK_NODISCARD stk_status stk_health_sizes(const stk_health_facts *facts, stk_health_report *report,
                                          stk_error *err);
void                     stk_health_kinds(const stk_health_facts *facts, stk_health_report *report);
STK_NODISCARD stk_status stk_health_classes(const stk_source *source, stk_health_report *report,
                                            stk_error *err);
STK_NODISCARD stk_status stk_health_class_names(const stk_source *source, stk_health_report *report,
                                                stk_error *err);

/* Whether a split is the training split. */
bool stk_health_is_train(const stk_source *source, uint32_t split);
/* The feature with the class label; NULL: none. */
const stk_feature_info *stk_health_label(const stk_source *source);

#endif
