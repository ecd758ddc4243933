/* Shared by the visitors of Example and SequenceExample. */
#ifndef STK_STORAGE_EXAMPLE_EXAMPLE_VISIT_H
#define STK_STORAGE_EXAMPLE_EXAMPLE_VISIT_H

#include "storage/example/example_text.h"

#include <stoker/example.h>

/* Describes one Feature message and checks that its values can be read. */
STK_NODISCARD stk_status stk_feature_look(const stk_record_location *location, stk_bytes name,
                                          stk_bytes message, stk_feature_view *view,
                                          stk_error *err);

/* Calls visit for every entry of a Features message. */
STK_NODISCARD stk_status stk_features_visit(const stk_record_location *location, stk_bytes features,
                                            stk_feature_visit visit, void *context, stk_error *err);

#endif
