/* The C side of service_plugin.go; cgo compiles both. */
#include "service_plugin.h"

#include <stdlib.h>

SERVICE_PLUGIN
/* C.CString allocates with malloc. */
SERVICE_PLUGIN_RELEASE(free)
