/* Empty files in place of headers that lie nowhere near a source. */
#include <string.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/exchange/draft.h"

/* The folders that `path` is in, below `folder` and that itself, as far as nothing else is in them.
 */
static void remove_folders(char *path, size_t folder)
{
    for (char *slash = strrchr(path, '/'); slash && slash >= path + folder;
         slash = strrchr(path, '/')) {
        *slash = '\0';
        (void)rmdir(path);
    }
}

bool draft_empty_header(struct arena *arena, struct empty_headers *headers, const char *name)
{
    if (!headers->folder || headers->count == EMPTY_HEADERS_MAX || name[0] == '/' ||
        strstr(name, ".."))
        return false;
    char *path = arena_printf(arena, "%s/%s", headers->folder, name);
    char *folder = path ? arena_strdup(arena, path) : NULL;
    if (!folder || file_exists(path))
        return false;
    static const char text[] = "/* Empty: 'tune init' found no such header. */\n";
    struct error ignored = {0};
    *strrchr(folder, '/') = '\0';
    headers->names[headers->count] = arena_strdup(arena, name);
    if (!headers->names[headers->count] || folder_make(folder, 0777, &ignored) != STATUS_OK ||
        file_write_atomically(path, text, sizeof text - 1, &ignored) != STATUS_OK)
        return false;
    headers->count++;
    return true;
}

void draft_remove_headers(struct arena *arena, const struct empty_headers *headers)
{
    for (size_t i = 0; i < headers->count; i++) {
        char *path = arena_printf(arena, "%s/%s", headers->folder, headers->names[i]);
        if (path && unlink(path) == 0)
            remove_folders(path, strlen(headers->folder));
    }
}
