/* A library with symbols that look like handlers but cannot be called. */
#include "../../include/service_plugin.h"

SERVICE_PLUGIN

SERVICE_HANDLER const char* GETFineHandler(void) { return "1"; }

SERVICE_HANDLER const char* GETUndeclaredHandler(void) { return "1"; }
SERVICE_DECLARE_FORM(GETUndeclaredHandler, 9u)

SERVICE_HANDLER const char* GETWideHandler(void) { return "1"; }
SERVICE_EXPORT const uint64_t GETWideHandlerForm = 1;

SERVICE_EXPORT const uint32_t GETDataHandler = 0xC3C3C3C3u;
SERVICE_EXPORT SERVICE_THREAD_LOCAL int GETThreadHandler = 1;

/* The form of a function that the library does not define. */
SERVICE_EXPORT const uint32_t GETAbsentHandlerForm = 1;

SERVICE_EXPORT const char* GETHandler(void) { return "1"; }
SERVICE_EXPORT const char* getLowerHandler(void) { return "1"; }
SERVICE_EXPORT const char* FETCHOtherHandler(void) { return "1"; }
SERVICE_EXPORT const char* _Z17GETMangledHandlerv(void) { return "1"; }
static const char* hidden(void) { return "1"; }
SERVICE_EXPORT const char* GETDotted(void) __asm__("GETDot.tedHandler");
SERVICE_EXPORT const char* GETDotted(void) { return hidden(); }
SERVICE_HANDLER const char*
GETaaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggHandler(void) {
  return "1";
}
SERVICE_HANDLER const char*
GETaaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggHandler(void) {
  return "1";
}

/* The loader chooses the function. */
static const char* chosen(void) { return "\"chosen\""; }
static const char* (*choose(void))(void) { return chosen; }
SERVICE_EXPORT const char* GETChosenHandler(void) __attribute__((ifunc("choose")));
