/* The loop that somebody would write by hand around libjpeg-turbo: the peer of the image
 * benchmarks. Photos lie in memory; each is decoded where its random window is, resampled and put
 * into a batch. No queue, no order, no file: what is measured is the work itself.
 *
 *     bare_loop FOLDER [--small] [--fast] [--threads N] [--rounds N] [--seconds S] [--dump FILE]
 *
 * Random resized crop to 224 and flip; --small: of 32 by 32 images, pad by 4, random crop, flip.
 * --fast takes the decoder's rougher arithmetic, whose pixels differ from Pillow's. Prints one JSON
 * object. --dump instead makes one sample, writes it as PPM and prints where it was cut out. */
#include "../bench.h"

#include "bare_resize.h"
#include "bare_sample.h"

#include <ftw.h>
#include <getopt.h>
#include <pthread.h>
#include <string.h>

enum { BATCH = 64, MOST_THREADS = 256, MOST_ROUNDS = 64, OPEN_FOLDERS = 16 };

typedef struct settings {
    bare_task   task;
    bool        fast;
    int         threads, rounds;
    double      seconds;
    const char *folder, *dump;
} settings;

typedef struct album {
    bare_photo *photos;
    size_t      count, scratch;
} album;

/* nftw has no context argument. */
static album *collected;

static void stop(const char *what, const char *where)
{
    fprintf(stderr, "bare_loop: %s: %s\n", where, what);
    exit(1);
}

static void load(bare_photo *photo, const char *path, size_t bytes)
{
    FILE *file = fopen(path, "rb");
    *photo = (bare_photo){strdup(path), malloc(bytes ? bytes : 1), bytes};
    if (!file || !photo->data || !photo->path || fread(photo->data, 1, bytes, file) != bytes)
        stop("cannot be read", path);
    fclose(file);
}

static int collect(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
    const char *end = strrchr(path, '.');
    (void)at;
    if (kind != FTW_F || !end || (strcasecmp(end, ".jpg") && strcasecmp(end, ".jpeg"))) return 0;
    if (collected->count == collected->scratch) {
        collected->scratch = collected->scratch ? collected->scratch * 2 : 1024;
        collected->photos =
            realloc(collected->photos, collected->scratch * sizeof *collected->photos);
        if (!collected->photos) stop("no memory", path);
    }
    load(&collected->photos[collected->count++], path, (size_t)stat->st_size);
    return 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const bare_photo *)a)->path, ((const bare_photo *)b)->path);
}

static void release(album *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->photos[i].path);
        free(all->photos[i].data);
    }
    free(all->photos);
}

typedef struct worker {
    pthread_t       thread;
    const settings *settings;
    const album    *all;
    bare_worker    *samples;
    uint8_t        *batch;
    size_t         *order;
    size_t          next;
    double          seconds;
    uint64_t        made;
} worker;

static void shuffle(worker *w)
{
    for (size_t i = w->all->count; i > 1; i--) {
        const size_t other = (size_t)bare_worker_random(w->samples, i), kept = w->order[i - 1];
        w->order[i - 1] = w->order[other];
        w->order[other] = kept;
    }
    w->next = 0;
}

static void fill_batch(worker *w)
{
    const size_t bytes = bare_sample_bytes(w->settings->task);
    bare_window  window;
    for (int i = 0; i < BATCH; i++) {
        if (w->next == w->all->count) shuffle(w);
        const bare_photo *photo = &w->all->photos[w->order[w->next++]];
        if (!bare_sample_make(w->samples, photo, w->batch + (size_t)i * bytes, &window)) exit(1);
    }
    w->made += BATCH;
}

static void *work(void *context)
{
    worker      *w = context;
    const double begin = bench_seconds();
    w->made = 0;
    do {
        fill_batch(w);
        w->seconds = bench_seconds() - begin;
    } while (w->seconds < w->settings->seconds);
    return NULL;
}

static void prepare(worker *w, const settings *s, const album *all, uint64_t seed)
{
    *w = (worker){.settings = s, .all = all, .samples = bare_worker_new(s->task, s->fast, seed)};
    w->batch = malloc(bare_sample_bytes(s->task) * BATCH + BARE_SLACK);
    w->order = malloc(all->count * sizeof *w->order);
    if (!w->samples || !w->batch || !w->order) stop("no memory", s->folder);
    for (size_t i = 0; i < all->count; i++)
        w->order[i] = i;
    shuffle(w);
}

static void finish(worker *w)
{
    bare_worker_free(w->samples);
    free(w->batch);
    free(w->order);
}

/* Samples a second on all threads. */
static double run_round(worker *workers, int count)
{
    double rate = 0;
    for (int i = 0; i < count; i++)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            stop("cannot be started", "thread");
    for (int i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
        rate += (double)workers[i].made / workers[i].seconds;
    }
    return rate;
}

static void measure(const settings *s, const album *all)
{
    worker workers[MOST_THREADS];
    double rates[MOST_ROUNDS];
    for (int i = 0; i < s->threads; i++)
        prepare(&workers[i], s, all, (uint64_t)i + 1);
    for (int i = 0; i < s->threads; i++)
        fill_batch(&workers[i]);
    for (int i = 0; i < s->rounds; i++)
        rates[i] = run_round(workers, s->threads);
    qsort(rates, (size_t)s->rounds, sizeof *rates, bench_compare);
    printf("{\"samples_per_s\": %.1f, \"worst\": %.1f, \"best\": %.1f, \"rounds\": %d, "
           "\"threads\": %d, \"photos\": %zu, \"task\": \"%s\", \"fast\": %s}\n",
           rates[s->rounds / 2], rates[0], rates[s->rounds - 1], s->rounds, s->threads, all->count,
           s->task == BARE_SMALL ? "small" : "crop", s->fast ? "true" : "false");
    for (int i = 0; i < s->threads; i++)
        finish(&workers[i]);
}

static void dump(const settings *s, const album *all)
{
    const int   side = s->task == BARE_SMALL ? BARE_SMALL_SIDE : BARE_SIDE;
    worker      w;
    bare_window window;
    prepare(&w, s, all, (uint64_t)(bench_seconds() * 1e9));
    const bare_photo *photo = &all->photos[w.order[0]];
    FILE             *file = fopen(s->dump, "wb");
    if (!file || !bare_sample_make(w.samples, photo, w.batch, &window))
        stop("cannot be written", s->dump);
    fprintf(file, "P6\n%d %d\n255\n", side, side);
    fwrite(w.batch, 1, bare_sample_bytes(s->task), file);
    fclose(file);
    printf(
        "{\"path\": \"%s\", \"x\": %d, \"y\": %d, \"width\": %d, \"height\": %d, \"flip\": %d}\n",
        photo->path, window.x, window.y, window.width, window.height, window.flip);
    finish(&w);
}

static bool parse(settings *s, int argc, char **argv)
{
    static const struct option options[] = {{"small", no_argument, NULL, 'm'},
                                            {"fast", no_argument, NULL, 'f'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"rounds", required_argument, NULL, 'r'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"dump", required_argument, NULL, 'd'},
                                            {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'm') s->task = BARE_SMALL;
        if (c == 'f') s->fast = true;
        if (c == 't') s->threads = atoi(optarg);
        if (c == 'r') s->rounds = atoi(optarg);
        if (c == 's') s->seconds = atof(optarg);
        if (c == 'd') s->dump = optarg;
        if (c == '?') return false;
    }
    s->folder = optind == argc - 1 ? argv[optind] : NULL;
    return s->folder && s->threads >= 1 && s->threads <= MOST_THREADS && s->rounds >= 1 &&
           s->rounds <= MOST_ROUNDS;
}

int main(int argc, char **argv)
{
    settings s = {.threads = 1, .rounds = 5, .seconds = 1};
    album    all = {0};
    if (!parse(&s, argc, argv)) {
        fprintf(stderr, "usage: bare_loop FOLDER [--small] [--fast] [--threads N] [--rounds N] "
                        "[--seconds S] [--dump FILE]\n");
        return 2;
    }
    if (!__builtin_cpu_supports("avx2")) stop("has no AVX2", "this processor");
    collected = &all;
    if (nftw(s.folder, collect, OPEN_FOLDERS, FTW_PHYS) || !all.count)
        stop("no folder with .jpg or .jpeg files", s.folder);
    qsort(all.photos, all.count, sizeof *all.photos, by_path);
    if (s.dump)
        dump(&s, &all);
    else
        measure(&s, &all);
    release(&all);
    return 0;
}
