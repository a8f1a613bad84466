/* A stand-in libnvrtc: "compiling" writes down the defines, and a kernel's template arguments as if
 * they were defines. */
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/faults/driver/script.h"

enum { NAMES_MAX = 32, NAME_BYTES = 512, LOG_BYTES = 1024 };

struct _nvrtcProgram {
    struct image image;
    char *source;
    char names[NAMES_MAX][NAME_BYTES]; /* as asked for */
    char lowered[NAMES_MAX][NAME_BYTES];
    size_t name_count;
    char log[LOG_BYTES];
};

static nvrtcResult enter(const char *call, const struct image *image)
{
    struct subject subject = {.image = image};
    struct fault fault;
    return script_match(call, &subject, 1, &fault) ? (nvrtcResult)script_perform(&fault)
                                                   : NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
    switch (result) {
    case NVRTC_SUCCESS:
        return "NVRTC_SUCCESS";
    case NVRTC_ERROR_OUT_OF_MEMORY:
        return "NVRTC_ERROR_OUT_OF_MEMORY";
    case NVRTC_ERROR_COMPILATION:
        return "NVRTC_ERROR_COMPILATION";
    default:
        return "NVRTC_ERROR_INTERNAL_ERROR";
    }
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return enter(__func__, NULL);
}

static const int architectures[] = {75, 80, 86, 90, 100, 120};

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    *count = sizeof architectures / sizeof *architectures;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *out)
{
    memcpy(out, architectures, sizeof architectures);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name,
                               int header_count, const char *const *headers,
                               const char *const *header_names)
{
    (void)header_count;
    (void)headers;
    (void)header_names;
    struct _nvrtcProgram *program = calloc(1, sizeof *program);
    if (!program)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    program->source = strdup(source);
    if (!program->source) {
        free(program);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    (void)snprintf(program->image.source, sizeof program->image.source, "%s", name);
    *out = program;
    return enter(__func__, &program->image);
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    free((*program)->source);
    free(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

static void define(struct image *image, const char *name, const char *value, size_t length)
{
    char text[64];
    if (length >= sizeof text || image_define(image, name))
        return;
    memcpy(text, value, length);
    text[length] = '\0';
    (void)image_add_define(image, name, strlen(name), text);
}

/* Defines the word behind the first `mark`, if there is one. */
static void define_behind(struct image *image, const char *name, const char *mark, const char *text)
{
    const char *found = strstr(text, mark);
    if (found)
        define(image, name, found + strlen(mark), strcspn(found + strlen(mark), ",> "));
}

/* Reads tune::KERNEL<tune::OPERATOR, tune::TYPE, tune::policy<BLOCK, COUNT, LOADS, ...>, ...>, a
 * kernel of kernels/reduce/. */
static void take_template(struct image *image, const char *name)
{
    static const char *const numbers[] = {"BLOCK", "VECTOR", "LOADS", "MIN_BLOCKS"};
    const char *arguments = strstr(name, "<tune::");
    const char *policy = strstr(name, "tune::policy<");
    const char *type = arguments ? strstr(arguments, ", tune::") : NULL;
    if (!type || !policy)
        return;
    define_behind(image, "OPERATOR", "<tune::", arguments);
    define_behind(image, "TYPE", ", tune::", type);
    define_behind(image, "STEP", "tune::step::", policy);
    define_behind(image, "CACHE", "tune::cache::", policy);
    define_behind(image, "MAP", "tune::map::", policy);
    define_behind(image, "FINISH", "tune::finish::", policy);
    if (strncmp(name, "tune::reduce_cluster<", 21) == 0)
        define_behind(image, "CLUSTER", ">, ", policy);
    policy += strlen("tune::policy<");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        size_t length = strcspn(policy, ", ");
        define(image, numbers[i], policy, length);
        policy += length + strspn(policy + length, ", ");
    }
}

/* Returns the name in the binary of a kernel, or of a variable whose address is requested: its bare
 * name. */
static const char *bare_name(const char *name)
{
    name += *name == '&';
    return strncmp(name, "tune::", 6) == 0 ? name + 6 : name;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *name)
{
    if (program->name_count == NAMES_MAX || strlen(name) >= NAME_BYTES)
        return NVRTC_ERROR_INVALID_INPUT;
    size_t i = program->name_count++;
    (void)snprintf(program->names[i], NAME_BYTES, "%s", name);
    (void)snprintf(program->lowered[i], NAME_BYTES, "%.*s", (int)strcspn(bare_name(name), "<"),
                   bare_name(name));
    take_template(&program->image, name);
    return NVRTC_SUCCESS;
}

static bool take_option(struct image *image, const char *option)
{
    static const char architecture[] = "--gpu-architecture=";
    if (strncmp(option, architecture, sizeof architecture - 1) == 0) {
        (void)snprintf(image->architecture, sizeof image->architecture, "%.15s",
                       option + sizeof architecture - 1);
        return true;
    }
    if (strncmp(option, "-D", 2) != 0)
        return true;
    size_t length = strcspn(option + 2, "=");
    const char *value = option + 2 + length;
    return image_add_define(image, option + 2, length, *value ? value + 1 : "1");
}

/* Logs kernels as ptxas does with --ptxas-options=-v. */
static void tell_of_kernels(struct _nvrtcProgram *program)
{
    size_t used = 0;
    for (size_t i = 0; i < program->name_count && used < LOG_BYTES; i++)
        used += (size_t)snprintf(program->log + used, LOG_BYTES - used,
                                 "ptxas info    : Function properties for %s\n"
                                 "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n",
                                 program->lowered[i]);
}

/* Compiles a program. A rule may aim at a define, so the defines are read first. */
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char *const *options)
{
    struct image *image = &program->image;
    for (int i = 0; i < option_count; i++)
        if (!take_option(image, options[i]))
            return NVRTC_ERROR_INVALID_OPTION;
    nvrtcResult result = enter(__func__, image);
    if (result == NVRTC_ERROR_COMPILATION)
        (void)snprintf(program->log, LOG_BYTES,
                       "%s(1): error: this configuration does not compile, as the script wants\n\n"
                       "1 error detected in the compilation of \"%s\".\n",
                       image->source, image->source);
    for (size_t i = 0; i < program->name_count && result == NVRTC_SUCCESS; i++) {
        if (strstr(program->source, program->lowered[i]))
            continue;
        (void)snprintf(program->log, LOG_BYTES, "%s: error: identifier \"%s\" is undefined\n",
                       image->source, program->lowered[i]);
        result = NVRTC_ERROR_COMPILATION;
    }
    if (result == NVRTC_SUCCESS)
        tell_of_kernels(program);
    return result;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
    *bytes = strlen(program->log) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *out)
{
    memcpy(out, program->log, strlen(program->log) + 1);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *name, const char **out)
{
    for (size_t i = 0; i < program->name_count; i++) {
        *out = program->lowered[i];
        if (strcmp(program->names[i], name) == 0)
            return NVRTC_SUCCESS;
    }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
    *bytes = image_write(&program->image, NULL, 0);
    return enter(__func__, &program->image);
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes)
{
    (void)program;
    *bytes = 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *out)
{
    (void)program;
    *out = '\0';
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *out)
{
    (void)image_write(&program->image, out, image_write(&program->image, NULL, 0));
    return NVRTC_SUCCESS;
}
