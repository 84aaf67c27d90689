import t from 'tap';
import { testExample } from './plugin-example.js';

testExample(t, 'rust', 'rustc', {
  source: `
fn fail() -> String {
    panic!("failed")
}
text_handler!(GETFailHandler, fail);
`,
  error: '502 plugin_response_invalid',
});
