// What tune's calls go by.
#include "tune_adapter.h"

namespace peers
{

static struct tuned *loaded;

const struct tuned *conf()
{
    return loaded;
}

void use_conf(const char *path)
{
    struct tuned_error error;
    loaded = tuned_load(path, &error);
    if (!loaded)
        fail(error.text);
}

} // namespace peers
