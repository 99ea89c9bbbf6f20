/* Work that several threads share. They live as long as a call: a fork leaves nothing behind. */
#ifndef CORELAX_THREADS_H
#define CORELAX_THREADS_H

#include <pthread.h>
#include <stdint.h>

#define MOST_THREADS 64

typedef struct {
    int64_t threads;           /* how many there are, this one included */
    pthread_mutex_t gate;      /* open when that is known */
    pthread_barrier_t barrier; /* where they wait for each other */
} Team;

/* What a thread does, by its number. */
typedef void (*Work)(Team *team, void *shared, int64_t number);

/* Does the work in at most `threads` threads, numbered from 0 on; those that cannot be started are done without. */
void share_work(Work work, void *shared, int64_t threads);

#endif
