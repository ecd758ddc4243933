/* stoker/stoker.h - everything public, for those who do not want to choose. */
#ifndef STOKER_STOKER_H
#define STOKER_STOKER_H

#include <stoker/blob.h>
#include <stoker/buffer.h>
#include <stoker/bytes.h>
#include <stoker/cancel.h>
#include <stoker/chart.h>
#include <stoker/dataset.h>
#include <stoker/dataset_info.h>
#include <stoker/dataset_operators.h>
#include <stoker/dataset_sources.h>
#include <stoker/element.h>
#include <stoker/error.h>
#include <stoker/events.h>
#include <stoker/example.h>
#include <stoker/filesystem.h>
#include <stoker/font.h>
#include <stoker/function.h>
#include <stoker/functions.h>
#include <stoker/graph.h>
#include <stoker/image.h>
#include <stoker/inspect.h>
#include <stoker/iterator.h>
#include <stoker/json.h>
#include <stoker/layers.h>
#include <stoker/ledger.h>
#include <stoker/metrics_csv.h>
#include <stoker/models.h>
#include <stoker/ops.h>
#include <stoker/pack.h>
#include <stoker/presets.h>
#include <stoker/program.h>
#include <stoker/recipe.h>
#include <stoker/record_index.h>
#include <stoker/safetensors.h>
#include <stoker/sample.h>
#include <stoker/sequence_example.h>
#include <stoker/shards.h>
#include <stoker/source.h>
#include <stoker/tensor.h>
#include <stoker/tfrecord.h>
#include <stoker/trace.h>
#include <stoker/version.h>

#endif
