#include "tuner/base/source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"

enum { SOURCE_BYTES_MAX = 16 << 20, FILES_MAX = 1024, DEPTH_MAX = 64, BRANCHES_MAX = 1024 };

enum guard { GUARD_NONE, GUARD_ONCE, GUARD_IFNDEF };

struct file {
    const char *path;
    const char *text;
    size_t length;
    struct stat info;
    enum guard guard;
    size_t open; /* number of times the file is being inlined now */
    /* Branch in which the file was inlined; until that branch ends the file's guard makes every
     * later copy empty. */
    size_t branch;
};

struct reader {
    struct arena *arena;
    struct error *error;
    const char *const *folders; /* include folders */
    size_t folder_count;
    struct file *files;
    size_t file_count;
    size_t depth;
    /* Numbers of the #if branches around the current place, include guards excluded; below them 1,
     * the whole text. */
    size_t branches[BRANCHES_MAX];
    size_t branch_count, last_branch;
    struct text text;
    struct text contents;
};

/* One line of a file. */
struct line {
    const char *start;
    const char *end;       /* behind the newline */
    const char *directive; /* the word behind '#', of `word` characters; NULL: no directive */
    size_t word;
    const char *operand; /* text behind the word, blanks skipped */
    bool code;           /* has more than blanks and comments */
};

/* Returns the first character from `at` on that is neither blank nor comment; `*comment` is whether
 * a comment is open, before and after. */
static const char *skip_space(const char *at, const char *end, bool *comment)
{
    while (at < end) {
        if (*comment) {
            const char *close = memmem(at, (size_t)(end - at), "*/", 2);
            if (!close)
                return end;
            *comment = false;
            at = close + 2;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
            *comment = true;
            at += 2;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
            return end;
        } else if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n' || *at == '\f') {
            at++;
        } else {
            return at;
        }
    }
    return end;
}

/* Parses the next line; `*comment` as in skip_space. */
static struct line take_line(const char *start, const char *end, bool *comment)
{
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    struct line line = {.start = start, .end = newline ? newline + 1 : end};
    const char *at = skip_space(start, line.end, comment);
    line.code = at < line.end;
    if (line.code && *at == '#') {
        line.directive = skip_blanks(at + 1, line.end);
        line.word = word_bytes(line.directive, line.end);
        line.operand = skip_blanks(line.directive + line.word, line.end);
    }
    /* The rest of the line updates `*comment`. An apostrophe within a word or number begins no
     * literal; one that is not closed goes to the line's end. */
    for (const char *const begin = at; at < line.end; at = skip_space(at, line.end, comment)) {
        const char quote = *at++;
        if (quote != '"' && (quote != '\'' || (at - 1 > begin && is_name_character(at[-2]))))
            continue;
        while (at < line.end && *at != quote)
            at += *at == '\\' && at + 1 < line.end ? 2 : 1;
        at += at < line.end ? 1 : 0;
    }
    return line;
}

static bool is_directive(const struct line *line, const char *word)
{
    return line->directive && line->word == strlen(word) &&
           memcmp(line->directive, word, line->word) == 0;
}

static bool opens(const struct line *line)
{
    return is_directive(line, "if") || is_directive(line, "ifdef") || is_directive(line, "ifndef");
}

static bool same_operand(const struct line *a, const struct line *b)
{
    size_t length = a->operand && b->operand ? word_bytes(a->operand, a->end) : 0;
    return length > 0 && length == word_bytes(b->operand, b->end) &&
           memcmp(a->operand, b->operand, length) == 0;
}

static bool is_once(const struct line *line)
{
    return is_directive(line, "pragma") && line->operand &&
           word_bytes(line->operand, line->end) == 4 && memcmp(line->operand, "once", 4) == 0;
}

/* Finds a guard around the whole file: `#ifndef X`, `#define X` inside, `#endif`, and no code
 * outside; or #pragma once. */
static enum guard find_guard(const char *text, size_t length)
{
    const char *end = text + length;
    struct line first = {.start = NULL};
    size_t lines = 0, depth = 0;
    bool comment = false, whole = true, closed = false, defined = false;
    for (const char *at = text; at < end;) {
        struct line line = take_line(at, end, &comment);
        at = line.end;
        if (!line.code)
            continue;
        if (is_once(&line))
            return GUARD_ONCE;
        lines++;
        whole = whole && !closed;
        if (lines == 1) {
            first = line;
            whole = is_directive(&line, "ifndef");
        } else if (depth == 1 && is_directive(&line, "define")) {
            defined |= same_operand(&first, &line);
        } else if (depth == 1 && line.word >= 4 && line.directive &&
                   memcmp(line.directive, "el", 2) == 0) {
            whole = false; /* #else, #elif */
        }
        depth += opens(&line) ? 1 : 0;
        if (is_directive(&line, "endif") && depth > 0)
            closed = --depth == 0;
    }
    return whole && closed && defined ? GUARD_IFNDEF : GUARD_NONE;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Reads the file, or finds one that was read before; NULL with the error set. */
static struct file *open_file(struct reader *reader, const char *path, const struct stat *info)
{
    for (size_t i = 0; i < reader->file_count; i++)
        if (is_same_file(&reader->files[i].info, info))
            return &reader->files[i];
    if (reader->file_count == FILES_MAX) {
        (void)error_set(reader->error, STATUS_BAD_INPUT, "%s: includes more than %d files",
                        reader->files[0].path, FILES_MAX - 1);
        return NULL;
    }
    struct file *file = &reader->files[reader->file_count];
    char *text = NULL;
    if (file_read(reader->arena, path, SOURCE_BYTES_MAX, &text, &file->length, reader->error) !=
        STATUS_OK)
        return NULL;
    if (file->length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3; /* a byte order mark, which NVRTC takes for a token */
        file->length -= 3;
    }
    file->path = path;
    file->text = text;
    file->info = *info;
    file->guard = find_guard(text, file->length);
    reader->file_count++;
    return file;
}

/* Opens an existing file; *out stays NULL without one. Refuses files without an end (/dev/zero, a
 * FIFO), which would block a compiler until its time limit. */
static enum status try_file(struct reader *reader, const char *path, struct file **out)
{
    struct stat info;
    if (!path)
        return error_no_memory(reader->error);
    if (stat(path, &info) != 0 || S_ISDIR(info.st_mode))
        return STATUS_OK;
    if (!S_ISREG(info.st_mode))
        return error_set(reader->error, STATUS_BAD_INPUT, "%s: included, and no regular file",
                         path);
    *out = open_file(reader, path, &info);
    return *out ? STATUS_OK : reader->error->status;
}

/* Returns whether the folder holds a CUDA toolkit's headers: thousands of files, identified by the
 * compiler's version. */
static bool is_toolkit(struct arena *arena, const char *folder)
{
    static const char *const marks[] = {"cuda_fp16.h", "cub/cub.cuh", "cuda/std/cstdint"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *path = arena_printf(arena, "%s/%s", folder, marks[i]);
        if (path && file_exists(path))
            return true;
    }
    return false;
}

/* Returns whether a header belongs to C, C++ or POSIX: each compiler has its own, and a project's
 * folder of such headers is for systems without them. */
static bool is_system(const char *name)
{
    static const char names[] =
        "assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h "
        "math.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h "
        "stdio.h stdlib.h stdnoreturn.h string.h tgmath.h threads.h time.h uchar.h wchar.h "
        "wctype.h dirent.h dlfcn.h fcntl.h getopt.h glob.h libgen.h netdb.h poll.h pthread.h "
        "pwd.h regex.h sched.h semaphore.h strings.h syslog.h termios.h unistd.h "
        "arpa/inet.h netinet/in.h sys/ioctl.h sys/mman.h sys/param.h sys/resource.h sys/select.h "
        "sys/socket.h sys/stat.h sys/time.h sys/times.h sys/types.h sys/uio.h sys/utsname.h "
        "sys/wait.h cassert ccomplex cctype cerrno cfenv cfloat cinttypes climits clocale cmath "
        "csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cwchar algorithm "
        "array atomic bit bitset chrono complex functional initializer_list iostream iterator "
        "limits list map memory mutex new numeric optional queue random set span sstream "
        "stdexcept string string_view thread tuple type_traits unordered_map unordered_set "
        "utility variant vector";
    return word_is_in(name, strlen(name), names);
}

/* Finds the file of `#include "name"` in `from` or, if `angled`, of `#include <name>`. *out is NULL
 * when there is none. */
static enum status find_file(struct reader *reader, const struct file *from, const char *name,
                             bool angled, struct file **out)
{
    struct arena *arena = reader->arena;
    const char *const own[] = {from->path, reader->files[0].path};
    *out = NULL;
    for (size_t i = 0; i < 2 && !angled && !*out; i++) {
        const char *slash = *name == '/' ? NULL : strrchr(own[i], '/');
        const char *folder =
            slash ? arena_strndup(arena, own[i], (size_t)(slash - own[i]) + 1) : "";
        TRY(try_file(reader, folder ? arena_printf(arena, "%s%s", folder, name) : NULL, out));
    }
    /* leave absolute <...> to the compiler, unless the file is not regular */
    if (angled && *name == '/') {
        struct stat info;
        return stat(name, &info) == 0 && S_ISREG(info.st_mode) ? STATUS_OK
                                                               : try_file(reader, name, out);
    }
    if (angled && is_system(name))
        return STATUS_OK;
    for (size_t i = 0; i < reader->folder_count && !*out; i++)
        if (!is_toolkit(arena, reader->folders[i]))
            TRY(try_file(reader, arena_printf(arena, "%s/%s", reader->folders[i], name), out));
    return STATUS_OK;
}

static void append_output(struct reader *reader, const char *data, size_t bytes)
{
    text_append_bytes(&reader->text, data, bytes);
    text_append_bytes(&reader->contents, data, bytes);
}

void source_put_line(struct text *text, size_t number, const char *path)
{
    text_printf(text, "#line %zu \"", number);
    for (const char *c = path; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_append(text, "\\");
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            text_printf(text, "\\%03o", (unsigned)(unsigned char)*c);
        else
            text_append_bytes(text, c, 1);
    }
    text_append(text, "\"\n");
}

/* ---- the #if branches around the current place ---- */

static void push_branch(struct reader *reader, size_t branch)
{
    if (reader->branch_count < BRANCHES_MAX)
        reader->branches[reader->branch_count] = branch;
    reader->branch_count++;
}

/* Returns the innermost branch; 0: too many branches. */
static size_t innermost_branch(const struct reader *reader)
{
    return reader->branch_count <= BRANCHES_MAX ? reader->branches[reader->branch_count - 1] : 0;
}

static bool is_in_branch(const struct reader *reader, size_t branch)
{
    for (size_t i = 0; branch > 0 && i < reader->branch_count && i < BRANCHES_MAX; i++)
        if (reader->branches[i] == branch)
            return true;
    return false;
}

/* Updates the branches for the line. `depth` counts the open #if of this file; an include guard
 * opens no new branch. */
static size_t pass_branches(struct reader *reader, const struct file *file, const struct line *line,
                            size_t depth)
{
    const bool other = line->directive && line->word >= 4 && memcmp(line->directive, "el", 2) == 0;
    if (opens(line)) {
        const bool own = depth == 0 && file->guard == GUARD_IFNDEF;
        push_branch(reader, own ? innermost_branch(reader) : ++reader->last_branch);
        return depth + 1;
    }
    if (depth == 0 || !(other || is_directive(line, "endif")))
        return depth;
    reader->branch_count--;
    if (other)
        push_branch(reader, ++reader->last_branch);
    return other ? depth : depth - 1;
}

/* ---- inlining ---- */

static enum status place(struct reader *reader, struct file *file);

/* Inlines `#include "name"` or `#include <name>`; copies any other line. */
static enum status place_line(struct reader *reader, const struct file *from, size_t number,
                              const struct line *line)
{
    struct file *file = NULL;
    const char *quote = NULL;
    bool angled = false;
    if (is_directive(line, "include") && line->operand && line->operand < line->end) {
        angled = *line->operand == '<';
        if (angled || *line->operand == '"')
            quote = memchr(line->operand + 1, angled ? '>' : '"',
                           (size_t)(line->end - line->operand - 1));
    }
    if (quote) {
        const char *name =
            arena_strndup(reader->arena, line->operand + 1, (size_t)(quote - line->operand - 1));
        TRY(name ? find_file(reader, from, name, angled, &file) : error_no_memory(reader->error));
    }
    if (file) {
        /* The file takes the place of the including line; the text behind the name is kept. */
        const char *rest = quote + 1;
        if (file->open > 1 &&
            file->guard ==
                GUARD_NONE) /* allow one nested copy: an #if inside may end the recursion */
            return error_set(reader->error, STATUS_BAD_INPUT,
                             "%s:%zu: %s includes itself: begin it with #pragma once", from->path,
                             number, file->path);
        const bool needed =
            file->guard == GUARD_NONE || (file->open == 0 && !is_in_branch(reader, file->branch));
        if (needed) {
            TRY(place(reader, file));
            source_put_line(&reader->text, number, from->path);
        }
        append_output(reader, rest, (size_t)(line->end - rest));
        return STATUS_OK;
    }
    if (is_once(line))
        append_output(reader, "\n", 1);
    else
        append_output(reader, line->start, (size_t)(line->end - line->start));
    return STATUS_OK;
}

static enum status place_lines(struct reader *reader, const struct file *file)
{
    const char *end = file->text + file->length;
    size_t number = 0, depth = 0;
    bool comment = false;
    for (const char *at = file->text; at < end;) {
        struct line line = take_line(at, end, &comment);
        TRY(place_line(reader, file, ++number, &line));
        depth = pass_branches(reader, file, &line, depth);
        at = line.end;
        if (reader->text.length > SOURCE_BYTES_MAX)
            return error_set(reader->error, STATUS_BAD_INPUT,
                             "%s: with its includes, it has more than %d MiB",
                             reader->files[0].path, SOURCE_BYTES_MAX >> 20);
    }
    reader->branch_count -= depth;
    if (file->length > 0 && end[-1] != '\n')
        append_output(reader, "\n", 1);
    return STATUS_OK;
}

/* Inlines a file. A #pragma once would apply to the whole text, so a guard of our own replaces
 * it. */
static enum status place(struct reader *reader, struct file *file)
{
    char guard[128] = "";
    if (reader->depth == DEPTH_MAX)
        return error_set(reader->error, STATUS_BAD_INPUT, "%s: included %d files deep", file->path,
                         DEPTH_MAX);
    if (file->guard == GUARD_ONCE && reader->depth > 0)
        (void)string_format(guard, sizeof guard,
                            "#ifndef TUNE_SOURCE_ONCE_%zu\n#define TUNE_SOURCE_ONCE_%zu\n",
                            (size_t)(file - reader->files), (size_t)(file - reader->files));
    append_output(reader, guard, strlen(guard));
    if (reader->depth > 0)
        source_put_line(&reader->text, 1, file->path);
    file->open++;
    file->branch = innermost_branch(reader);
    reader->depth++;
    enum status status = place_lines(reader, file);
    reader->depth--;
    file->open--;
    if (*guard)
        append_output(reader, "#endif\n", 7);
    return status;
}

/* Reads the source and inlines its includes. If stat fails, file_read reports the reason. */
static enum status read_all(struct reader *reader, const char *path)
{
    struct stat info = {0};
    char *text = NULL;
    reader->files = arena_alloc(reader->arena, FILES_MAX, sizeof *reader->files);
    path = arena_strdup(reader->arena, path);
    if (!reader->files || !path)
        return error_no_memory(reader->error);
    if (stat(path, &info) != 0)
        return file_read(reader->arena, path, SOURCE_BYTES_MAX, &text, NULL, reader->error);
    struct file *file = open_file(reader, path, &info);
    push_branch(reader, ++reader->last_branch);
    return file ? place(reader, file) : reader->error->status;
}

enum status source_read_in(struct arena *arena, const char *path, const char *const *folders,
                           size_t folder_count, struct source *out, struct error *error)
{
    /* Machine code, recognised by its first bytes, is taken unchanged, without looking for
     * directives. */
    static const unsigned char elf[] = {0x7f, 'E', 'L', 'F'}, fatbin[] = {0x50, 0xed, 0x55, 0xba};
    unsigned char head[4] = {0};
    FILE *file = fopen(path, "rbe");
    const bool read = file && fread(head, sizeof head, 1, file) == 1;
    if (file)
        (void)fclose(file);
    if (read && (memcmp(head, elf, sizeof elf) == 0 || memcmp(head, fatbin, sizeof fatbin) == 0)) {
        char *code = NULL;
        struct source_file *binary = arena_alloc(arena, 1, sizeof *binary);
        if (!binary || !(binary->path = arena_strdup(arena, path)))
            return error_no_memory(error);
        if (stat(path, &binary->info) != 0)
            return error_set_errno(error, errno, "%s", path);
        *out = (struct source){.file_count = 1, .files = binary};
        const enum status taken =
            file_read(arena, path, CODE_BYTES_MAX, &code, &out->length, error);
        out->text = out->contents = code;
        out->content_length = out->length;
        return taken;
    }
    struct reader reader = {
        .arena = arena, .error = error, .folders = folders, .folder_count = folder_count};
    enum status status = read_all(&reader, path);
    if (status == STATUS_OK) {
        const struct file *files = reader.files;
        *out = (struct source){.text = files[0].text,
                               .length = files[0].length,
                               .contents = files[0].text,
                               .content_length = files[0].length,
                               .file_count = reader.file_count};
        out->files = arena_alloc(reader.arena, reader.file_count, sizeof *out->files);
        for (size_t i = 0; out->files && i < reader.file_count; i++)
            out->files[i] = (struct source_file){files[i].path, files[i].info};
        if (reader.file_count > 1) {
            out->length = reader.text.length;
            out->content_length = reader.contents.length;
            out->text = arena_strndup(reader.arena, text_string(&reader.text), out->length);
            out->contents =
                arena_strndup(reader.arena, text_string(&reader.contents), out->content_length);
        }
        bool complete = out->files && out->text && out->contents && !reader.text.failed &&
                        !reader.contents.failed;
        status = complete ? STATUS_OK : error_no_memory(reader.error);
    }
    text_free(&reader.text);
    text_free(&reader.contents);
    return status;
}

enum status source_check(const struct source *source, const char *hash, struct error *error)
{
    char digits[HASH_TEXT_BYTES];
    if (!hash)
        return STATUS_OK;
    hash_bytes(source->contents, source->content_length, digits);
    if (strcmp(digits, hash) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_IO,
                     "%s changed, or a file that it includes, while tune was running: start again",
                     source->files[0].path);
}

bool source_is_current(const struct source *source)
{
    for (size_t i = 0; i < source->file_count; i++) {
        struct stat now;
        const struct stat *then = &source->files[i].info;
        TRY_OR_FALSE(stat(source->files[i].path, &now) == 0 && is_same_file(&now, then) &&
                     now.st_size == then->st_size && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
                     now.st_mtim.tv_nsec == then->st_mtim.tv_nsec &&
                     now.st_ctim.tv_sec == then->st_ctim.tv_sec &&
                     now.st_ctim.tv_nsec == then->st_ctim.tv_nsec);
    }
    return true;
}

bool source_is_c(const char *path)
{
    const char *end = strrchr(path, '.');
    return end && strcmp(end, ".c") == 0;
}
