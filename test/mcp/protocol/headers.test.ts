/** Headers that MCP uses: surrounding blanks, repetitions, names in base64. */
import t from 'tap';
import { McpHeaders } from '#app/mcp/protocol/headers.js';
import { packed } from '../fixed-tools.js';

t.test('present and absent headers', (t) => {
  const headers = new McpHeaders(
    packed({ Host: 'a', 'MCP-Protocol-Version': ' 2025-11-25\t', 'mcp-method': 'ping' }),
  );
  t.equal(headers.version, '2025-11-25');
  t.equal(headers.method, 'ping');
  t.equal(headers.name, undefined);
  t.same(new McpHeaders(''), {});
  t.end();
});

t.test('a repeated header', (t) => {
  const same = new McpHeaders(packed([['mcp-method', 'a'], ['mcp-method', ' a']])); // prettier-ignore
  t.equal(same.method, 'a');
  const other = new McpHeaders(packed([['mcp-method', 'a'], ['mcp-method', 'b']])); // prettier-ignore
  t.equal(other.method, 'a, b');
  t.end();
});

const base64 = (text: string | Buffer) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

const NAMES: readonly (readonly [what: string, sent: string, name: string | undefined])[] = [
  ['plain', 'service.select.a.b.c', 'service.select.a.b.c'],
  ['encoded', base64('größe "ö"'), 'größe "ö"'],
  ['encoded, with blanks and line breaks', base64(' a\r\n'), ' a\r\n'],
  ['encoded, with a byte order mark', base64('\uFEFFa'), '\uFEFFa'],
  ['encoded, of what looks encoded', base64(base64('a')), base64('a')],
  ['encoded, empty', base64(''), ''],
  ['half of the marks', '=?base64?YQ==', '=?base64?YQ=='],
  ['no padding', '=?base64?YQ?=', undefined],
  ['other characters', '=?base64?Y*Q==?=', undefined],
  ['a blank', '=?base64?YQ== ?=', undefined],
  ['bits left over', '=?base64?YR==?=', undefined],
  ['the alphabet of URLs', '=?base64?_-8=?=', undefined],
  ['no UTF-8', base64(Buffer.from([0xff, 0x61])), undefined],
];

for (const [what, sent, name] of NAMES)
  t.test(`Mcp-Name: ${what}`, (t) => {
    t.equal(new McpHeaders(packed({ 'Mcp-Name': sent })).name, name);
    t.end();
  });
