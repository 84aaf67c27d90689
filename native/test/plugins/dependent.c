/* Depends on forms.c, whose handlers do not become its own. */
#include "../../include/service_plugin.h"

SERVICE_PLUGIN

const char* GETEmptyHandler(void);
SERVICE_HANDLER const char* GETDependentHandler(void) {
  return GETEmptyHandler()[0] == '\0' ? "\"dependent\"" : "\"wrong\"";
}
