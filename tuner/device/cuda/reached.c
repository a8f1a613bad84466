/* A fixpoint over names: what the roots name is reached, and what that names, and so on. A name
 * stands for all that is called so; scopes are not told apart. */
#include "tuner/device/cuda/reached.h"

#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/hash.h"
#include "tuner/base/index.h"
#include "tuner/base/text.h"

/* By name; the first one is no name. */
struct named {
    const char *start;
    size_t length;
    bool is_named;   /* what is reached has it, also as a member's: `x.size` */
    bool is_reached; /* and otherwise than as a member's */
    bool is_type;    /* a type is called so, or another name of one */
    bool is_kept;    /* by one that is reached */
    bool is_namespace, is_type_key, is_device, is_operator;
    bool begins, ends; /* names that a macro makes: `make_##T`, `T##_of` */
    size_t macro;      /* the place of its last #define's text in `words`; 0: none */
};

/* What a piece declares, and what it takes. */
struct declares {
    size_t first, count; /* in `declared` */
    size_t member_of;    /* the name of the type in `T Type::name() {`; 0: none */
    bool is_always;      /* an operator, which is named by none */
    size_t takes,
        takes_end; /* tokens: a function's parameters, what a template is specialised for */
};

struct reached {
    struct arena *arena;
    const struct tokens *tokens;
    const bool *is_cut;
    struct piece *pieces;
    size_t count;
    struct index places; /* of names, by their hashes */
    struct named *names;
    size_t name_count;
    size_t *name_of; /* by token */
    long *owners;    /* by token: the innermost piece */
    /* Of each #define the place of an earlier one of the name, the names in it, and 0. */
    size_t *words;
    size_t word_count;
    struct declares *declares; /* by piece */
    size_t *declared;
    size_t declared_count;
    size_t *open; /* names whose macros are to be followed */
    size_t open_count;
    bool changed;
};

static bool is(const struct reached *r, size_t token, const char *text)
{
    return token_is(r->tokens, token, text);
}

static bool is_in(const struct reached *r, size_t token, const char *list)
{
    return token_is_in(r->tokens, token, list);
}

static bool is_word(const struct reached *r, size_t token)
{
    return token < r->tokens->count && r->tokens->items[token].kind == TOKEN_NAME;
}

/* ---- names ---- */

/* 0: memory is short. There is room for as many as the source has words. */
static size_t name_at(struct reached *r, const char *word, size_t length)
{
    const uint64_t hash = hash_u64(word, length, 0);
    size_t place = 0;
    if (index_find(&r->places, hash, &place))
        return place;
    if (!index_put(&r->places, hash, r->name_count + 1))
        return 0;
    r->names[++r->name_count] = (struct named){.start = word, .length = length};
    return r->name_count;
}

static size_t known_name(const struct reached *r, const char *word, size_t length)
{
    size_t place = 0;
    return index_find(&r->places, hash_u64(word, length, 0), &place) ? place : 0;
}

static bool is_paste(const char *at, const char *end)
{
    return at + 1 < end && at[0] == '#' && at[1] == '#';
}

/* In a macro's text behind its name. */
static bool is_parameter(const char *at, const char *end, const char *word, size_t length)
{
    const char *close = at < end && *at == '(' ? memchr(at, ')', (size_t)(end - at)) : NULL;
    for (size_t bytes; close && at < close; at += bytes ? bytes : 1) {
        bytes = word_bytes(at, close);
        if (bytes == length && memcmp(at, word, length) == 0)
            return true;
    }
    return false;
}

/* A piece of a name stands at one end of it; what is within, `a##_##b`, tells too little. */
static void note_part(struct named *part, bool is_behind, bool is_before)
{
    part->begins |= is_before && !is_behind;
    part->ends |= is_behind && !is_before;
}

static bool read_macro(struct reached *r, const char *at, const char *end)
{
    const size_t length = word_bytes(at, end);
    const size_t name = length ? name_at(r, at, length) : 0;
    if (name == 0)
        return length == 0;
    r->words[r->word_count] = r->names[name].macro;
    r->names[name].macro = r->word_count++;
    const char *behind = at += length;
    bool pasted = false;
    for (size_t word; at < end; at += word ? word : 1) {
        word = word_bytes(at, end);
        if (word == 0) {
            pasted = is_paste(at, end) || (pasted && strchr("# \t\r\n\\", *at));
            continue;
        }
        const size_t place = name_at(r, at, word);
        if (place == 0)
            return false;
        r->words[r->word_count++] = place;
        if (!is_parameter(behind, end, at, word))
            note_part(&r->names[place], pasted, is_paste(skip_blanks(at + word, end), end));
        pasted = false;
    }
    r->words[r->word_count++] = 0;
    return true;
}

static size_t count_words(const char *at, const char *end)
{
    size_t count = 0;
    for (size_t length; at < end; at += length ? length : 1) {
        length = word_bytes(at, end);
        count += length > 0;
    }
    return count;
}

static const char *const keys[] = {"struct", "class", "__device__", "__global__", "operator"};

static bool read_names(struct reached *r)
{
    const size_t count = r->tokens->count;
    const char *rest = NULL, *end = NULL;
    size_t words = 1;
    for (size_t i = 0; i < count; i++)
        if (token_is_directive(&r->tokens->items[i], "define", &rest, &end))
            words += count_words(rest, end) + 2;
    r->names = arena_alloc(r->arena, count + words + COUNT(keys) + 1, sizeof *r->names);
    r->open = arena_alloc(r->arena, count + words + 1, sizeof *r->open);
    r->name_of = arena_alloc(r->arena, count + 1, sizeof *r->name_of);
    r->words = arena_alloc(r->arena, words, sizeof *r->words);
    if (!r->names || !r->open || !r->name_of || !r->words)
        return false;
    r->word_count = 1;
    for (size_t i = 0; i < count; i++) {
        const struct token *token = &r->tokens->items[i];
        if (token->kind == TOKEN_NAME && !(r->name_of[i] = name_at(r, token->start, token->length)))
            return false;
        if (token_is_directive(token, "define", &rest, &end) && !read_macro(r, rest, end))
            return false;
    }
    for (size_t i = 0; i < COUNT(keys); i++) {
        const size_t name = name_at(r, keys[i], strlen(keys[i]));
        if (name == 0)
            return false;
        struct named *it = &r->names[name];
        *(i < 2 ? &it->is_type_key : i < 4 ? &it->is_device : &it->is_operator) = true;
    }
    for (size_t i = 0; i < count; i++)
        if (is(r, i, "namespace") && !(i > 0 && is(r, i - 1, "using")))
            for (size_t k = i + 1; is_word(r, k) || is(r, k, "::"); k++)
                r->names[r->name_of[k]].is_namespace = true;
    return true;
}

static void reach(struct reached *r, size_t name, bool is_member)
{
    struct named *it = &r->names[name];
    r->changed |= !it->is_named;
    it->is_named = true;
    if (it->is_reached || (is_member && !it->macro))
        return;
    r->changed = it->is_reached = true;
    if (it->macro || it->begins || it->ends)
        r->open[r->open_count++] = name;
}

/* A name, or a number. */
static bool may_be_given(const struct reached *r, const char *word, size_t length)
{
    return (*word >= '0' && *word <= '9') || known_name(r, word, length);
}

/* `make_##T` may be make_float, where the source has both names. */
static void reach_pasted(struct reached *r, size_t name)
{
    const struct named part = r->names[name];
    for (size_t i = 1; (part.begins || part.ends) && i <= r->name_count; i++) {
        const char *whole = r->names[i].start;
        const size_t length = r->names[i].length, rest = length - part.length;
        if (length <= part.length)
            continue;
        if ((part.begins && memcmp(whole, part.start, part.length) == 0 &&
             may_be_given(r, whole + part.length, rest)) ||
            (part.ends && memcmp(whole + rest, part.start, part.length) == 0 &&
             may_be_given(r, whole, rest)))
            reach(r, i, false);
    }
}

/* What a macro's text names, what is reached may be made of. */
static void follow_macros(struct reached *r)
{
    while (r->open_count > 0) {
        const size_t name = r->open[--r->open_count];
        for (size_t at = r->names[name].macro; at; at = r->words[at])
            for (size_t i = at + 1; r->words[i]; i++)
                reach(r, r->words[i], false);
        reach_pasted(r, name);
    }
}

/* ---- what a piece declares ---- */

static const char type_words[] =
    "int float double char bool void unsigned signed long short auto const";

static void declare(struct reached *r, struct declares *out, size_t token)
{
    r->declared[r->declared_count++] = r->name_of[token];
    out->count++;
}

/* `struct Name : Base {`, `template <> struct Name<int> {`, `enum { FIRST, SECOND } name;` */
static void declare_type(struct reached *r, const struct piece *piece, struct declares *out)
{
    const size_t behind = tokens_behind(r->tokens, piece->head);
    bool enumeration = false;
    for (size_t i = piece->start; i < piece->head && out->count == 0; i++) {
        enumeration |= is(r, i, "enum");
        if (is_word(r, i) && is_in(r, i + 1, ": { final <") &&
            !is_in(r, i, "struct class union enum")) {
            declare(r, out, i);
            r->names[r->name_of[i]].is_type = true;
            out->takes = is(r, i + 1, "<") ? i + 1 : 0;
            out->takes_end = out->takes ? tokens_behind_angle(r->tokens, i + 1) : 0;
        }
    }
    for (size_t i = piece->head + 1; enumeration && i + 1 < behind; i++)
        if (is_word(r, i) && is_in(r, i - 1, "{ ,"))
            declare(r, out, i);
    for (size_t i = behind; i < piece->end; i++)
        if (is_word(r, i)) {
            declare(r, out, i);
            r->names[r->name_of[i]].is_type |= is(r, piece->start, "typedef");
        }
}

/* The token before `<...>`, whose end is at i; i where there is none. */
static size_t before_angle(const struct reached *r, size_t i, size_t first)
{
    size_t depth = 0;
    for (size_t at = i; is(r, i, ">") && at > first; at--) {
        depth += is(r, at, ">") ? 1 : 0;
        depth -= is(r, at, "<") ? 1 : 0;
        if (depth == 0)
            return at - 1;
    }
    return i;
}

/* The type in `Type<T>::name`; 0: a namespace, or nothing, stands before the name. */
static size_t type_before(const struct reached *r, size_t name, size_t first)
{
    const size_t sign = name > first && is(r, name - 1, "~") ? name - 2 : name - 1;
    if (name < first + 2 || sign < first + 1 || !is(r, sign, "::"))
        return 0;
    const size_t type = r->name_of[before_angle(r, sign - 1, first)];
    return r->names[type].is_type ? type : 0;
}

static void declare_function(struct reached *r, const struct piece *piece, struct declares *out)
{
    const struct tokens *tokens = r->tokens;
    size_t name = before_angle(r, piece->call - 1, piece->start);
    out->takes = piece->call;
    out->takes_end = tokens_behind(tokens, piece->call);
    for (size_t i = piece->start; i < piece->call; i++)
        if (is(r, i, "operator")) {
            out->is_always = true;
            name = i;
        }
    /* More than one, where an attribute's macro takes arguments. */
    for (size_t i = piece->start; i < piece->head;
         i = is_in(r, i, "( [") ? tokens_behind(tokens, i) : i + 1)
        if (is_word(r, i) && !is_in(r, i, type_words) &&
            (is(r, i + 1, "(") ||
             (is(r, i + 1, "<") && is(r, tokens_behind_angle(tokens, i + 1), "("))))
            declare(r, out, i);
    out->member_of = type_before(r, name, piece->start);
}

/* Variables, `using Name = ...;`, `typedef ... Name;`, `typedef void (*Name)(int);` */
static void declare_others(struct reached *r, const struct piece *piece, struct declares *out)
{
    const bool alias = is_in(r, piece->start, "using typedef struct class union enum");
    const bool renames = is_in(r, piece->start, "using typedef"); /* `typedef list<int, T> Name;` */
    bool value = false;
    for (size_t i = piece->start, next; i < piece->end; i = next) {
        next = value && is_in(r, i, "( [ {") ? tokens_behind(r->tokens, i)
               : renames && is(r, i, "<")    ? tokens_behind_angle(r->tokens, i)
                                             : i + 1;
        const bool ends = is_in(r, i + 1, "; = [ { ,") || (is(r, i + 1, ")") && is(r, i - 1, "*"));
        if (!value && is_word(r, i) && ends && !is_in(r, i, type_words)) {
            declare(r, out, i);
            r->names[r->name_of[i]].is_type |= alias;
            out->member_of = out->member_of ? out->member_of : type_before(r, i, piece->start);
        }
        value = is_in(r, i + 1, "= {") || (value && !is(r, i, ","));
    }
}

static bool read_pieces(struct reached *r)
{
    r->declares = arena_alloc(r->arena, r->count + 1, sizeof *r->declares);
    r->declared = arena_alloc(r->arena, r->tokens->count + 1, sizeof *r->declared);
    r->owners = arena_alloc(r->arena, r->tokens->count + 1, sizeof *r->owners);
    if (!r->declares || !r->declared || !r->owners)
        return false;
    for (size_t i = 0; i < r->tokens->count; i++)
        r->owners[i] = NO_PIECE;
    for (size_t i = 0; i < r->count; i++) { /* a type before its members */
        const struct piece *piece = &r->pieces[i];
        struct declares *out = &r->declares[i];
        out->first = r->declared_count;
        for (size_t k = piece->first; k < piece->end; k++)
            r->owners[k] = (long)i;
        if (piece->kind == PIECE_TYPE)
            declare_type(r, piece, out);
        else if (piece->kind == PIECE_DECLARATION && piece->call > 0 &&
                 !is_in(r, piece->start, "typedef using"))
            declare_function(r, piece, out);
        else if (piece->kind == PIECE_DECLARATION)
            declare_others(r, piece, out);
    }
    return true;
}

/* ---- which are reached ---- */

static void mark(struct reached *r, size_t index)
{
    struct piece *piece = &r->pieces[index];
    const struct declares *declares = &r->declares[index];
    piece->is_reached = r->changed = true;
    const bool takes = piece->kind == PIECE_TYPE || declares->takes > 0;
    for (size_t i = 0; i < declares->count && takes; i++)
        r->names[r->declared[declares->first + i]].is_kept = true;
    for (size_t i = piece->first; i < piece->end; i++)
        if (r->owners[i] == (long)index && !r->is_cut[i] && r->name_of[i])
            reach(r, r->name_of[i], i > 0 && is_in(r, i - 1, ". ->"));
    follow_macros(r);
}

/* Whether all types among the tokens are reached. */
static bool has_types(const struct reached *r, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const struct named *it = &r->names[r->name_of[i]];
        if (it->is_type && !it->is_reached)
            return false;
    }
    return true;
}

/* `using namespace space;` of a namespace that the source or the toolkit has. */
static bool opens_namespace(const struct reached *r, const struct piece *piece)
{
    if (is_in(r, piece->start + 2, "std cuda cooperative_groups nvcuda thrust cub"))
        return true;
    for (size_t i = piece->start + 2; i < piece->end; i++)
        if (is_word(r, i) && !r->names[r->name_of[i]].is_namespace)
            return false;
    return true;
}

/* What the texts of macros make. */
struct makes {
    const struct piece *call;
    bool given;           /* a name that is reached, made with one that the call gives */
    bool type, device;    /* a type that is reached; something of the device */
    bool operates, lacks; /* an operator; a type is named that is not reached */
    size_t words_most;    /* that are still looked at: macros in macros in macros have no end */
};

static bool is_reached_name(const struct reached *r, const struct named *first,
                            const struct named *second)
{
    char whole[256];
    return string_format(whole, sizeof whole, "%.*s%.*s", (int)first->length, first->start,
                         (int)second->length, second->start) &&
           r->names[known_name(r, whole, strlen(whole))].is_reached;
}

static bool makes_reached(const struct reached *r, const struct piece *call, size_t name)
{
    const struct named *part = &r->names[name];
    for (size_t i = call->first + 1; (part->begins || part->ends) && i < call->end; i++) {
        const struct named *given = &r->names[r->name_of[i]];
        if (r->name_of[i] && ((part->begins && is_reached_name(r, part, given)) ||
                              (part->ends && is_reached_name(r, given, part))))
            return true;
    }
    return false;
}

static void read_makes(const struct reached *r, size_t name, struct makes *out)
{
    for (size_t at = r->names[name].macro; at; at = r->words[at])
        for (size_t i = at + 1; r->words[i] && out->words_most > 0; i++) {
            const size_t word = r->words[i];
            out->words_most--;
            out->device |= r->names[word].is_device;
            out->operates |= r->names[word].is_operator;
            out->lacks |= r->names[word].is_type && !r->names[word].is_reached;
            out->given = out->given || makes_reached(r, out->call, word);
            out->type |= r->names[word].is_type_key && r->names[r->words[i + 1]].is_reached;
            if (word != name)
                read_makes(r, word, out);
        }
}

/* Whether a macro's call declares a type that is reached, or of the device an operator of types
 * that are, or something by a name that it is given. */
static bool calls_for(const struct reached *r, const struct piece *piece)
{
    struct makes makes = {.call = piece, .words_most = 1000};
    read_makes(r, r->name_of[piece->first], &makes);
    for (size_t i = piece->first + 1; i < piece->end; i++)
        makes.given |= r->names[r->name_of[i]].is_reached;
    makes.lacks |= !has_types(r, piece->first + 1, piece->end);
    return makes.type || (makes.device && (makes.given || (makes.operates && !makes.lacks)));
}

/* Whether the function is one that is there with the type: its constructors, its destructor. */
static bool belongs(const struct reached *r, const struct piece *piece)
{
    const struct declares *type = &r->declares[piece->parent];
    return is(r, piece->call - 2, "~") || !is_word(r, piece->call - 1) ||
           (type->count > 0 && r->declared[type->first] == r->name_of[piece->call - 1]);
}

static bool is_wanted(const struct reached *r, size_t index, bool with_others)
{
    const struct piece *piece = &r->pieces[index];
    const struct declares *declares = &r->declares[index];
    bool named = declares->is_always, kept = false;
    if (piece->parent != NO_PIECE && !r->pieces[piece->parent].is_reached)
        return false;
    if (piece->kind == PIECE_MACRO_CALL)
        return calls_for(r, piece);
    if (is(r, piece->start, "{")) /* of a function whose head is a macro */
        return index > 0 && r->pieces[index - 1].is_reached;
    if (is_in(r, piece->start, "template extern") && !is(r, piece->start + 1, "<") &&
        (is(r, piece->start, "template") || is(r, piece->start + 1, "template")))
        return false; /* an instance, which whoever needs it makes */
    if (is(r, piece->start, "using") && is(r, piece->start + 1, "namespace"))
        return opens_namespace(r, piece);
    if (is(r, piece->start, "static_assert"))
        return has_types(r, piece->start, piece->end);
    for (size_t i = 0; i < declares->count; i++) {
        const struct named *it = &r->names[r->declared[declares->first + i]];
        named |=
            it->is_reached || ((piece->parent != NO_PIECE || declares->member_of) && it->is_named);
        kept |= it->is_kept;
    }
    if (declares->member_of)
        return r->names[declares->member_of].is_reached && named;
    if (piece->parent != NO_PIECE)
        return named || belongs(r, piece);
    /* Of one name those whose types are there; where there is none, all. */
    return named && (has_types(r, declares->takes, declares->takes_end) ||
                     (with_others && !kept && !declares->is_always));
}

/* An option of the compiler's whose words, as in --Ofast-compile=max, name nothing of the source.
 */
static bool is_plain_option(const char *root)
{
    return root[0] == '-' && strncmp(root, "-D", 2) != 0 && strncmp(root, "--define", 8) != 0;
}

static void reach_roots(struct reached *r, const char *const *roots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = roots[i];
        const char *const end = is_plain_option(at) ? at : at + strlen(at);
        for (size_t length; at < end; at += length ? length : 1) {
            length = word_bytes(at, end);
            const size_t name = length ? known_name(r, at, length) : 0;
            if (name > 0)
                reach(r, name, false);
        }
    }
    follow_macros(r);
}

bool reached_mark(struct arena *arena, const struct tokens *tokens, const bool *is_cut,
                  struct piece *pieces, size_t count, const char *const *roots, size_t root_count)
{
    struct reached r = {
        .arena = arena, .tokens = tokens, .is_cut = is_cut, .pieces = pieces, .count = count};
    const bool read = read_names(&r) && read_pieces(&r);
    if (read)
        reach_roots(&r, roots, root_count);
    for (bool with_others = false; read;) {
        r.changed = false;
        for (size_t i = 0; i < count; i++)
            if (!pieces[i].is_reached && is_wanted(&r, i, with_others))
                mark(&r, i);
        if (!r.changed && with_others)
            break;
        with_others = !r.changed;
    }
    index_free(&r.places);
    return read;
}
