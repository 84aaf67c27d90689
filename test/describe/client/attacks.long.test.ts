/**
 * Texts of scripts and documents cannot break out of a client: whatever they contain, it compiles, runs nothing of theirs,
 * and sends each value under its name.
 */
import t from 'tap';
import type { Schema } from '#app/describe/openapi/schema.js';
import { DocumentError } from '#app/describe/client/client-operation.js';
import { clientText, compile } from './compiled.js';

const ATTACKS: Readonly<Record<string, string>> = {
  'the end of a comment': '*/ globalThis.broken = true; /*',
  'the end of a comment, twice': '**//**/ globalThis.broken = true; /**',
  'a quote': `'; globalThis.broken = true; '`,
  'double quotes': `"; globalThis.broken = true; "`,
  'a backtick': '`${globalThis.broken = true}`',
  'a backslash': `\\'; globalThis.broken = true; //\\`,
  newlines: "\n'\r\n globalThis.broken = true;\r",
  'line separators': '\u2028globalThis.broken = true;\u2029',
  'a tag': '@deprecated',
  'a later tag': 'x @deprecated {@link x}',
  'turned text': 'a\u202e b\u2066 c\u200b',
  'half of a pair': '\ud800',
  NUL: '\0',
  braces: '}{ {id} ${id} {',
  'a comment': '// <!-- #!',
  empty: '',
  prototype: '__proto__',
  constructor: 'constructor',
  member: 'toString',
  body: 'body',
  headers: 'headers',
  digits: '0',
  umlaut: 'größe',
};

/** A document with one operation for each text, which has it in every place. */
function documentWith(texts: Iterable<string>): Schema {
  const schemas: Record<string, Schema> = Object.create(null) as Record<string, Schema>;
  const paths: Record<string, Schema> = {};
  for (const [i, text] of [...texts].entries()) {
    const value = { type: 'string', description: text, enum: [text, 'plain'], default: text };
    const object = {
      type: 'object',
      description: text,
      properties: Object.fromEntries([
        [text, { type: 'string', description: text, pattern: text }],
        ['inner', { type: 'object', properties: Object.fromEntries([[text, {}]]) }],
      ]),
      required: [text],
    };
    schemas[`row${i}${text}`] = object;
    paths[`/_QUERIES/a/s${i}`] = {
      post: {
        'x-script': `a/s${i}`,
        summary: text,
        description: text,
        deprecated: true,
        parameters: [
          { name: text, in: 'query', description: text, schema: value },
          { name: 'plain', in: 'query', schema: { type: text, format: text } },
        ],
        requestBody: { content: { 'application/json': { schema: object } } },
        responses: {
          200: {
            content: {
              'application/json': { schema: { $ref: `#/components/schemas/row${i}${text}` } },
            },
          },
        },
      },
    };
  }
  return { openapi: '3.1.0', paths, components: { schemas } };
}

interface Sent {
  readonly url: string;
  readonly body: unknown;
}

t.test('texts', async (t) => {
  const texts = Object.values(ATTACKS);
  const text = clientText(documentWith(texts));
  t.notMatch(text, /[^\x20-\x7e\nöß]/, 'no characters that are not shown');
  const compiled = compile(t, { 'client.mts': text });
  t.same(compiled.problems, []);
  const { createClient } = (await compiled.load('client.mjs')) as {
    createClient: (options: object) => {
      a: Record<string, { write(params: object): Promise<unknown> }>;
    };
  };
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: 'http://a/',
    fetch: (url: string, { body }: RequestInit) => {
      sent.push({ url, body });
      return Promise.resolve(new Response('{}'));
    },
  });
  for (const [i, [about, name]] of Object.entries(ATTACKS).entries()) {
    const members = ['body', 'headers', '__proto__', 'constructor', 'toString'];
    const member = members.includes(name) ? `${name}_` : name;
    await client.a[`s${i}`]!.write({ [member]: 'value', unknown: 1, body: { x: name } });
    const { url, body } = sent.pop()!;
    const query = [...new URL(url).searchParams];
    t.same(query, [[name.toWellFormed(), 'value']], about);
    t.equal(body, JSON.stringify({ x: name }));
    await client.a[`s${i}`]!.write({});
    t.same(sent.pop(), { url: `http://a/_QUERIES/a/s${i}`, body: undefined }, 'nothing inherited');
  }
  t.notOk('broken' in globalThis);
});

/** The members of a client for scripts of these names: `folder.script`. */
function membersOf(scripts: readonly string[]): string[] {
  const operation = { responses: {} };
  const paths = Object.fromEntries(
    scripts.map((name) => [`/_QUERIES/${name}`, { get: { ...operation, 'x-script': name } }]),
  );
  const text = clientText({ openapi: '3.1.0', paths });
  const { problems } = compile(t, { 'client.mts': text });
  t.same(problems, [], scripts.join());
  const lines = text.slice(0, text.indexOf('export function')).split('\n');
  let folder = '';
  return lines.flatMap((line) => {
    const [, indent, name] = /^( +)readonly (\S+): \{$/.exec(line) ?? [];
    if (indent === '  ') folder = name!;
    return indent === '    ' ? `${folder}.${name}` : [];
  });
}

const NAMES: readonly [about: string, scripts: readonly string[], members: readonly string[]][] = [
  ['words', ['shop/in-categories', 'my_shop/top_10'], ['my_shop.top_10', 'shop.inCategories']],
  ['reserved words', ['delete/class', 'import/new'], ['delete.class', 'import.new']],
  [
    'letters',
    ['größe/in-größe', 'a/größe', 'a/gräße', '日本/東京', 'a/١st'],
    ['größe.inGröße', 'a.größe', 'a.gräße', '日本.東京', 'a._١st'],
  ],
  ['digits first', ['2024/1st'], ['_2024._1st']],
  ['dashes', ['-a-/--b', '-/-'], ['_._', 'a.b']],
  [
    'members of all objects',
    ['a/__proto__', 'a/constructor', 'constructor/then', 'a/toString', 'a/toJSON'],
    ['a.__proto___', 'a.constructor_', 'a.toJSON_', 'a.toString_', 'constructor_.then_'],
  ],
  [
    'the same name',
    ['a/in-it', 'a/inIt', 'a/in--it', 'a/inIt_2'],
    ['a.inIt_3', 'a.inIt_4', 'a.inIt', 'a.inIt_2'],
  ],
  ['the same types', ['a/b_c', 'a_b/c', 'a-b/c', 'aB/c', 'a/bC'], ['a.bC', 'a.b_c', 'aB_2.c', 'aB.c', 'a_b.c']], // prettier-ignore
];

for (const [about, scripts, members] of NAMES)
  t.test(`names: ${about}`, (t) => {
    t.same(membersOf(scripts).sort(), [...members].sort());
    t.same(membersOf([...scripts].reverse()), membersOf(scripts), 'in any order');
    t.end();
  });

const OTHERS: readonly [about: string, document: unknown][] = [
  ['null', null],
  ['a list', []],
  ['a contract', { format: 1, scripts: [] }],
  ['an older version', { openapi: '3.0.3', paths: {} }],
  ['no paths', { openapi: '3.1.0' }],
  ['an operation of another program', { openapi: '3.1.0', paths: { '/a': { get: {} } } }],
  ['another method', { openapi: '3.1.0', paths: { '/a': { 'x;': { 'x-script': 'a/b' } } } }],
  ['another name', { openapi: '3.1.0', paths: { '/a': { get: { 'x-script': "a/b'" } } } }],
];

for (const [about, document] of OTHERS)
  t.test(`not a document: ${about}`, (t) => {
    t.throws(() => clientText(document), DocumentError);
    t.end();
  });

t.test('an operation that cannot be read is left out, with a line', (t) => {
  const get = { responses: {}, 'x-script': 'a/b' };
  const paths = {
    '/a': { get },
    '/b': { get: { ...get, 'x-script': 'a/b/c' } },
    '/c*/': { trace: get },
  };
  const text = clientText({ openapi: '3.1.0', paths });
  t.same(compile(t, { 'client.mts': text }).problems, []);
  t.match(text, /Left out: its operation get "\/b" belongs to no script\./);
  t.match(text, /Left out: its operation trace "\/c\*\\\/" belongs to no script\./);
  t.equal(text.match(/: call\('GET', '\/a'\),/g)?.length, 1);
  t.end();
});

t.test('no script', (t) => {
  const text = clientText({ openapi: '3.1.0', paths: {} });
  t.same(compile(t, { 'client.mts': text }).problems, []);
  t.end();
});

t.test('schemas of no known form', (t) => {
  const deep = (depth: number): object =>
    depth === 0 ? {} : { type: 'array', items: deep(depth - 1) };
  const schemas = [
    ...[7, 'x', null, [], { type: 7 }, { anyOf: [] }, { enum: [{}] }, { enum: [1, true, null] }],
    ...[deep(200), { $ref: '#/nowhere' }, { type: 'object', properties: [] }],
    ...[{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }],
  ];
  const paths = Object.fromEntries(
    schemas.map((schema, i) => [
      `/_QUERIES/a/s${i}`,
      {
        get: {
          'x-script': `a/s${i}`,
          parameters: [7, { name: 'p', in: 'query', schema }, { name: 'q', in: 'moon', schema }],
          responses: { 200: { content: { 'application/json': { schema } } } },
        },
      },
    ]),
  );
  const text = clientText({ openapi: '3.1.0', paths });
  t.same(compile(t, { 'client.mts': text }).problems, []);
  t.match(text, /export type AS7ReadResult = 1 \| true \| null;/);
  t.match(text, /export type AS11ReadResult = \(string \| null\)\[\];/);
  t.end();
});
