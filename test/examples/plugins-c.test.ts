import { testExample } from './plugin-example.js';

testExample('c', 'cc', {
  source: `
SERVICE_HANDLER const char* GETFailHandler(void) { return NULL; }
`,
  error: '502 plugin_response_invalid',
});
