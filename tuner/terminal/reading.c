#include "tuner/terminal/reading.h"

#include <stdio.h>

#include "tuner/base/files.h"
#include "tuner/base/shell.h"
#include "tuner/terminal/command.h"
#include "tuner/terminal/style.h"

const char default_database[] = "tune.db";

enum status reading_open(const char **path, struct store **out, struct error *error)
{
    char room[SHELL_WORD_BYTES];
    if (*path == default_database && !file_exists(*path) && file_exists(REPLAYED_DATABASE)) {
        *path = REPLAYED_DATABASE;
        print_clean(stderr, "tune: there is no %s here: this is of %s, of a replay\n",
                    default_database, *path);
    }
    enum status status = store_open(*path, STORE_VIEW, out, error);
    if (status == STATUS_OK && store_copied_version(*out) > 0)
        print_clean(
            stderr,
            "tune: %s is of an older tune (schema %lld): a copy is read; 'tune merge NEW.db "
            "%s' makes one that is read as it is\n",
            *path, (long long)store_copied_version(*out), shell_word(*path, room));
    if (status == STATUS_OK)
        status = store_hold(*out, error);
    if (status != STATUS_OK) {
        store_close(*out);
        *out = NULL;
    }
    return status;
}
