/* Reading of sources, include folders, and the language standard. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/source.h"
#include "tuner/base/text.h"
#include "tuner/experiment/read.h"

bool path_near(const struct experiment *experiment, const char *name, bool data_first, bool folder,
               char absolute[PATH_MAX])
{
    const char *slash = strrchr(experiment->head.path, '/');
    const int beside = slash ? (int)(slash - experiment->head.path) : 0;
    for (int i = 0; i < 2; i++) {
        const bool in_data = (i == 0) == data_first;
        char path[PATH_MAX];
        struct stat info;
        if (name[0] == '/' ? !string_format(path, sizeof path, "%s", name)
            : in_data      ? !experiment->data_folder || !string_format(path, sizeof path, "%s/%s",
                                                                        experiment->data_folder, name)
                      : !string_format(path, sizeof path, "%.*s%s%s", beside, experiment->head.path,
                                       slash ? "/" : "", name))
            continue;
        if (stat(path, &info) == 0 && (folder ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode)) &&
            realpath(path, absolute))
            return true;
    }
    return experiment->is_recorded && string_format(absolute, PATH_MAX, "%s", name);
}

static bool find_path(struct file_reader *reader, const struct node *node, const char *subject,
                      bool folder, const char **out)
{
    const char *name = NULL;
    char absolute[PATH_MAX];
    TRY_OR_FALSE(read_text(reader, node, subject, &name));
    if (!path_near(reader->experiment, name, !folder, folder, absolute))
        return node_error(reader, node,
                          "there is no %s '%.200s' in %s, nor in the folder of this file",
                          folder ? "folder" : "file", name,
                          reader->data_folder ? reader->data_folder : "the data folder");
    *out = arena_strdup(reader->arena, absolute);
    return *out || out_of_memory(reader);
}

bool read_source(struct file_reader *reader, const struct node *node, const char **out)
{
    return find_path(reader, node, "source", false, out);
}

static bool read_units(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    TRY_OR_FALSE(need_items(reader, node, "sources", UNITS_MAX + 1));
    TRY_OR_FALSE(read_source(reader, node->first, &experiment->source));
    for (const struct node *item = node->first->next; item; item = item->next) {
        const char **unit = &experiment->units[experiment->unit_count];
        if (!read_source(reader, item, unit) || !*unit)
            return false;
        bool is_repeated = experiment->source && strcmp(*unit, experiment->source) == 0;
        for (size_t i = 0; i < experiment->unit_count && !is_repeated; i++)
            is_repeated = strcmp(*unit, experiment->units[i]) == 0;
        if (is_repeated)
            return node_error(reader, item, "'%.200s' is given a second time", item->text);
        experiment->unit_count++;
    }
    return true;
}

static bool read_standard(struct file_reader *reader, const struct node *node)
{
    static const char *const cpp[] = {"c++11", "c++14", "c++17", "c++20"};
    static const char *const c[] = {"c99", "c11", "c17", "gnu99", "gnu11", "gnu17"};
    const char *name = NULL;
    if (!node)
        return true;
    TRY_OR_FALSE(read_text(reader, node, "std", &name));
    const struct experiment *experiment = reader->experiment;
    const bool is_cpp = experiment->head.device->is_cpp ||
                        (experiment->head.compiler && !source_is_c(experiment->source));
    const char *const *words = is_cpp ? cpp : c;
    size_t count = is_cpp ? sizeof cpp / sizeof *cpp : sizeof c / sizeof *c;
    if (WORD_INDEX(name, words, count) == count)
        return node_error(reader, node, "no standard is named '%.60s'%s", name,
                          suggest(name, words, count).text);
    reader->experiment->standard = arena_printf(reader->arena, "-std=%s", name);
    return reader->experiment->standard || out_of_memory(reader);
}

/* Reads the compiler: the device's default, or another supported one. */
static bool read_compiler(struct file_reader *reader, const struct node *node)
{
    static const char *const words[] = {"nvrtc", "nvcc"};
    const char *name = NULL;
    if (!node)
        return true;
    TRY_OR_FALSE(read_text(reader, node, "compiler", &name));
    if (reader->experiment->head.compiler)
        return node_error(reader, node,
                          "'compiler' is of kernels; a function has the device's: "
                          "nvcc, on a CPU the system's");
    if (!reader->experiment->head.device->is_gpu)
        return node_error(reader, node, "'compiler' is of experiments for a GPU");
    if (strcmp(name, words[1]) == 0)
        reader->experiment->head.compiler = words[1];
    return strcmp(name, words[0]) == 0 || reader->experiment->head.compiler ||
           node_error(reader, node, "no compiler is named '%.60s'%s", name,
                      suggest(name, words, 2).text);
}

bool read_sources(struct file_reader *reader, const struct node *root)
{
    const struct node *binary = node_get(root, "binary");
    const struct node *launches = node_get(root, "launches");
    if (launches && launches->kind == NODE_LIST && node_get(launches->first, "function"))
        reader->experiment->head.compiler = BINARY_OF_FUNCTIONS;
    if (binary && reader->experiment->head.compiler)
        return node_error(reader, binary,
                          "'binary' is of kernels: declare a library's function in a source, and "
                          "name the library in 'flags'");
    if (binary) {
        /* A binary that a program launches replaces the source, so there are no compiler
         * options. */
        static const char *const others[] = {"source", "sources",  "include",
                                             "std",    "compiler", "defines"};
        if (!reader->experiment->head.device->is_gpu)
            return node_error(reader, binary, "'binary' is of experiments for a GPU");
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (node_get(root, others[i]))
                return node_error(reader, node_get(root, others[i]),
                                  "'%s' beside 'binary', which is compiled already", others[i]);
        reader->experiment->head.compiler = BINARY_AS_IT_IS;
        return find_path(reader, binary, "binary", false, &reader->experiment->source);
    }
    const struct node *source = node_get(root, "source");
    const struct node *sources = node_get(root, "sources");
    if (source && sources)
        return node_error(reader, sources,
                          "both 'source' and 'sources'; one of them names the files");
    if (!source && !sources)
        return node_error(reader, root,
                          "an experiment needs the key 'source' (or 'sources', or 'binary')");
    struct experiment *experiment = reader->experiment;
    const struct node *include = node_get(root, "include");
    TRY_OR_FALSE(
        (source ? read_source(reader, source, &experiment->source) : read_units(reader, sources)) &&
        (!include || need_items(reader, include, "include", UNITS_MAX)));
    for (const struct node *item = include ? include->first : NULL; item; item = item->next)
        TRY_OR_FALSE(find_path(reader, item, "include", true,
                               &experiment->folders[experiment->folder_count++]));
    return read_standard(reader, node_get(root, "std")) &&
           read_compiler(reader, node_get(root, "compiler"));
}
