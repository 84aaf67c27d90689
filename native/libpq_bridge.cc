// What the private copies of libpq's addon call instead of the functions they were built with (see
// src/pg/libpq-addon.ts, which redirects the imports): its own uses the main thread's loop, from whatever thread.
#include <uv.h>

#include "environment.h"

using sql_rest::Environment;

// The calling thread's loop, for the loop of libpq's poll handle.
extern "C" __attribute__((visibility("default"))) uv_loop_t* SR_default_loop() {
  Environment* environment = Environment::Current();
  return environment == nullptr ? uv_default_loop() : environment->loop();
}
