#include "tuner/base/l2_mode.h"

#include <string.h>

const char *issue_name(enum issue issue)
{
    static const char *const names[] = {
        [ISSUE_GRAPH] = "graph", [ISSUE_STREAM] = "stream", [ISSUE_EAGER] = "eager"};
    return names[issue];
}

bool issues_parse(const char *names, unsigned *bits)
{
    static const char separators[] = ", ";
    for (const char *at = names + strspn(names, separators); *at;) {
        const size_t length = strcspn(at, separators);
        int issue = 0;
        while (issue < ISSUES && (strlen(issue_name((enum issue)issue)) != length ||
                                  strncmp(at, issue_name((enum issue)issue), length) != 0))
            issue++;
        if (issue == ISSUES)
            return false;
        *bits |= 1u << issue;
        at += length;
        at += strspn(at, separators);
    }
    return *bits != 0;
}

const char *l2_mode_name(enum l2_mode mode)
{
    static const char *const names[ISSUES][L2_STATES] = {
        [ISSUE_GRAPH] = {"cold", "hot", "stream", "dirty"},
        [ISSUE_STREAM] = {"cold-stream", "hot-stream", "stream-stream", "dirty-stream"},
        [ISSUE_EAGER] = {"cold-eager", "hot-eager", "stream-eager", "dirty-eager"}};
    return names[l2_issue(mode)][l2_state(mode)];
}

bool l2_mode_parse(const char *name, enum l2_mode *out)
{
    for (int i = 0; i < L2_MODES; i++) {
        if (strcmp(name, l2_mode_name((enum l2_mode)i)) == 0) {
            *out = (enum l2_mode)i;
            return true;
        }
    }
    return false;
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
