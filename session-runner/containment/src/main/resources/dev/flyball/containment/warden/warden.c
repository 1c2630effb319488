/*
 * Holds one session: starts its agent, ends its whole tree when the deadline has passed, when the
 * runner is dead or when the agent has ended, and exits when nothing of it is left.
 *
 * Level A: the agent runs in a PID namespace. Its first process, init, is our child, and the
 * kernel ends every process of the namespace with it.
 * Level B: without namespaces. Two of us, one around the other, are subreapers: each process of
 * the tree that loses its parent becomes our child, so nothing can leave the tree.
 *
 * Standard input is the deadline's file: twice the same time since boot, in centiseconds. It is
 * moved by the runner alone. The file of the launch holds the number of arguments, the arguments
 * and the variables of the agent, each ended by a zero byte: arguments of ours would be visible to
 * every user, and variables of ours to each process of the same user.
 *
 * Usage: warden a|b SESSION RUNNER-PID TICK-MS LAUNCH-FILE PROMPT-FILE OPTIONS [CONTROL-GROUP...]
 * OPTIONS: letters; u a user namespace, m a separate /proc, n no network, - none.
 * Exit code: that of the agent, 128 + N if signal N ended it; 137 without an agent or at the
 * deadline; 125 if this machine lacks what is needed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/types.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The same on every architecture; old headers lack them. */
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#define INTO_CGROUP 0x200000000ULL

/* Exit codes of ours. */
enum { UNABLE = 125, NOT_EXECUTABLE = 126, NOT_FOUND = 127, ENDED = 137 };

/* Where the runner looks for the byte that says that nothing is left (session.Deadline). */
enum { ORDERLY_END = 32 };

/* The runner's out-of-memory killer takes agents first (as init.sh and prelude.sh do). */
#define OOM_SCORE "500"

/* Deepest chain of parents that is stopped from the top; what lies deeper comes up to us later. */
enum { DEEPEST = 64 };

static char **command;
static char **variables;
static char *prompt;
static char *shown; /* our arguments, as /proc shows them */
static size_t shown_size;
static long long deadline; /* as last read, in centiseconds since boot */

static _Noreturn void fail(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  dprintf(2, "flyball: ");
  vdprintf(2, format, arguments);
  dprintf(2, "\n");
  va_end(arguments);
  _exit(code);
}

static int must(int result, const char *what) {
  if (result < 0) {
    fail(UNABLE, "%s: %s", what, strerror(errno));
  }
  return result;
}

static long long now(void) {
  struct timespec time;
  /* Without a clock everything counts as past. */
  return clock_gettime(CLOCK_BOOTTIME, &time) == 0
             ? time.tv_sec * 100LL + time.tv_nsec / 10000000
             : LLONG_MAX;
}

/* Whether the deadline has passed. Two values that differ were read during a write. */
static int past(void) {
  char text[33] = {0};
  long long first, second;
  if (pread(0, text, 32, 0) == 32 && sscanf(text, "%lld %lld", &first, &second) == 2
      && first == second) {
    deadline = first;
  }
  return now() >= deadline;
}

static int put(const char *file, const char *text) {
  int fd = open(file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    return -1;
  }
  ssize_t written = write(fd, text, strlen(text));
  int error = errno;
  close(fd);
  errno = error;
  return written == (ssize_t)strlen(text) ? 0 : -1;
}

/* Reads the launch file into command and variables, and removes it. */
static void take(const char *file) {
  struct stat status;
  int fd = must(open(file, O_RDONLY | O_CLOEXEC), file);
  must(fstat(fd, &status), file);
  must(unlink(file), file);
  size_t size = (size_t)status.st_size, words = 0;
  char *text = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  close(fd);
  if (text == MAP_FAILED || text[size - 1] != 0) {
    fail(UNABLE, "%s: not a whole launch", file);
  }
  for (size_t i = 0; i < size; i++) {
    words += text[i] == 0;
  }
  char *end;
  unsigned long arguments = strtoul(text, &end, 10);
  char **all = calloc(words + 2, sizeof *all);
  if (all == NULL || *end != 0 || arguments < 1 || arguments >= words) {
    fail(UNABLE, "%s: not a launch", file);
  }
  command = all;
  variables = all + arguments + 1;
  char *word = end + 1;
  for (size_t i = 0; i < words - 1; i++) {
    all[i < arguments ? i : i + 1] = word;
    word += strlen(word) + 1;
  }
}

/* Becomes the agent. */
static _Noreturn void become_agent(int leads_session) {
  sigset_t none;
  int input = open(prompt, O_RDONLY | O_CLOEXEC);
  if (input < 0) {
    fail(NOT_EXECUTABLE, "%s: %s", prompt, strerror(errno));
  }
  if (leads_session) {
    setsid();
  }
  /* Some containers deny it; an agent that is not first to be ended is no reason to refuse. */
  (void)!put("/proc/self/oom_score_adj", OOM_SCORE);
  /* What the runner ignores is no concern of the agent. */
  for (int each = 1; each < NSIG; each++) {
    signal(each, SIG_DFL);
  }
  /* The last moment: the process may have been frozen since the last look. */
  if (past()) {
    fail(ENDED, "not started, its deadline has passed");
  }
  must(dup2(input, 0), "dup2");
  sigemptyset(&none);
  must(sigprocmask(SIG_SETMASK, &none, NULL), "sigprocmask");
  environ = variables;
  execvp(command[0], command);
  fail(errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE, "%s: %s", command[0], strerror(errno));
}

static int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Nothing of ours that init does not need is left in it: the agent can look into /proc. */
static void hide_from_agent(void) {
  int null = must(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null");
  for (int fd = 0; fd < 3; fd++) {
    must(dup2(null, fd), "dup2");
  }
  must((int)syscall(SYS_close_range, 3, ~0U, 0), "close_range");
}

static void rename_init(void) {
  prompt = strdup(prompt);
  if (prompt == NULL) {
    fail(UNABLE, "no memory");
  }
  memset(shown, 0, shown_size);
  strncpy(shown, "flyball-init", shown_size - 1);
}

/* The namespace's first process: reaps orphans; the kernel ends the rest with it. */
static _Noreturn void be_init(const char *options, char **groups, int alive) {
  /* Ends with the warden. If it is dead already, the other end of this pipe is closed. */
  must(prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl");
  struct pollfd warden = {.fd = alive, .events = POLLIN};
  if (poll(&warden, 1, 0) != 0) {
    _exit(ENDED);
  }
  for (; *groups != NULL; groups++) {
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s/cgroup.procs", *groups);
    must(put(file, "0"), file);
  }
  if (strchr(options, 'm') != NULL) {
    must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "mount /");
    must(mount("proc", "/proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL), "mount /proc");
  }
  rename_init();
  int hidden[2];
  must(pipe2(hidden, O_CLOEXEC), "pipe");
  pid_t agent = must(fork(), "fork");
  if (agent == 0) {
    char none;
    close(hidden[1]);
    (void)!read(hidden[0], &none, 1); /* until init has closed the other end */
    become_agent(0);
  }
  hide_from_agent();
  int status;
  pid_t ended;
  while ((ended = waitpid(-1, &status, 0)) != agent) {
    if (ended < 0 && errno != EINTR) {
      _exit(UNABLE);
    }
  }
  _exit(code_of(status));
}

/* In a user namespace: this user only, by its own number. */
static void map_self(uid_t uid, gid_t gid) {
  char line[64];
  /* The files belong to root while nobody may look into this process. */
  must(prctl(PR_SET_DUMPABLE, 1), "prctl");
  snprintf(line, sizeof line, "%u %u 1", uid, uid);
  must(put("/proc/self/uid_map", line), "/proc/self/uid_map");
  must(put("/proc/self/setgroups", "deny"), "/proc/self/setgroups");
  snprintf(line, sizeof line, "%u %u 1", gid, gid);
  must(put("/proc/self/gid_map", line), "/proc/self/gid_map");
  must(prctl(PR_SET_DUMPABLE, 0), "prctl");
}

struct arguments {
  __aligned_u64 flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  __aligned_u64 set_tid, set_tid_size, cgroup;
};

/* A fork with flags; into the control group of this folder, if it is one and the kernel can. */
static pid_t fork_into(uint64_t flags, const char *group, int *joined) {
  *joined = 0;
  if (group != NULL) {
    int folder = open(group, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct arguments into = {
        .flags = flags | INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)folder};
    *joined = 1;
    long pid = folder < 0 ? -1 : syscall(SYS_clone3, &into, sizeof into);
    if (pid >= 0) {
      if (folder >= 0) {
        close(folder);
      }
      return (pid_t)pid;
    }
    close(folder);
    *joined = 0;
  }
  struct arguments plain = {.flags = flags, .exit_signal = SIGCHLD};
  long pid = syscall(SYS_clone3, &plain, sizeof plain);
  /* Filters of containers answer that there is no clone3. */
  return pid < 0 && errno == ENOSYS
             ? (pid_t)syscall(SYS_clone, (unsigned long)flags | SIGCHLD, 0, 0, 0, 0)
             : (pid_t)pid;
}

/* Starts init at level A; returns its pid. */
static pid_t start_namespace(const char *options, char **groups) {
  uid_t uid = geteuid();
  gid_t gid = getegid();
  int alive[2], joined;
  must(pipe2(alive, O_CLOEXEC), "pipe");
  uint64_t flags = CLONE_NEWPID | (strchr(options, 'u') ? CLONE_NEWUSER : 0)
                   | (strchr(options, 'm') ? CLONE_NEWNS : 0)
                   | (strchr(options, 'n') ? CLONE_NEWNET : 0);
  pid_t init = must(fork_into(flags, groups[0], &joined), "clone");
  if (init == 0) {
    close(alive[1]);
    if (strchr(options, 'u') != NULL) {
      map_self(uid, gid);
    }
    be_init(options, joined ? groups + 1 : groups, alive[0]);
  }
  close(alive[0]); /* the other end stays open as long as we live */
  return init;
}

/* Our children, or those of another process, as the kernel lists them; returns how many. */
static int children(pid_t of, pid_t *found, int most) {
  char name[64], text[4096];
  snprintf(name, sizeof name, "/proc/%d/task/%d/children", of, of);
  int fd = open(name, O_RDONLY | O_CLOEXEC), count = 0;
  if (fd < 0) {
    return 0;
  }
  ssize_t size = read(fd, text, sizeof text - 1);
  close(fd);
  if (size <= 0) {
    return 0;
  }
  text[size] = 0;
  if (size == sizeof text - 1 && text[size - 1] != ' ') {
    char *last = strrchr(text, ' '); /* the last number may be cut off; the next round has it */
    *(last == NULL ? text : last) = 0;
  }
  for (char *at = text; count < most && *at != 0;) {
    char *end;
    long pid = strtol(at, &end, 10);
    if (end == at) {
      break;
    }
    found[count++] = (pid_t)pid;
    for (at = end; *at == ' '; at++) {
    }
  }
  return count;
}

/* Whether a process is still this one's child, so that its pid is that of no stranger. */
static int is_child(pid_t pid, pid_t parent) {
  char name[64], text[512];
  snprintf(name, sizeof name, "/proc/%d/stat", pid);
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return 0;
  }
  ssize_t size = read(fd, text, sizeof text - 1);
  close(fd);
  text[size > 0 ? size : 0] = 0;
  char *after = strrchr(text, ')'), state;
  int of;
  return after != NULL && sscanf(after + 1, " %c %d", &state, &of) == 2 && of == parent;
}

/*
 * Stops and kills everything below, from the top: a stopped process starts no more. What got
 * another parent meanwhile became our child, and the next round finds it.
 */
static void end_below(pid_t parent, int depth) {
  pid_t found[512];
  int count = children(parent, found, 512);
  for (int i = 0; i < count; i++) {
    int fd = (int)syscall(SYS_pidfd_open, found[i], 0);
    if (fd < 0) {
      continue;
    }
    if (is_child(found[i], parent)) {
      syscall(SYS_pidfd_send_signal, fd, SIGSTOP, NULL, 0);
      if (depth < DEEPEST) {
        end_below(found[i], depth + 1);
      }
      syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
    }
    close(fd);
  }
}

/* Reaps whatever has ended. Returns 0 if there is no child left; sets the agent's exit code. */
static int reap(pid_t agent, int *code) {
  int status;
  pid_t ended;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended == agent) {
      *code = code_of(status);
    }
  }
  return !(ended < 0 && errno == ECHILD);
}

/* Records that nothing is left: an exit code can be the agent's, or of a warden that was killed. */
static void record_orderly_end(void) {
  int fd = open("/proc/self/fd/0", O_WRONLY | O_CLOEXEC);
  if (fd >= 0) {
    (void)!pwrite(fd, "\1", 1, ORDERLY_END);
    close(fd);
  }
}

static void set_timer(int timer, long tick_ms) {
  long long next = now() * 10 + tick_ms, end = deadline < LLONG_MAX / 10 ? deadline * 10 : next;
  long long at = next < end ? next : end;
  struct itimerspec when = {
      .it_value = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000 + 1}};
  must(timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL), "timerfd_settime");
}

/* What a warden waits for. */
struct watch {
  pid_t parent; /* whose end is ours */
  int parent_fd, signals, timer;
};

static struct watch watch(pid_t parent) {
  sigset_t all;
  sigfillset(&all);
  must(sigprocmask(SIG_SETMASK, &all, NULL), "sigprocmask");
  struct watch on = {
      .parent = parent,
      .parent_fd = must((int)syscall(SYS_pidfd_open, parent, 0), "pidfd_open"),
      .signals = must(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd"),
      .timer = must(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd")};
  if (past() || getppid() != parent) {
    fail(ENDED, "not started, its deadline has passed");
  }
  return on;
}

/* Waits until nothing is left of a session whose first process is this child; returns its code. */
static int hold(struct watch on, pid_t child, int level_a, long tick) {
  /* The reader of the agent's output sees its end only when no process holds it open. */
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, 1);
    dup2(null, 2);
  }
  int code = -1, ending = 0, rounds = 0;
  while (reap(child, &code)) {
    ending |= code >= 0 || past() || getppid() != on.parent;
    if (ending && level_a) {
      kill(child, SIGKILL); /* not reaped, so the pid is that of init */
    } else if (ending) {
      end_below(getpid(), 0);
    }
    rounds += ending;
    struct pollfd news[] = {
        {.fd = on.signals, .events = POLLIN},
        {.fd = ending ? -1 : on.timer, .events = POLLIN},
        {.fd = ending ? -1 : on.parent_fd, .events = POLLIN}};
    if (!ending) {
      set_timer(on.timer, tick);
    }
    /* At first without a rest: a process can move to another pid within microseconds. */
    poll(news, 3, ending ? (rounds < 20 ? 0 : rounds < 200 ? 1 : 20) : -1);
    struct signalfd_siginfo info;
    while (read(on.signals, &info, sizeof info) == (ssize_t)sizeof info) {
      ending |= info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT || info.ssi_signo == SIGHUP;
    }
  }
  if (!level_a) {
    record_orderly_end();
  }
  return code < 0 ? ENDED : code;
}

/*
 * Level B: a second warden around the agent. If one of the two is killed or stopped, the other ends
 * the tree: without the outer one it sees that its parent is gone, without the inner one all of the
 * tree comes up to the outer one.
 */
static pid_t start_inner(long tick) {
  pid_t outer = getpid();
  pid_t inner = must(fork(), "fork");
  if (inner == 0) {
    must(prctl(PR_SET_CHILD_SUBREAPER, 1), "prctl");
    struct watch on = watch(outer);
    pid_t agent = must(fork(), "fork");
    if (agent == 0) {
      become_agent(1);
    }
    _exit(hold(on, agent, 0, tick));
  }
  return inner;
}

static long number(const char *text, long most) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno != 0 || *end != 0 || value < 1 || value > most) {
    fail(UNABLE, "%.20s is not a number from 1 to %ld", text, most);
  }
  return value;
}

int main(int count, char **given) {
  if (count < 8 || (strcmp(given[1], "a") != 0 && strcmp(given[1], "b") != 0)) {
    fail(UNABLE, "usage: warden a|b session runner tick launch prompt options [group...]");
  }
  int level_a = given[1][0] == 'a';
  pid_t runner = (pid_t)number(given[3], INT_MAX);
  long tick = number(given[4], 3600000); /* ms */
  prompt = given[6];
  shown = given[0];
  shown_size = (size_t)(given[count - 1] + strlen(given[count - 1]) - given[0]);
  must(prctl(PR_SET_DUMPABLE, 0), "prctl");
  if (level_a) {
    must(prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl"); /* also while we are stopped */
  } else {
    must(prctl(PR_SET_CHILD_SUBREAPER, 1), "prctl");
  }
  take(given[5]);
  setsid(); /* fails if we lead one already */
  struct watch on = watch(runner);
  pid_t child = level_a ? start_namespace(given[7], given + 8) : start_inner(tick);
  return hold(on, child, level_a, tick);
}
