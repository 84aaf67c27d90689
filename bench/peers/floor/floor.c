/*
 * What no framework is below: epoll, PostgreSQL's protocol by hand on connections that libpq opened, prepared statements with
 * a Sync each, pipelined, and two threads with clients and connections of their own. It reads just what the requests of the
 * benchmark have, never copies a result, and gives up with a message where anything else happens.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <libpq-fe.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { THREADS = 2, MOST_PG = 64, MOST_FDS = 4096, EVENTS = 512, QUEUE = 4096 };

static void fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

/* Bytes at [start, end) of memory that grows. */
struct buffer {
  char* data;
  size_t start, end, size;
};

static char* room(struct buffer* b, size_t wanted) {
  if (b->start == b->end) b->start = b->end = 0;
  if (b->size - b->end < wanted && b->start > 0) {
    memmove(b->data, b->data + b->start, b->end - b->start);
    b->end -= b->start;
    b->start = 0;
  }
  if (b->size - b->end < wanted) {
    b->size = (b->size + wanted) * 2;
    if (!(b->data = realloc(b->data, b->size))) fail("memory");
  }
  return b->data + b->end;
}

static void put(struct buffer* b, const void* bytes, size_t length) {
  memcpy(room(b, length), bytes, length);
  b->end += length;
}

static void put16(struct buffer* b, unsigned value) { put(b, &(uint16_t){htons(value)}, 2); }
static void put32(struct buffer* b, uint32_t value) { put(b, &(uint32_t){htonl(value)}, 4); }
static uint32_t get32(const char* at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return ntohl(value);
}

/* Reads what has arrived; 0 at the end of the connection. */
static int receive(int fd, struct buffer* b) {
  char* at = room(b, 64 << 10);
  ssize_t n = read(fd, at, b->size - b->end);
  if (n > 0) b->end += n;
  return n > 0 || (n < 0 && errno == EAGAIN);
}

/* A full socket is waited for. */
static int send_all(int fd, struct iovec* parts, int count) {
  while (count > 0) {
    ssize_t n = sendmsg(fd, &(struct msghdr){.msg_iov = parts, .msg_iovlen = count}, MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN) return 0;
    if (n < 0) poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
    for (; n > 0 && count > 0; parts++, count--) {
      size_t taken = (size_t)n < parts->iov_len ? (size_t)n : parts->iov_len;
      parts->iov_base = (char*)parts->iov_base + taken;
      parts->iov_len -= taken;
      n -= taken;
      if (parts->iov_len > 0) break;
    }
  }
  return 1;
}

#define ACCOUNTS(rest)                                                                        \
  "SELECT coalesce(json_agg(s), '[]') FROM (SELECT id, owner, email, city, balance, active, " \
  "created "                                                                                  \
  "FROM accounts WHERE " rest ") s"

/* The cases: their path, the parameters of their query string in this order, and their statement. */
static const struct {
  const char *name, *parameters[3], *sql;
} CASES[] = {
    {"one", {"id"}, ACCOUNTS("id = $1")},
    {"page", {"from"}, ACCOUNTS("id >= $1 ORDER BY id LIMIT 100")},
    {"insert",
     {"account", "kind", "note"},
     "INSERT INTO events (account, kind, note) VALUES ($1, $2, $3)"},
    {"interpolated", {"id"}, ACCOUNTS("id = ")},
};
enum { COUNT = sizeof CASES / sizeof *CASES, INSERT = 2, INTERPOLATED = 3 };

struct connection {
  int fd;
  struct buffer in, out;
  /* Who waits for responses, first at `head`: indexes of clients with their generation. */
  uint64_t waiting[QUEUE];
  unsigned head, tail;
  int rows;
};

struct client {
  struct buffer in;
  uint32_t generation;
  int busy;
};

struct thread {
  int epoll, count;
  struct connection pg[MOST_PG];
  unsigned next;
};

static struct thread threads[THREADS];
static int thread_count, listener;
/* By descriptor; only the thread whose epoll has it uses one. */
static struct client clients[MOST_FDS];

/* Ends with the value of a parameter, decoded into `value`; its length, -1 when it is missing. */
static int parameter(const char* query, const char* end, const char* name, char* value, int size) {
  size_t length = strlen(name);
  for (const char* at = query; at < end; at++) {
    const char* stop = memchr(at, '&', end - at);
    if (!stop) stop = end;
    if ((size_t)(stop - at) > length && !memcmp(at, name, length) && at[length] == '=') {
      int n = 0;
      for (at += length + 1; at < stop && n < size; at++) {
        unsigned code;
        if (*at == '%' && stop - at > 2 && sscanf(at + 1, "%2x", &code) == 1)
          value[n++] = code, at += 2;
        else
          value[n++] = *at == '+' ? ' ' : *at;
      }
      return n;
    }
    at = stop;
  }
  return -1;
}

static void bad_request(int fd) {
  static const char text[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
  send_all(fd, &(struct iovec){(void*)text, sizeof text - 1}, 1);
}

/* Writes Parse (of a text that is never the same), Bind, Execute and Sync. */
static int enqueue(struct connection* pg, int which, const char* query, const char* end) {
  char values[3][512];
  int lengths[3], count = 0, total = 0;
  for (; count < 3 && CASES[which].parameters[count]; count++) {
    int n = parameter(query, end, CASES[which].parameters[count], values[count], sizeof *values);
    if (n < 0) return 0;
    total += 4 + (lengths[count] = n);
  }
  const char* name = CASES[which].name;
  if (which == INTERPOLATED) {
    if (strspn(values[0], "0123456789") < (size_t)lengths[0]) return 0;
    size_t before = strlen(CASES[which].sql) - 3; /* the end of the statement, ") s" */
    put(&pg->out, "P", 1);
    put32(&pg->out, 4 + 1 + before + lengths[0] + 4 + 2);
    put(&pg->out, "", 1);
    put(&pg->out, CASES[which].sql, before);
    put(&pg->out, values[0], lengths[0]);
    put(&pg->out, ") s", 4);
    put16(&pg->out, 0);
    name = "";
    count = total = 0;
  }
  put(&pg->out, "B", 1);
  put32(&pg->out, 4 + 1 + strlen(name) + 1 + 2 + 2 + total + 2);
  put(&pg->out, "", 1);
  put(&pg->out, name, strlen(name) + 1);
  put16(&pg->out, 0);
  put16(&pg->out, count);
  for (int i = 0; i < count; i++) put32(&pg->out, lengths[i]), put(&pg->out, values[i], lengths[i]);
  put16(&pg->out, 0);
  put(&pg->out, "E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04", 15);
  return 1;
}

/* Takes the requests of a client that are whole. One is answered before the next is read. */
static void read_request(struct thread* t, int fd) {
  struct client* client = &clients[fd];
  struct buffer* in = &client->in;
  char* start = in->data + in->start;
  char* end = memmem(start, in->end - in->start, "\r\n\r\n", 4);
  if (client->busy || !end) return;
  in->start = end + 4 - in->data;
  static const char prefix[] = "/_QUERIES/bench/";
  char* path = memmem(start, end - start, prefix, sizeof prefix - 1);
  char* query = path ? memchr(path, '?', end - path) : NULL;
  char* space = query ? memchr(query, ' ', end - query) : NULL;
  if (!space) return bad_request(fd);
  path += sizeof prefix - 1;
  struct connection* pg = &t->pg[t->next++ % t->count];
  if (pg->tail - pg->head == QUEUE) fail("queue");
  for (int i = 0; i < COUNT; i++)
    if (strlen(CASES[i].name) == (size_t)(query - path) &&
        !memcmp(CASES[i].name, path, query - path)) {
      if (!enqueue(pg, i, query + 1, space)) break;
      pg->waiting[pg->tail++ % QUEUE] = (uint64_t)client->generation << 32 | fd;
      client->busy = 1;
      return;
    }
  bad_request(fd);
}

static void answer(struct connection* pg, char* body, size_t length) {
  uint64_t waiting = pg->waiting[pg->head % QUEUE];
  int fd = (uint32_t)waiting;
  struct client* client = &clients[fd];
  if (client->generation != waiting >> 32) return; /* it has gone */
  char head[128];
  int n = snprintf(
      head, sizeof head,
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", length);
  client->busy = 0;
  send_all(fd, (struct iovec[]){{head, n}, {body, length}}, 2);
}

static void read_responses(struct thread* t, struct connection* pg) {
  struct buffer* in = &pg->in;
  if (!receive(pg->fd, in)) fail("PostgreSQL");
  while (in->end - in->start >= 5) {
    char* message = in->data + in->start;
    uint32_t length = get32(message + 1);
    if (in->end - in->start < 1 + length) return;
    in->start += 1 + length;
    if (*message == 'D') { /* type, length, number of columns, length of the first */
      pg->rows++;
      answer(pg, message + 11, get32(message + 7));
    } else if (*message == 'C' && pg->rows == 0) { /* INSERT 0 1 */
      char body[64];
      answer(pg, body,
             snprintf(body, sizeof body, "{\"rows_affected\":%s}", strrchr(message + 5, ' ') + 1));
    } else if (*message == 'E') {
      fprintf(stderr, "%.*s\n", (int)length - 4, message + 5);
      exit(1);
    } else if (*message == 'Z') {
      int fd = (uint32_t)pg->waiting[pg->head++ % QUEUE];
      pg->rows = 0;
      if (clients[fd].in.end > clients[fd].in.start) read_request(t, fd);
    }
  }
}

static void watch(struct thread* t, int fd, uint64_t data) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = data};
  if (epoll_ctl(t->epoll, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll");
}

/* Data of epoll: a descriptor of a client, or a connection above this. */
enum { PG = MOST_FDS };

/* The first thread accepts, and gives each thread as many clients. */
static void accept_client(void) {
  static unsigned next;
  int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
  if (fd < 0) return;
  if (fd >= MOST_FDS) fail("descriptors");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  clients[fd].busy = 0;
  clients[fd].in.start = clients[fd].in.end = 0;
  watch(&threads[next++ % thread_count], fd, fd);
}

static void* run(void* argument) {
  struct thread* t = argument;
  struct epoll_event events[EVENTS];
  for (;;) {
    int n = epoll_wait(t->epoll, events, EVENTS, -1);
    for (int i = 0; i < n; i++) {
      uint64_t data = events[i].data.u64;
      if (data >= PG) {
        read_responses(t, &t->pg[data - PG]);
      } else if ((int)data == listener) {
        accept_client();
      } else if (receive(data, &clients[data].in)) {
        read_request(t, data);
      } else {
        clients[data].generation++;
        close(data);
      }
    }
    for (int i = 0; i < t->count; i++) { /* what this turn has written, at once */
      struct buffer* out = &t->pg[i].out;
      if (out->end == out->start) continue;
      if (!send_all(t->pg[i].fd, &(struct iovec){out->data + out->start, out->end - out->start}, 1))
        fail("PostgreSQL");
      out->start = out->end = 0;
    }
  }
  return NULL;
}

static void connect_all(struct thread* t, int count, const char* url) {
  for (t->count = 0; t->count < count; t->count++) {
    PGconn* connection = PQconnectdb(url);
    for (int i = 0; i < INTERPOLATED; i++)
      PQclear(PQprepare(connection, CASES[i].name, CASES[i].sql, 0, NULL));
    if (PQstatus(connection) != CONNECTION_OK || *PQerrorMessage(connection)) {
      fprintf(stderr, "%s", PQerrorMessage(connection));
      exit(1);
    }
    PQsetnonblocking(connection, 1);
    t->pg[t->count].fd = PQsocket(connection);
    watch(t, t->pg[t->count].fd, PG + t->count);
  }
}

static void listen_on(int port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (bind(listener, (struct sockaddr*)&address, sizeof address) || listen(listener, 4096))
    fail("listen");
  watch(&threads[0], listener, listener);
}

int main(void) {
  int connections = atoi(getenv("BENCH_CONNECTIONS"));
  thread_count = connections < THREADS ? 1 : THREADS;
  for (int i = 0; i < thread_count; i++) {
    if ((threads[i].epoll = epoll_create1(0)) < 0) fail("epoll");
    int share = connections / thread_count + (i < connections % thread_count);
    connect_all(&threads[i], share, getenv("BENCH_DATABASE"));
  }
  listen_on(atoi(getenv("BENCH_PORT")));
  pthread_t id;
  for (int i = 1; i < thread_count; i++)
    if (pthread_create(&id, NULL, run, &threads[i])) fail("thread");
  run(&threads[0]);
}
