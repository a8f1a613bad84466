#include "frontends/capture/library/driver.h"

#include <stdatomic.h>
#include <string.h>

#include "frontends/capture/library/front.h"

const struct driver *driver_get(void)
{
    static struct driver driver;
    static _Atomic bool is_filled;
    if (atomic_load_explicit(&is_filled, memory_order_acquire))
        return &driver;
    void *library = driver_library();
    if (!library)
        return &driver;
    const struct {
        const char *symbol;
        void *member;
    } members[] = {
#define DRIVER_ROW(member, symbol, parameters) {symbol, &driver.member},
        DRIVER_FUNCTIONS(DRIVER_ROW)
#undef DRIVER_ROW
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        anything function = look_up(library, members[i].symbol);
        char older[64] = "";
        const size_t length = strlen(members[i].symbol);
        if (!function && length > 3 && length < sizeof older &&
            strcmp(members[i].symbol + length - 3, "_v2") == 0) {
            memcpy(older, members[i].symbol, length - 3);
            function = look_up(library, older);
        }
        memcpy(members[i].member, &function, sizeof function);
    }
    atomic_store_explicit(&is_filled, true, memory_order_release);
    return &driver;
}
