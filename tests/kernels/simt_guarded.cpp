#include "tests/kernels/simt.h"

#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace simt
{

guarded::guarded(size_t bytes, bool at_end, size_t offset)
{
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inside = (bytes + offset + page - 1) / page * page;
    map_bytes_ = inside + 2 * page;
    void *map =
        mmap(nullptr, map_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        throw std::bad_alloc();
    map_ = static_cast<char *>(map);
    if (inside > 0 && mprotect(map_ + page, inside, PROT_READ | PROT_WRITE) != 0)
        throw std::bad_alloc();
    data_ = at_end ? map_ + page + inside - bytes : map_ + page + offset;
    std::memset(data_, 0xa5, bytes);
}

guarded::~guarded()
{
    munmap(map_, map_bytes_);
}

} // namespace simt
