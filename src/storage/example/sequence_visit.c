/* Shows every entry of a SequenceExample: context features, then the steps of each list. */
#include "storage/example/example_visit.h"

#include <stoker/sequence_example.h>

enum { STEP_CONTEXT = -1, STEP_NONE = -2 };

static const stk_bytes no_key = {NULL, 0};

typedef struct visitor {
    stk_sequence_visit visit;
    void              *context;
} visitor;

static stk_status visit_context(void *context, const stk_feature_view *feature, stk_error *err)
{
    const visitor *v = context;
    return v->visit(v->context, STEP_CONTEXT, feature, err);
}

static stk_status visit_steps(const visitor *v, const stk_record_location *location, stk_bytes name,
                              stk_bytes list, stk_error *err)
{
    stk_wire         wire = stk_wire_over(list);
    stk_bytes        message;
    stk_feature_view view;
    int64_t          step = 0;
    while (stk_wire_next(&wire, 1, &message)) {
        STK_TRY(stk_feature_look(location, name, message, &view, err));
        STK_TRY(v->visit(v->context, step++, &view, err));
    }
    if (wire.fault) return stk_record_fault(err, location, name, &wire);
    if (step) return STK_OK;
    view = (stk_feature_view){.name = name, .encoded = stk_bytes_of("", 0)};
    return v->visit(v->context, STEP_NONE, &view, err);
}

static stk_status visit_lists(const visitor *v, const stk_record_location *location,
                              stk_bytes lists, stk_error *err)
{
    stk_wire  wire = stk_wire_over(lists);
    stk_bytes message, key, value;
    while (stk_wire_next(&wire, 1, &message)) {
        stk_wire entry = stk_wire_over(message);
        if (!stk_wire_entry(&entry, &key, &value))
            return stk_record_fault(err, location, key.size ? key : no_key, &entry);
        STK_TRY(visit_steps(v, location, key, value, err));
    }
    return wire.fault ? stk_record_fault(err, location, no_key, &wire) : STK_OK;
}

stk_status stk_sequence_example_visit(stk_bytes record, const char *where, stk_sequence_visit visit,
                                      void *context, stk_error *err)
{
    const stk_record_location location = {record, STK_NO_INDEX, where};
    visitor                   v = {visit, context};
    stk_wire                  wire = stk_wire_over(record), again = wire;
    stk_bytes                 message;
    while (stk_wire_next(&wire, 1, &message))
        STK_TRY(stk_features_visit(&location, message, visit_context, &v, err));
    if (wire.fault) return stk_record_fault(err, &location, no_key, &wire);
    while (stk_wire_next(&again, 2, &message))
        STK_TRY(visit_lists(&v, &location, message, err));
    return STK_OK;
}
