/* The C side of service_plugin.go, which cgo compiles with it. */
#include "service_plugin.h"

#include <stdlib.h>

SERVICE_PLUGIN
/* Go's strings are copied by C.CString, whose memory is malloc's. */
SERVICE_PLUGIN_RELEASE(free)
