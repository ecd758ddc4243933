/* Files often mistaken for weights: above all PyTorch's pickles. */
#include "storage/weights/other_weights.h"
#include <string.h>

#define CONVERT                                                                                    \
    "python3 -c \"import torch,safetensors.torch as s; "                                           \
    "s.save_file(torch.load('A.pth',weights_only=True),'A.safetensors')\""

static const char pickle[] = "a PyTorch file (a pickle), not safetensors; reading a pickle can run "
                             "code, so it is not read. Convert it: " CONVERT;

/* begin: the file's first bytes; within: text that the first bytes hold, NULL: any. */
static const struct {
    const char *begin;
    size_t      length;
    const char *within, *what;
} kinds[] = {
    {"PK\3\4", 4, "data.pkl", pickle},
    {"PK\3\4", 4, ".npy",
     "a NumPy archive (.npz), not safetensors; save it with safetensors.numpy"},
    {"PK\3\4", 4, "metadata.json",
     "a Keras file (.keras), not safetensors; there is no model of ours to put it into"},
    {"PK\3\4", 4, NULL, "a zip archive, not safetensors"},
    {"\x80\2", 2, NULL, pickle},
    {"\x80\3", 2, NULL, pickle},
    {"\x80\4", 2, NULL, pickle},
    {"\x80\5", 2, NULL, pickle},
    {"\x89HDF\r\n", 6, NULL,
     "an HDF5 file (Keras .h5), not safetensors; there is no model of ours to put it into"},
    {"\x93NUMPY", 6, NULL, "a NumPy array (.npy), not safetensors; save it with safetensors.numpy"},
    {"GGUF", 4, NULL, "a GGUF file, not safetensors: it is of language models"},
};

static bool holds(stk_bytes text, const char *part)
{
    const size_t length = strlen(part);
    for (size_t i = 0; i + length <= text.size; i++)
        if (memcmp(text.data + i, part, length) == 0) return true;
    return false;
}

bool stk_other_weights_fail(stk_bytes begin, const char *path, stk_error *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (begin.size < kinds[i].length || memcmp(begin.data, kinds[i].begin, kinds[i].length))
            continue;
        if (kinds[i].within && !holds(begin, kinds[i].within)) continue;
        return stk_fail(err, STK_E_FORMAT, "weights", path, "it is %s", kinds[i].what) != STK_OK;
    }
    return false;
}
