/* Captures in words. */
#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/capture/capture.h"
#include "frontends/capture/library/name.h"
#include "tuner/base/array.h"

void captured_plain_name(const char *name, char *out, size_t bytes)
{
    if (!cap_plain_name(name, out, bytes))
        (void)string_format(out, bytes, "%s", name);
}

const char *instance_of_symbol(struct arena *arena, const char *symbol)
{
    static const char nameless[] = "(anonymous namespace)::", before[] = "void ";
    char *(*demangle)(const char *, char *, size_t *, int *) = NULL;
    struct text out = {0};
    size_t depth = 0;
    int failed = 0;
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&demangle, &found, sizeof found);
    char *text = demangle ? demangle(symbol, NULL, NULL, &failed) : NULL;
    const char *at =
        text && strncmp(text, before, strlen(before)) == 0 ? text + strlen(before) : "";
    while (*at && (depth > 0 || *at != '(' || strncmp(at, nameless, strlen(nameless)) == 0)) {
        if (strncmp(at, nameless, strlen(nameless)) == 0) { /* nothing that can be written */
            at += strlen(nameless);
            continue;
        }
        depth += *at == '<';
        depth -= depth > 0 && *at == '>';
        const bool is_number =
            isdigit((unsigned char)*at) && at > text && !is_name_character(at[-1]);
        const size_t length = is_number ? strspn(at, "0123456789") : 1;
        text_append_bytes(&out, at, length);
        at += length;
        at += is_number && depth > 0 ? strspn(at, "ul") : 0; /* 256u: an unsigned one */
    }
    const bool is_instance = text_ends_with(text_string(&out), ">");
    free(text);
    if (library)
        (void)dlclose(library);
    text = text_to_arena(&out, arena);
    return is_instance ? text : NULL;
}

void captured_left_out(uint32_t left_out, struct text *text)
{
    static const struct {
        uint32_t bit;
        const char *text;
    } words[] = {
        {CAP_LEFT_TOO_LARGE, "buffers beyond --max-bytes"},
        {CAP_LEFT_UNREADABLE,
         "memory that could not be read, or a stream that did not end within a minute"},
        {CAP_LEFT_TEXTURE, "a texture or surface"},
        {CAP_LEFT_CAPTURING,
         "contents: it became a node of a graph, or a stream was being captured into one"},
        {CAP_LEFT_LAYOUT,
         "parameters: this driver does not report their sizes (drivers from CUDA 12.4 on do)"},
        {CAP_LEFT_WRITING, "data for which the disk had no room"},
        {CAP_LEFT_BUFFERS, "buffers or addresses beyond those that are followed"},
        {CAP_LEFT_AFTER, "contents after it: the launch failed or did not end within a minute"},
        {CAP_LEFT_ARRAY, "memory that is no plain range"},
        {CAP_LEFT_MEMORY, "contents: the host's memory was short"},
        {CAP_LEFT_IMAGE, "the image: it was loaded where it was not seen"},
    };
    const char *between = "";
    for (size_t i = 0; i < COUNT(words); i++)
        if ((left_out & words[i].bit) != 0) {
            text_printf(text, "%s%s", between, words[i].text);
            between = "; ";
        }
}
