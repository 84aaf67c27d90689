{
  "target_defaults": {
    "cflags": [
      "-O2", "-Wall", "-Wextra", "-fvisibility=hidden", "-fstack-protector-strong",
      "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"
    ],
    "cflags_cc!": ["-fno-exceptions"],
    "cflags_cc": ["-std=c++17", "-fexceptions"],
    "libraries": ["-lpthread", "-ldl"]
  },
  "targets": [
    {
      "target_name": "sql_rest_service",
      "sources": ["<!@(cat native/sources.txt native/plugin-sources.txt)"],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")"],
      "defines": [
        "NAPI_VERSION=8", "NAPI_DISABLE_CPP_EXCEPTIONS", "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"
      ],
      "ldflags": [
        "-Wl,-z,relro,-z,now,-z,nodelete",
        "-Wl,--version-script=../native/exports.map"
      ]
    },
    {
      "target_name": "plugin_host",
      "type": "executable",
      "sources": ["<!@(cat native/host-sources.txt native/plugin-sources.txt)"],
      "cflags": ["-fPIE"],
      "ldflags": ["-pie", "-Wl,-z,relro,-z,now"]
    }
  ]
}
