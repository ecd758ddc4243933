/* Runs a fuzz target once over each file of a folder: its seeds, which hold every input that was
 * ever found, as a test without a fuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return 1;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    /* Exactly as large as the input, so that a read past its end is seen. */
    uint8_t  *data = malloc(size > 0 ? (size_t)size : 1);
    const int failed = !data || size < 0 || fread(data, 1, (size_t)size, file) != (size_t)size;
    if (!failed) LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    fclose(file);
    return failed;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
    int count = 0, failed = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        failed |= replay(path);
        count++;
    }
    closedir(folder);
    printf("%d seeds\n", count);
    return failed || !count;
}
