module service_plugin

go 1.19
