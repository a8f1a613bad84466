#include "tuner/base/l2_mode.h"

#include <string.h>

#include "tuner/base/text.h"

const char *const issue_names[] = {
    [ISSUE_GRAPH] = "graph", [ISSUE_STREAM] = "stream", [ISSUE_EAGER] = "eager"};

bool issues_parse(const char *names, unsigned *bits)
{
    static const char separators[] = ", ";
    for (const char *at = names + strspn(names, separators); *at;) {
        const size_t length = strcspn(at, separators);
        int issue = 0;
        while (issue < ISSUES && (strlen(issue_names[issue]) != length ||
                                  strncmp(at, issue_names[issue], length) != 0))
            issue++;
        if (issue == ISSUES)
            return false;
        *bits |= 1u << issue;
        at += length;
        at += strspn(at, separators);
    }
    return *bits != 0;
}

/* States of the cache, by issue. */
static const char *const mode_names[L2_MODES] = {
    "cold",          "hot",          "stream",     "dirty",     "cold-stream",  "hot-stream",
    "stream-stream", "dirty-stream", "cold-eager", "hot-eager", "stream-eager", "dirty-eager"};

const char *l2_mode_name(enum l2_mode mode)
{
    return mode_names[mode];
}

bool l2_mode_parse(const char *name, enum l2_mode *out)
{
    const size_t index = WORD_INDEX(name, mode_names, L2_MODES);
    if (index < L2_MODES)
        *out = (enum l2_mode)index;
    return index < L2_MODES;
}

enum issue l2_issue(enum l2_mode mode)
{
    return (enum issue)((int)mode / L2_STATES);
}

enum l2_mode l2_state(enum l2_mode mode)
{
    return (enum l2_mode)((int)mode % L2_STATES);
}

enum l2_mode l2_mode_as(enum l2_mode mode, enum issue issue)
{
    return (enum l2_mode)((int)issue * L2_STATES + (int)l2_state(mode));
}
