#include "tuner/device/traits.h"

#include <string.h>

#include "tuner/base/text.h"

#define KINDS_LEFT_OUT_TOO
#define KIND(folder, ...) {__VA_ARGS__},
const struct device_traits device_traits_list[] = {
#include "tuner/device/kinds.inc"
};
const size_t device_traits_count = sizeof device_traits_list / sizeof *device_traits_list;

const struct device_traits *device_traits(const char *kind)
{
    static const struct device_traits unknown = {
        .kind = "",
        .about = "a kind that this tune does not know",
        .section = "",
        .by_name_only = true,
        .is_gpu = true,
        .blocks_to_judge = 1,
        .unit_fact = "sm_count",
        .unit_word = "units",
        .driver_word = "driver ",
        .clock_word = "clock",
    };
    for (size_t i = 0; kind && i < device_traits_count; i++)
        if (strcmp(device_traits_list[i].kind, kind) == 0)
            return &device_traits_list[i];
    return &unknown;
}

const struct device_traits *device_traits_of_section(const char *section)
{
    const size_t index = ROW_INDEX(section, device_traits_list, section);
    return index < device_traits_count ? &device_traits_list[index] : NULL;
}

size_t device_sections(const char *out[DEVICE_SECTIONS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < device_traits_count && count < DEVICE_SECTIONS_MAX; i++)
        if (device_traits_of_section(device_traits_list[i].section) == &device_traits_list[i])
            out[count++] = device_traits_list[i].section;
    return count;
}

void device_name(const char *kind, int index, char out[DEVICE_NAME_BYTES])
{
    if (index == 0 && device_traits(kind)->is_single)
        (void)string_format(out, DEVICE_NAME_BYTES, "%s", kind);
    else
        (void)string_format(out, DEVICE_NAME_BYTES, "%s:%d", kind, index);
}

const char *device_full_name(const char *text, char out[DEVICE_NAME_BYTES])
{
    if (!text || !*text || text[strspn(text, "0123456789")] != '\0' ||
        !string_format(out, DEVICE_NAME_BYTES, "%s:%s", device_traits_list[0].kind, text))
        return text;
    return out;
}

const struct device_traits *device_traits_replayed(const char *text)
{
    for (size_t i = 0; text && i < device_traits_count; i++) {
        const struct device_traits *traits = &device_traits_list[i];
        const size_t length = strlen(traits->kind);
        if (traits->is_replayed && strncmp(text, traits->kind, length) == 0 &&
            strchr(":,", text[length]))
            return traits;
    }
    return NULL;
}

const char *device_replayed_name(const char *text)
{
    const struct device_traits *traits = device_traits_replayed(text);
    const size_t length = traits ? strlen(traits->kind) : 0;
    if (!traits)
        return NULL;
    return text[length] == ':' ? text + length + 1 : text + length;
}
