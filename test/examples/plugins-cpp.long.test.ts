import t from 'tap';
import { testExample } from './plugin-example.js';

testExample(t, 'cpp', 'c++', {
  source: `
#include <stdexcept>
SERVICE_HANDLER const char* GETFailHandler() { throw std::runtime_error("failed"); }
`,
  error: '502 plugin_crashed',
});
