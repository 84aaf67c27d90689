/** The era of a message, and the errors for headers and members that disagree. */
import t from 'tap';
import { eraOf } from '#app/mcp/protocol/era.js';
import { McpHeaders } from '#app/mcp/protocol/headers.js';
import type { McpMessage } from '#app/mcp/protocol/message.js';
import { modern, packed, type Headers } from '../fixed-tools.js';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SUPPORTED = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

function eraWith(message: object, headers: Headers): string {
  return eraOf({ id: '1', params: {}, ...message } as McpMessage, new McpHeaders(packed(headers)));
}

t.test('the legacy era: no version, or a legacy one in the header', (t) => {
  t.equal(eraWith({ method: 'ping' }, {}), 'legacy');
  for (const version of SUPPORTED.slice(1)) {
    const headers = { 'MCP-Protocol-Version': version, 'Mcp-Method': 'other', 'Mcp-Name': 'other' };
    t.equal(eraWith({ method: 'ping' }, headers), 'legacy', version);
    const claim = { method: 'ping', params: { _meta: { [VERSION]: version } } };
    t.equal(eraWith(claim, headers), 'legacy', `${version}, said twice`);
    t.equal(eraWith(claim, {}), 'legacy', `${version}, in the body alone`);
  }
  t.equal(eraWith({ method: 'ping', params: { _meta: { progressToken: 1 } } }, {}), 'legacy');
  t.equal(eraWith({ method: 'ping', params: { _meta: 'none' } }, {}), 'legacy');
  t.end();
});

t.test('the modern era', (t) => {
  t.equal(eraWith(...modern('tools/list')), 'modern');
  t.equal(eraWith(...modern('tools/call', { name: 'echo' })), 'modern');
  t.equal(eraWith(...modern('tools/call', { name: 1 })), 'modern', 'no name, no header for it');
  t.equal(eraWith(...modern('resources/read', { uri: 'a:b' })), 'modern');
  t.equal(eraWith(...modern('resources/read', {})), 'modern', 'no URI, no header for it');
  t.equal(eraWith(...modern('tools/list', { name: 'echo' }, { headers: { 'Mcp-Name': 'x' } })), 'modern'); // prettier-ignore
  const name = { name: 'größe', headers: { 'Mcp-Name': '=?base64?Z3LDtsOfZQ==?=' } };
  t.equal(eraWith(...modern('tools/call', { name: 'größe' }, name)), 'modern');
  t.end();
});

const call = (headers: Record<string, string | undefined>) =>
  modern('tools/call', { name: 'echo' }, { headers });
const list = (headers: Record<string, string | undefined>, meta?: Record<string, unknown>) =>
  modern('tools/list', {}, { headers, ...(meta && { meta }) });
const bare = (version: string) =>
  [{ method: 'ping' }, { 'MCP-Protocol-Version': version }] as const;

const REFUSED: readonly (readonly [
  what: string,
  request: readonly [message: object, headers: Headers],
  code: number,
  says: RegExp | string,
])[] = [
  ['no version in the header', list({ 'MCP-Protocol-Version': undefined }), -32020,
    'the header MCP-Protocol-Version is missing, but params._meta says "2026-07-28": they must be the same'],
  ['another version in the header', list({ 'MCP-Protocol-Version': '2025-11-25' }), -32020, /"2025-11-25"/],
  ['an unknown version in the body', list({}, { [VERSION]: 'v999.0.0' }), -32020, /"v999\.0\.0"/],
  ['two versions in the header', [modern('tools/list')[0],
    [['mcp-protocol-version', '2026-07-28'], ['mcp-protocol-version', '2025-11-25']]], -32020, /"2026-07-28, 2025-11-25"/],
  ['a number as version', list({}, { [VERSION]: 1 }), -32602, /must be a string/],
  ['null as version', list({}, { [VERSION]: null }), -32602, /must be a string/],
  ['the version in the header alone', bare('2026-07-28'), -32602, `"${VERSION}"`],
  ['no capabilities', list({}, { [CAPABILITIES]: undefined }), -32602, `"${CAPABILITIES}"`],
  ['a list of capabilities', list({}, { [CAPABILITIES]: [] }), -32602, `"${CAPABILITIES}"`],
  ['a version of the past', bare('2024-10-07'), -32022, /"2024-10-07" is not supported: use one of 2026-07-28, 2025/],
  ['a version to come', list({ 'MCP-Protocol-Version': '2027-01-01' }, { [VERSION]: '2027-01-01' }), -32022, /"2027-01-01"/],
  ['an empty version', bare(''), -32022, /""/],
  ['no method in the header', list({ 'Mcp-Method': undefined }), -32020, /^the header Mcp-Method is missing, but the method is "tools\/list"/],
  ['another method in the header', list({ 'Mcp-Method': 'tools/call' }), -32020, /^the header Mcp-Method is "tools\/call"/],
  ['the method in capitals', list({ 'Mcp-Method': 'TOOLS/LIST' }), -32020, /TOOLS/],
  ['no name in the header', call({ 'Mcp-Name': undefined }), -32020, /^the header Mcp-Name is missing, but params.name is "echo"/],
  ['another name in the header', call({ 'Mcp-Name': 'Echo' }), -32020, /"Echo"/],
  ['no URI in the header', modern('resources/read', { uri: 'a:b' }, { headers: { 'Mcp-Name': undefined } }), -32020,
    'the header Mcp-Name is missing, but params.uri is "a:b": they must be the same'],
  ['the name of a resource in the header', modern('resources/read', { uri: 'a:b', name: 'c' }, { headers: { 'Mcp-Name': 'c' } }), -32020,
    /^the header Mcp-Name is "c", but params\.uri is "a:b"/],
  ['a wrong encoding of the name', call({ 'Mcp-Name': '=?base64?ZWNob?=' }), -32020, /base64/],
  ['a long name', call({ 'Mcp-Name': 'x'.repeat(10_000) }), -32020, /^the header Mcp-Name is "x{100}…", but/],
]; // prettier-ignore

for (const [what, [message, headers], code, says] of REFUSED)
  t.test(`rejected: ${what}`, (t) => {
    const error = t.throws(() => eraWith(message, headers), { code, status: 400, message: says });
    t.equal(error instanceof Error && error.name, 'RpcError');
    t.end();
  });

t.test('the error for an unknown version lists the supported ones', (t) => {
  const data = { supported: SUPPORTED, requested: '1999-01-01' };
  t.throws(() => eraWith(...bare('1999-01-01')), { code: -32022, data });
  t.end();
});

t.test('of a notification only the version in the header is checked', (t) => {
  const notification = { id: undefined, method: 'notifications/initialized' };
  t.equal(eraWith(notification, { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'x' }), 'modern'); // prettier-ignore
  t.equal(eraWith(notification, {}), 'legacy');
  const [, headers] = bare('1999-01-01');
  t.throws(() => eraWith(notification, headers), { code: -32022 });
  t.end();
});
