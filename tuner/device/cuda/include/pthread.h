/* Of the host's threads the names: structs of the host have them as members. */
#pragma once
typedef unsigned long pthread_t;
typedef struct tune_host_thread {
    long room[8];
} pthread_attr_t, pthread_barrier_t, pthread_cond_t, pthread_mutex_t, pthread_rwlock_t;
