/*
 * Preloaded into a process, this sets its wall clock off by a number of milliseconds: the first eight bytes of the file
 * that WALL_CLOCK_OFFSET names, in the machine's order. The file is mapped into memory, so the clock jumps while the
 * process runs. Clocks that measure durations stay as they are, and so do waits that end by one of them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* No machine has run for so many seconds: a deadline beyond is one by the wall clock. */
#define LONGEST_UPTIME 1000000000

static const int64_t none;
static const volatile int64_t *offset_millis = &none;
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

__attribute__((constructor)) static void begin(void) {
    real_clock_gettime = (int (*)(clockid_t, struct timespec *)) dlsym(RTLD_NEXT, "clock_gettime");
    /* The C library keeps an older one of this name, which knows another kind of condition variable. */
    void *timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    real_timedwait = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))
            (timedwait != NULL ? timedwait : dlsym(RTLD_NEXT, "pthread_cond_timedwait"));
    const char *path = getenv("WALL_CLOCK_OFFSET");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        void *map = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
        if (map != MAP_FAILED) {
            offset_millis = map;
        }
        close(file);
    }
}

static void shift(struct timespec *time, int64_t millis) {
    time->tv_sec += millis / 1000;
    time->tv_nsec += millis % 1000 * 1000000;
    if (time->tv_nsec >= 1000000000) {
        time->tv_sec++;
        time->tv_nsec -= 1000000000;
    } else if (time->tv_nsec < 0) {
        time->tv_sec--;
        time->tv_nsec += 1000000000;
    }
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (real_clock_gettime == NULL) { /* called by a library that began before this one */
        begin();
    }
    int result = real_clock_gettime(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        shift(now, *offset_millis);
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void) zone;
    struct timespec time;
    int result = clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return result;
}

time_t time(time_t *now) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    if (now != NULL) {
        *now = time.tv_sec;
    }
    return time.tv_sec;
}

/* A deadline that was reckoned by the wall clock of this process is an earlier or later one to the kernel. */
int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
        const struct timespec *restrict deadline) {
    struct timespec real = *deadline;
    if (real.tv_sec > LONGEST_UPTIME) {
        shift(&real, -*offset_millis);
    }
    return real_timedwait(cond, mutex, &real);
}
