/* Libraries that cannot be loaded: an undefined symbol, or variables that are too small. */
#include "../../include/service_plugin.h"

#if defined(SMALL)
SERVICE_EXPORT const uint32_t service_plugin_abi = SERVICE_PLUGIN_ABI;
static service_http_vars vars = {8, NULL, 0};
static service_url_query query = {sizeof query, NULL, 0};
service_http_vars* service_plugin_http_vars(void) { return &vars; }
service_url_query* service_plugin_url_query(void) { return &query; }
SERVICE_HANDLER const char* GETHelloHandler(void) { return "1"; }
#else
SERVICE_PLUGIN
const char* nowhere(void);
SERVICE_HANDLER const char* GETHelloHandler(void) { return nowhere(); }
#endif
