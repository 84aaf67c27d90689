import { testExample } from './plugin-example.js';

testExample('rust', 'rustc', {
  source: `
fn fail() -> String {
    panic!("failed")
}
text_handler!(GETFailHandler, fail);
`,
  error: '502 plugin_response_invalid',
});
