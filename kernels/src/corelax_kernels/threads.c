/* Threads for one call. */
#if defined(__x86_64__) && defined(__linux__) /* elsewhere `support.c` says no */
#include "threads.h"

typedef struct {
    Team *team;
    Work work;
    void *shared;
    int64_t number;
    pthread_t thread;
} Member;

static void *begin(void *argument) {
    Member *member = argument;
    pthread_mutex_lock(&member->team->gate);
    pthread_mutex_unlock(&member->team->gate);
    member->work(member->team, member->shared, member->number);
    return 0;
}

void share_work(Work work, void *shared, int64_t threads) {
    Team team = {.threads = 1};
    Member members[MOST_THREADS];
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    pthread_mutex_init(&team.gate, 0);
    pthread_mutex_lock(&team.gate);
    while (team.threads < threads) {
        Member *next = &members[team.threads];
        *next = (Member){&team, work, shared, team.threads, 0};
        if (pthread_create(&next->thread, 0, begin, next)) break;
        team.threads++;
    }
    pthread_barrier_init(&team.barrier, 0, team.threads);
    pthread_mutex_unlock(&team.gate);
    work(&team, shared, 0);
    for (int64_t t = 1; t < team.threads; t++) pthread_join(members[t].thread, 0);
    pthread_barrier_destroy(&team.barrier);
    pthread_mutex_destroy(&team.gate);
}
#endif
