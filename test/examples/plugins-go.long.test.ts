import t from 'tap';
import { testExample } from './plugin-example.js';

testExample(t, 'go', 'go', {
  source: `
//export GETFailHandler
func GETFailHandler() *C.char { return Text(func() string { panic("failed") }) }
`,
  error: '502 plugin_response_invalid',
});
