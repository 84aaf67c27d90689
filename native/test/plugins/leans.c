/* Depends on another library (answers.c), whose handlers are not its own. */
#include "../../include/service_plugin.h"

SERVICE_PLUGIN

const char* GETEmptyHandler(void);
SERVICE_HANDLER const char* GETLeanHandler(void) {
  return GETEmptyHandler()[0] == '\0' ? "\"leans\"" : "\"wrong\"";
}
