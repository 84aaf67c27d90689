import t from 'tap';
import { testExample } from './plugin-example.js';

testExample(t, 'c', 'cc', {
  source: `
SERVICE_HANDLER const char* GETFailHandler(void) { return NULL; }
`,
  error: '502 plugin_response_invalid',
});
