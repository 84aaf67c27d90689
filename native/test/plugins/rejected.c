/*
 * Libraries that are rejected, each for the reason that it is compiled with, before any of their code runs: it would
 * abort.
 */
#include <stdlib.h>

#include "../../include/service_plugin.h"

__attribute__((constructor)) static void run(void) { abort(); }

#if defined(NEWER)
SERVICE_EXPORT const uint32_t service_plugin_abi = 0x00020001u;
#elif defined(WIDE)
SERVICE_EXPORT const uint64_t plugin_abi __asm__("service_plugin_abi") = SERVICE_PLUGIN_ABI;
#elif defined(FUNCTION)
SERVICE_EXPORT uint32_t plugin_abi(void) __asm__("service_plugin_abi");
SERVICE_EXPORT uint32_t plugin_abi(void) { return SERVICE_PLUGIN_ABI; }
#elif defined(ALONE)
SERVICE_EXPORT const uint32_t service_plugin_abi = SERVICE_PLUGIN_ABI;
#endif

SERVICE_HANDLER const char* GETHelloHandler(void) { return "1"; }
