// Configurations of tune's calls.
#include <cstring>

#include "tune_adapter.h"

namespace peers
{

static std::vector<struct tuned *> loaded;

static bool has_family(const struct tuned *tuned, const char *family)
{
    for (size_t i = 0; i < tuned_entry_count(tuned); i++)
        if (std::strncmp(tuned_entry_problem(tuned_entry_at(tuned, i)), family,
                         std::strlen(family)) == 0)
            return true;
    return false;
}

const struct tuned *conf(const char *family)
{
    for (const struct tuned *tuned : loaded)
        if (has_family(tuned, family))
            return tuned;
    return nullptr;
}

void use_conf(const char *path)
{
    struct tuned_error error;
    loaded.push_back(tuned_load(path, &error));
    if (!loaded.back())
        fail(error.text);
    if (loaded.size() == 1)
        tune::use(loaded.back());
}

} // namespace peers
