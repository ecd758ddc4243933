/* The faults of one run. */
#include "train/faults/faults.h"
#include "train/faults/burn.h"
#include "train/faults/wide_conv.h"

#include <math.h>
#include <stdlib.h>

static void make_ready(stk_faults *f)
{
    const stk_inject *w = &f->wanted;
    if (w->read_bytes_per_s > 0 || w->read_latency_s > 0)
        stk_slow_reads_init(&f->reads, w->read_bytes_per_s, w->read_latency_s);
    if (w->preprocess_s > 0 || (w->callback_s > 0 && !w->callback_sleeps))
        f->rounds_per_s = stk_burn_measure();
    f->peer.sleep_s = w->allreduce_s;
    f->peer.bytes_per_s = w->allreduce_bytes_per_s;
}

stk_status stk_faults_open(stk_faults **out, const stk_inject *inject, const char *folder,
                           stk_error *err)
{
    char text[8];
    *out = NULL;
    if (!inject || !*stk_inject_text(inject, text, sizeof text)) return STK_OK;
    stk_faults *f = calloc(1, sizeof *f);
    if (!f) return stk_fail(err, STK_E_NOMEM, "inject", NULL, "no memory for faults");
    f->wanted = *inject;
    f->folder = folder;
    make_ready(f);
    *out = f;
    return STK_OK;
}

void stk_faults_free(stk_faults *faults)
{
    if (!faults) return;
    stk_slow_reads_release(&faults->reads);
    stk_slow_peer_release(&faults->peer);
    stk_slow_write_release(&faults->write);
    free(faults->fetched);
    free(faults);
}

const stk_filesystem *stk_faults_files(stk_faults *faults)
{
    return faults && faults->reads.fs.ops ? &faults->reads.fs : NULL;
}

void stk_faults_hurry(stk_faults *faults)
{
    if (faults) stk_slow_reads_hurry(&faults->reads);
}

bool stk_faults_change_input(const stk_faults *faults)
{
    return faults && (faults->reads.fs.ops || faults->wanted.preprocess_s > 0);
}

int64_t stk_faults_copies(const stk_faults *faults)
{
    return faults ? (int64_t)round(faults->wanted.copy_times) : 0;
}

stk_symbol stk_faults_logits(const stk_faults *faults, stk_graph *g, stk_symbol logits,
                             int64_t size)
{
    if (!faults || faults->wanted.op_times <= 0) return logits;
    return stk_wide_conv(g, logits, size, faults->wanted.op_times);
}

bool stk_faults_call(const stk_faults *faults)
{
    return faults && faults->wanted.callback_s > 0;
}

void stk_faults_work(const stk_faults *faults)
{
    if (faults->wanted.callback_sleeps)
        stk_burn_sleep(faults->wanted.callback_s);
    else
        stk_burn(faults->wanted.callback_s * faults->rounds_per_s);
}

bool stk_faults_write_due(const stk_faults *faults, int64_t step)
{
    return faults && faults->wanted.write_bytes > 0 && step % faults->wanted.write_every == 0;
}

stk_status stk_faults_write(stk_faults *faults, stk_error *err)
{
    if (!faults->write.open) STK_TRY(stk_slow_write_open(&faults->write, faults->folder, err));
    return stk_slow_write_run(&faults->write, faults->wanted.write_bytes, err);
}
