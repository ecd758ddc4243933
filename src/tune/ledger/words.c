/* Names of classes and decisions. */
#include <stoker/tune.h>

const char *stk_tune_class_name(stk_tune_class kind)
{
    static const char *const names[] = {"exact", "equal", "learning"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

const char *stk_tune_decision_name(stk_tune_decision decision)
{
    static const char *const names[] = {"kept",      "no gain", "slower",
                                        "undecided", "refused", "failed"};
    return (unsigned)decision < sizeof names / sizeof *names ? names[decision] : "?";
}
