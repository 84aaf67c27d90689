/** JSON as data of a script: every text as sent, and what is refused, with its place. */
import t from 'tap';
import { JsonList, JsonObject, readJson, type JsonValue } from '#app/script/body/json-document.js';
import { ServiceError } from '#app/base/errors.js';
import { releaseMemory } from '#app/native/memory.js';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** The error of a document, without its common start. */
function problem(text: string): string {
  try {
    readJson(text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.code}: ${error.message.replace('invalid request body: ', '')}`;
  }
  return 'accepted';
}

const NOT_JSON = 'invalid_body: it is not JSON:';

const REFUSED: readonly (readonly [text: string, wanted: string])[] = [
  ['', `${NOT_JSON} a value is expected at line 1, column 1`],
  ['  \n ', `${NOT_JSON} a value is expected at line 2, column 2`],
  ['{', `${NOT_JSON} a closing brace is expected at line 1, column 2`],
  ['{"a":1', `${NOT_JSON} a closing brace is expected at line 1, column 7`],
  ['[1', `${NOT_JSON} a closing bracket is expected at line 1, column 3`],
  ['{"a":1,}', `${NOT_JSON} a name in double quotes is expected at line 1, column 8`],
  ['[1,]', `${NOT_JSON} a value is expected at line 1, column 4`],
  ['[1,,2]', `${NOT_JSON} a value is expected at line 1, column 4`],
  ['[,1]', `${NOT_JSON} a value is expected at line 1, column 2`],
  ['{"a" 1}', `${NOT_JSON} a colon is expected at line 1, column 6`],
  ['{"a":1 "b":2}', `${NOT_JSON} a comma is expected at line 1, column 8`],
  ["{'a':1}", `${NOT_JSON} an unexpected character at line 1, column 2`],
  ['{a:1}', `${NOT_JSON} an unexpected character at line 1, column 2`],
  ['{"a":1}x', `${NOT_JSON} an unexpected character at line 1, column 8`],
  ['{}{}', `${NOT_JSON} the end is expected at line 1, column 3`],
  ['// a\n{}', `${NOT_JSON} comments are not allowed at line 1, column 1`],
  ['{/* a */}', `${NOT_JSON} comments are not allowed at line 1, column 2`],
  ['{"a":\n  tru}', `${NOT_JSON} an unexpected character at line 2, column 3`],
  ['NaN', `${NOT_JSON} an unexpected character at line 1, column 1`],
  ['01', `${NOT_JSON} the end is expected at line 1, column 2`],
  ['1.', `${NOT_JSON} a number is incomplete at line 1, column 1`],
  ['1e', `${NOT_JSON} a number is incomplete at line 1, column 1`],
  ['-', `${NOT_JSON} an unexpected character at line 1, column 1`],
  ['+1', `${NOT_JSON} an unexpected character at line 1, column 1`],
  ['.5', `${NOT_JSON} an unexpected character at line 1, column 1`],
  ['"a', `${NOT_JSON} a string does not end at line 1, column 1`],
  ['"a\nb"', `${NOT_JSON} a string does not end at line 1, column 1`],
  ['"a\tb"', `${NOT_JSON} a control character must be escaped at line 1, column 1`],
  ['"\\x41"', `${NOT_JSON} an unknown escape at line 1, column 1`],
  ['"\\u12g4"', `${NOT_JSON} four hexadecimal digits are expected after \\u at line 1, column 1`],
  ['\u00a01', `${NOT_JSON} an unexpected character at line 1, column 1`],
  ['\ufeff{}', 'invalid_body: a byte order mark, which JSON must not have, at line 1, column 1'],
  ['{"a":1,\n "a":2}', 'invalid_body: a member that the object has already at line 2, column 2'],
  ['{"a":{"b":1,"\\u0062":2}}', 'invalid_body: a member that the object has already at line 1, column 13'],
  ['[[{"ł":"😀","a":1,"a":1}]]', 'invalid_body: a member that the object has already at line 1, column 18'],
  ['{"a":"x\\u0000"}', 'invalid_body: a NUL, which PostgreSQL cannot store, at line 1, column 6'],
  ['{"\\u0000":1}', 'invalid_body: a NUL, which PostgreSQL cannot store, at line 1, column 2'],
  ['["\\ud800"]', 'invalid_body: half of a surrogate pair at line 1, column 2'],
  ['{"a":"\\udc00\\ud800"}', 'invalid_body: half of a surrogate pair at line 1, column 6'],
  [nested(65), 'invalid_body: nesting deeper than 64 levels at line 1, column 65'],
  [nested(100_000), 'invalid_body: nesting deeper than 64 levels at line 1, column 65'],
]; // prettier-ignore

t.test('refused', (t) => {
  for (const [text, wanted] of REFUSED)
    t.equal(problem(text), wanted, JSON.stringify(text.slice(0, 40)));
  t.equal(problem(nested(64)), 'accepted');
  t.end();
});

const plain = (value: JsonValue | undefined): unknown => {
  if (value instanceof JsonList) return value.items;
  return value instanceof JsonObject ? { text: value.text } : value;
};

t.test('values', (t) => {
  const document = readJson(`{
    "string": "a \\"b\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u0141 \\ud83d\\ude00", "empty": "",
    "big": 12345678901234567890, "huge": 1e400, "exact": 1.10, "minus": -0,
    "yes": true, "no": false, "none": null,
    "object": { "city":  "Łódź", "geo": {"lat": 51.77} },
    "list": ["a", 1.50, true, null], "one": ["a"], "nothing": [],
    "rows": [{"a": 1}, 2], "matrix": [[1, 2], [3]], "a.b": "dotted", "a": {"b": "nested", "c": "n"},
    "": "unnamed", "__proto__": "p", "constructor": "c", "toString": {"__proto__": "deep"}
  }`) as JsonObject;
  const cases: Readonly<Record<string, unknown>> = {
    string: 'a "b" \\ / \b\f\n\r\t Ł 😀',
    empty: '',
    big: '12345678901234567890',
    huge: '1e400',
    exact: '1.10',
    minus: '-0',
    yes: 'true',
    no: 'false',
    none: null,
    object: { text: '{ "city":  "Łódź", "geo": {"lat": 51.77} }' },
    'object.city': 'Łódź',
    'object.geo.lat': '51.77',
    'object.geo.lon': undefined,
    'object.city.x': undefined,
    list: ['a', '1.50', 'true', null],
    'list.0': undefined,
    one: ['a'],
    nothing: [],
    rows: '[{"a": 1}, 2]',
    matrix: '[[1, 2], [3]]',
    'a.b': 'dotted',
    'a.c': 'n',
    '': 'unnamed',
    __proto__: 'p',
    constructor: 'c',
    'toString.__proto__': 'deep',
    hasOwnProperty: undefined,
    'toString.constructor': undefined,
  };
  for (const [name, wanted] of Object.entries(cases))
    t.same(plain(document.get(name)), wanted, name);
  t.equal(plain(document.get('__proto__')), 'p');
  t.end();
});

t.test('the text of an array of scalars', (t) => {
  const document = readJson('{"a": {"list": [ 1.50,"x" , null]}, "none":[ ]}') as JsonObject;
  t.equal((document.get('a.list') as JsonList).text, '[ 1.50,"x" , null]');
  t.equal((document.get('none') as JsonList).text, '[ ]');
  t.end();
});

t.test('only members with the names that are wanted', (t) => {
  const text = `{"a":1,"b":{"c":[1],"d":2,"e":{"f":3}},"b.d":4,"l":[1,2],"x":[3],"y":{"a":5},"r":[{"a":6}]}`;
  const document = readJson(text, new Set(['a', 'b', 'b.c', 'b.d', 'l', 'r', 'r.a'])) as JsonObject;
  const cases: Record<string, unknown> = {
    a: '1',
    b: { text: '{"c":[1],"d":2,"e":{"f":3}}' },
    'b.c': ['1'],
    'b.d': '4',
    'b.e': undefined,
    'b.e.f': undefined,
    l: ['1', '2'],
    x: undefined,
    'y.a': undefined,
    r: '[{"a":6}]',
    'r.a': undefined,
  };
  for (const [name, wanted] of Object.entries(cases))
    t.same(plain(document.get(name)), wanted, name);
  t.same([...document.scalars()], ['1', '1', '2', '4', '1', '2', '[{"a":6}]']);
  for (const invalid of [
    '{"x":1,"x":2}',
    '{"x":{"y":1,"y":2}}',
    '{"x":[{"y":1,"y":2}]}',
    '{"x":"\\u0000"}',
  ])
    t.throws(() => readJson(invalid, new Set()), { code: 'invalid_body' }, invalid);
  t.end();
});

t.test('what is not wanted takes no memory', (t) => {
  const members = Array.from({ length: 50_000 }, (_, i) => `"${i}":{},"l${i}":[]`);
  const text = `{${members.join()},"a":1}`;
  const used = (): number => {
    releaseMemory();
    return process.memoryUsage().heapUsed;
  };
  readJson(text, new Set(['a']));
  const before = used();
  const documents = Array.from({ length: 4 }, () => readJson(text, new Set(['a'])) as JsonObject);
  t.ok(used() - before < text.length);
  t.same([...new Set(documents.map((document) => document.get('a')))], ['1']);
  t.end();
});

t.test('documents that are no objects', (t) => {
  t.equal(readJson('"a"'), 'a');
  t.equal(readJson(' 1.0 '), '1.0');
  t.equal(readJson('null'), null);
  t.same(plain(readJson('["a"]')), ['a']);
  t.equal(readJson('[{}]'), '[{}]');
  t.end();
});

t.test('large documents', (t) => {
  const members = Array.from({ length: 10_000 }, (_, i) => `"m${i}":${i}`);
  const many = readJson(`{${members.join()}}`) as JsonObject;
  t.equal(many.get('m9999'), '9999');
  const long = 'ż'.repeat(1 << 20);
  t.equal((readJson(JSON.stringify({ long })) as JsonObject).get('long'), long);
  t.equal(many.get('m.'.repeat(100_000)), undefined, 'a name of many dots');
  t.end();
});
