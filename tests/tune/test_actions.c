/* What actions propose. */
#include "harness.h"
#include "tune/actions/actions.h"

typedef struct machine {
    stk_train_recipe recipe, asked;
    stk_profile      profile;
    stk_diagnosis    diagnosis;
    stk_lint_machine machine;
} machine;

static void init(machine *m, int threads, int input_threads)
{
    stk_train_recipe_init(&m->asked);
    m->recipe = m->asked;
    stk_profile_init(&m->profile);
    m->diagnosis = (stk_diagnosis){0};
    m->machine = (stk_lint_machine){.cores = 4, .physical = 4};
    m->recipe.knobs.threads = threads;
    m->recipe.knobs.input_threads = input_threads;
}

static void propose(const machine *m, stk_tune_candidates *out)
{
    const stk_action_context c = {.recipe = &m->recipe,
                                  .asked = &m->asked,
                                  .profile = &m->profile,
                                  .diagnosis = &m->diagnosis,
                                  .machine = &m->machine};
    *out = (stk_tune_candidates){0};
    stk_action_threads.propose(&stk_action_threads, &c, out);
}

static size_t with_key(const stk_tune_candidates *list, const char *key)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += stk_tune_setting_get(&list->list[i].change, key) != NULL;
    return count;
}

STK_TEST(a_division_of_threads_sets_only_what_it_changes)
{
    static machine             m;
    static stk_tune_candidates list;
    init(&m, 2, 2);
    propose(&m, &list); /* both are open: each follows the other, so both are set */
    EXPECT(list.count > 4);
    EXPECT_INT_EQ(list.count, with_key(&list, "knobs.threads"));
    EXPECT_INT_EQ(list.count, with_key(&list, "knobs.input_threads"));
    m.asked.knobs.threads = m.asked.knobs.input_threads = 2;
    propose(&m, &list);
    EXPECT(with_key(&list, "knobs.threads") < list.count);
    EXPECT(with_key(&list, "knobs.input_threads") < list.count);
    for (size_t i = 0; i < list.count; i++)
        EXPECT(list.list[i].change.count > 0);
    stk_profile_release(&m.profile);
}
