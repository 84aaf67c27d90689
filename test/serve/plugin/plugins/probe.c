/* Handlers for tests of host processes: process state, delays, and every kind of crash. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <service_plugin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

SERVICE_PLUGIN

extern char** environ;

/* The response of GETVersionHandler; tests compile other versions. */
#ifndef VERSION
#define VERSION "\"1\""
#endif

static __thread char text[1 << 16];

static int number(const char* name, int otherwise) {
  const service_parameter* parameter = service_param(&URLQuery, name);
  return parameter == NULL ? otherwise : atoi(parameter->values[0].data);
}

SERVICE_HANDLER const char* GETVersionHandler(void) { return VERSION; }

SERVICE_HANDLER const char* GETPidHandler(void) {
  snprintf(text, sizeof text, "%d", (int)getpid());
  return text;
}

SERVICE_HANDLER const char* GETSleepHandler(void) {
  usleep((useconds_t)number("ms", 100) * 1000);
  return "\"slept\"";
}

/* Waits until a file exists. */
SERVICE_HANDLER const char* GETWaitHandler(void) {
  const service_parameter* file = service_param(&URLQuery, "file");
  while (access(file->values[0].data, F_OK) != 0) usleep(1000);
  return "\"waited\"";
}

/* Records its calls in a file, which shows a call that ran twice. */
SERVICE_HANDLER const char* GETMarkHandler(void) {
  const service_parameter* file = service_param(&URLQuery, "file");
  const service_parameter* mark = service_param(&URLQuery, "mark");
  FILE* marks = fopen(file->values[0].data, "a");
  fprintf(marks, "%s\n", mark->values[0].data);
  fclose(marks);
  usleep((useconds_t)number("ms", 0) * 1000);
  return "\"marked\"";
}

SERVICE_HANDLER const char* GETEnvironmentHandler(void) {
  size_t length = 0;
  char** variable;
  for (variable = environ; *variable != NULL; variable++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s\n", *variable);
  return text;
}

SERVICE_HANDLER const char* GETDescriptorsHandler(void) {
  DIR* folder = opendir("/proc/self/fd");
  struct dirent* entry;
  size_t length = 0;
  while ((entry = readdir(folder)) != NULL)
    if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(folder)) {
      char target[256] = "";
      char path[64];
      snprintf(path, sizeof path, "/proc/self/fd/%.20s", entry->d_name);
      if (readlink(path, target, sizeof target - 1) < 0) continue;
      length += (size_t)snprintf(text + length, sizeof text - length, "%.20s %s\n", entry->d_name,
                                 target);
    }
  closedir(folder);
  return text;
}

SERVICE_HANDLER const char* GETPrintHandler(void) {
  printf("printed to stdout\n");
  fflush(stdout);
  return "\"printed\"";
}

SERVICE_HANDLER const char* GETSegvHandler(void) {
  *(volatile int*)8 = 1;
  return "";
}

SERVICE_HANDLER const char* GETAbortHandler(void) { abort(); }

SERVICE_HANDLER const char* GETExitHandler(void) { exit(0); }

SERVICE_HANDLER const char* GETQuickExitHandler(void) { _exit(0); }

SERVICE_HANDLER const char* GETQuickHandler(void) { quick_exit(0); }

SERVICE_HANDLER const char* GETKillHandler(void) {
  kill(getpid(), SIGKILL);
  pause();
  return "";
}

static volatile int deep_enough;

static int deeper(volatile char* above) {
  volatile char here[4096];
  here[0] = above[0];
  return deep_enough ? 0 : deeper(here) + here[0];
}

SERVICE_HANDLER const char* GETOverflowHandler(void) {
  volatile char bottom[1] = {1};
  return deeper(bottom) == 0 ? "" : "1";
}

static void* crash(void* argument) {
  *(volatile int*)8 = 1;
  return argument;
}

/* A thread started by the plugin crashes. */
SERVICE_HANDLER const char* GETThreadSegvHandler(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, crash, NULL);
  pthread_join(thread, NULL);
  return "";
}

/* A forked process crashes or exits; this one continues. */
SERVICE_HANDLER const char* GETForkHandler(void) {
  const pid_t child = fork();
  if (child == 0) {
    if (number("exit", 0)) exit(0);
    abort();
  }
  waitpid(child, NULL, 0);
  return "\"forked\"";
}

SERVICE_HANDLER const char* GETEndThreadHandler(void) { pthread_exit(NULL); }

/* Returns in both processes, with the id of the new one. */
SERVICE_HANDLER const char* GETTwiceHandler(void) {
  snprintf(text, sizeof text, "%d", (int)fork());
  return text;
}

/* Writes garbage to the channel of the host process. */
SERVICE_HANDLER const char* GETNothingHandler(void) {
  static const char nothing[1001];
  return write(3, nothing, sizeof nothing) < 0 ? "" : "\"written\"";
}

SERVICE_HANDLER const char* GETHangHandler(void) {
  for (;;) pause();
}

SERVICE_HANDLER const char* GETLeakHandler(void) {
  const size_t bytes = (size_t)number("mib", 1) << 20;
  char* leaked = malloc(bytes);
  size_t i;
  for (i = 0; i < bytes; i += 4096) leaked[i] = 1;
  return "\"leaked\"";
}

SERVICE_HANDLER void POSTLengthHandler(const service_request* request,
                                       service_response* response) {
  char length[32];
  const int digits = snprintf(length, sizeof length, "%zu", request->body_length);
  service_write(response, length, (size_t)digits);
}
SERVICE_RESPONSE_FORM(POSTLengthHandler)

SERVICE_HANDLER void GETTypedHandler(const service_request* request, service_response* response) {
  const int bytes = number("bytes", 3);
  char* body = malloc((size_t)bytes);
  memset(body, request->method.data[0], (size_t)bytes);
  service_set_status(response, 203);
  service_add_header(response, "Content-Type", "text/plain");
  service_add_header(response, "X-One", "1");
  service_write(response, body, (size_t)bytes);
  free(body);
}
SERVICE_RESPONSE_FORM(GETTypedHandler)
