/* Of the host's clocks what its classes have as members. */
#pragma once
typedef long long int time_t; /* as cuda/std/ctime has it */
struct timezone {
    int tz_minuteswest;
    int tz_dsttime;
};
struct timeval {
    long tv_sec, tv_usec;
};
struct timespec {
    long tv_sec, tv_nsec;
};
