/** JSON answers as XML: the recorded shape, digits kept, and well-formed whatever the names and values are. */
import t from 'tap';
import { jsonToXml } from '#app/script/xml.js';

t.test('what is not JSON', (t) => {
  const texts = [
    '',
    '[',
    '{',
    '[1',
    '[1,]',
    '{"a"}',
    '{"a":}',
    '{"a":1',
    '{a:1}',
    '"a',
    '[1]x',
    'nul',
    '[01x]',
    '{"a":1,}',
  ];
  for (const text of texts) t.throws(() => jsonToXml(text), SyntaxError, text);
  t.throws(() => jsonToXml('['.repeat(100_000)), SyntaxError, 'too deep');
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  t.throws(() => jsonToXml(nested(1001)), SyntaxError, 'too deep, if JSON');
  t.equal(jsonToXml(nested(1000)), '<objects><doc/></objects>');
  t.end();
});

t.test('a limit holds to the character', (t) => {
  for (const json of [
    '{"a":[1,[2],{},{"b":"<"}]}',
    '["x",null,"",true]',
    '5',
    '[{"a":{"b":[]}}]',
  ]) {
    const { length } = jsonToXml(json);
    const most = length - '<objects></objects>'.length;
    t.equal(jsonToXml(json, most).length, length);
    t.throws(() => jsonToXml(json, most - 1), RangeError, json);
  }
  t.end();
});

t.test('shapes', (t) => {
  const cases: Record<string, string> = {
    '[]': '',
    '[{"id":1,"name":"gopher","surname":"da silva"}]':
      '<object><id>1</id><name>gopher</name><surname>da silva</surname></object>',
    ' [ { "a" : 1 } , \n { "a" : 2 } ] ': '<object><a>1</a></object><object><a>2</a></object>',
    '{"rows_affected":1}': '<rows_affected>1</rows_affected>',
    '{"rows_affected":2,"rows":[{"a":1},{"a":null}]}':
      '<doc><rows_affected>2</rows_affected><rows><a>1</a></rows><rows><a/></rows></doc>',
    '{"error":"no"}': '<error>no</error>',
    '{"a":{"b":[1,[2,[]]]}}': '<a><b>1</b><b>2</b></a>',
    '{"a":[1]}': '<doc><a>1</a></doc>',
    '[1,"x"]': '<doc><object>1</object><object>x</object></doc>',
    '[{"e":"","n":null,"o":{},"l":[],"t":true}]': '<object><e/><n/><o/><t>true</t></object>',
    '{}': '<doc/>',
    null: '<doc/>',
    '[{"a":1,"a":2}]': '<object><a>1</a><a>2</a></object>',
    '[{"z":1,"a":2,"10":3}]': '<object><z>1</z><a>2</a><_10>3</_10></object>',
    '[{"n":12345678901234567890.12345678901234567890,"e":-1.5E+300}]':
      '<object><n>12345678901234567890.12345678901234567890</n><e>-1.5E+300</e></object>',
    '{"http_vars":{"file":"hello","func":"Hello"},"msg":"Hello","url_query":{"_renderer":["xml"]}}':
      '<doc><http_vars><file>hello</file><func>Hello</func></http_vars><msg>Hello</msg><url_query><_renderer>xml</_renderer></url_query></doc>',
  };
  for (const [json, xml] of Object.entries(cases)) {
    t.equal(jsonToXml(json), `<objects>${xml}</objects>`, json);
  }
  t.end();
});

t.test('names and values that XML has no form for', (t) => {
  const names: Record<string, string> = {
    '?column?': '_column_',
    'two words': 'two_words',
    '1st': '_1st',
    '-attr': '_-attr',
    '#text': '_text',
    'a:b': 'a_b',
    '': '_',
    '</a><b>': '__a__b_',
    'naïve-1.b': 'naïve-1.b',
    '😀': '😀',
    __proto__: '__proto__',
    '\uFFFE"\\': '___',
  };
  for (const [name, element] of Object.entries(names)) {
    const json = `[{${JSON.stringify(name)}:1}]`;
    t.equal(jsonToXml(json), `<objects><object><${element}>1</${element}></object></objects>`);
  }
  const values: Record<string, string> = {
    '<a> & "b" \'c\' ]]>': '&lt;a&gt; &amp; "b" \'c\' ]]&gt;',
    'tab\tline\nreturn\r': 'tab\tline\nreturn&#13;',
    '\u0001\u001F\u000B\uFFFE\uFFFF': '\uFFFD'.repeat(5),
    'é😀\u007F': 'é😀\u007F',
  };
  for (const [value, text] of Object.entries(values)) {
    const json = JSON.stringify([{ v: value }]);
    t.equal(jsonToXml(json), `<objects><object><v>${text}</v></object></objects>`, json);
  }
  t.equal(jsonToXml('{"v":"a\\ud800b"}'), '<objects><v>a\uFFFDb</v></objects>', 'half a pair');
  t.end();
});
