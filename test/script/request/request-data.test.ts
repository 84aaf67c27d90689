import t from 'tap';
import { parseQueryString } from '#app/script/request/query-string.js';
import { RequestData } from '#app/script/request/request-data.js';
import { compile, RefusedValue, TemplateError } from '#app/template/template.js';

/** Renders a template with a request; what was blanked is appended. */
function render(template: string, query: string, headers = ''): string {
  const blanked: string[] = [];
  const data = new RequestData(parseQueryString(query), headers, '', (name) => blanked.push(name));
  try {
    const { text, values } = compile(template, 't').render(data);
    return [text, ...(values.length > 0 ? [JSON.stringify(values)] : []), ...blanked].join(' | ');
  } catch (error) {
    if (error instanceof RefusedValue) return `refused ${error.parameter}`;
    if (error instanceof TemplateError) return `error ${error.stage}`;
    throw error;
  }
}

const CREDENTIALS =
  'Authorization Proxy-Authorization Cookie X-Api-Key X-Auth-Token X-Access-Token'.split(' ');

t.test('credential headers are there and empty, sent or not', (t) => {
  for (const name of CREDENTIALS) {
    const template = `[{{index .header "${name}"}}]{{sqlVal "header.${name}"}}`;
    for (const sent of [name, name.toLowerCase(), name.toUpperCase()]) {
      t.equal(render(template, '', `${sent}\nsecret`), '[]$1 | [""]', `${sent} sent`);
    }
    t.equal(render(template, ''), '[]$1 | [""]', `${name} not sent`);
  }
  t.notMatch(render('{{range $k, $v := .header}}{{$v}}{{end}}', '', 'cookie\nsecret'), 'secret');
  t.end();
});

t.test('a header that was not UTF-8 is blank', (t) => {
  const headers = 'x-a\na\uFFFDb\nx-b\nfine\nx-b\n\uFFFD\nx-c\n\uFFFD';
  const cases: [template: string, result: string][] = [
    ['{{index .header "X-A"}}', ' | X-A'],
    ['{{sqlVal "header.X-A"}}', '$1 | [""] | X-A'],
    [
      '{{sqlVal "header.X-A"}}{{index .header "X-A"}}{{sqlVal "header.X-A"}}',
      '$1$2 | ["",""] | X-A',
    ],
    ['{{index .header "X-A"}}{{sqlVal "header.X-A"}}', '$1 | [""] | X-A'],
    ['{{index .header "X-B"}}', '[fine ] | X-B'],
    ['{{if isSet "header.X-A"}}sent{{end}}', 'sent'],
    ['1', '1'],
  ];
  for (const [template, result] of cases) t.equal(render(template, '', headers), result, template);
  t.end();
});

t.test('the data of a request', (t) => {
  const cases: [what: string, template: string, query: string, headers: string, result: string][] =
    [
      ['a field', '{{.a}}', 'a=1', '', '1'],
      ['an absent field', '{{.a}}', '', '', '<no value>'],
      ['a repeated one', '{{.a}} {{index .a 1}}', 'a=1&a=2', '', '[1 2] 2'],
      ['reserved: header', '{{index .header "X-A"}}', 'header=x', 'x-a\n1', '1'],
      ['reserved: _header', '{{._header}}', '_header=x', '', '<no value>'],
      ['reserved: _param', '{{._param}}{{isSet "_param"}}', '_param=x', '', '<no value>false'],
      ['reserved, repeated', '{{._param}}', '_param=x&_param=y', '', '<no value>'],
      [
        'header. never comes from the query',
        '{{sqlVal "header.X-A"}}',
        'header.X-A=x',
        '',
        '$1 | [null]',
      ],
      ['nor claims.', '{{sqlVal "claims.sub"}}', 'claims.sub=x', '', '$1 | [null]'],
      [
        'prototype names',
        '{{.constructor}}{{.__proto__}}{{.toString}}',
        '',
        '',
        '<no value><no value><no value>',
      ],
      [
        'prototype names, sent',
        '{{.constructor}}{{.__proto__}}',
        'constructor=a&__proto__=b',
        '',
        'ab',
      ],
      ['_page', '{{._page}} {{._page_size}}', '', '', '1 10'],
      ['_page, sent', '{{._page}} {{._page_size}}', '_page=3&_page_size=7', '', '3 7'],
      ['_page is not set', '{{isSet "_page"}} {{defaultOrValue "_page" "9"}}', '', '', 'false 9'],
      ['a default stays', '{{defaultOrValue "a" "x"}}{{.a}}', '', '', 'xx'],
      [
        'a canonical header',
        '{{index .header "X-Demo"}}{{index .header "x-demo"}}',
        '',
        'x-demo\nv',
        'v<no value>',
      ],
      ['a repeated header', '{{index .header "X-A"}}', '', 'x-a\n1\nx-a\n2', '[1 2]'],
      [
        'no Host, no Content-Length',
        '{{.header.Host}}{{index .header "Content-Length"}}',
        '',
        'host\nh\ncontent-length\n1',
        '<no value><no value>',
      ],
      [
        'a bound header is raw',
        '{{sqlVal "header.X-A"}}',
        '',
        `x-a\na;b select 'from`,
        `$1 | ["a;b select 'from"]`,
      ],
      [
        'a refused header is blanked and reported once',
        '[{{index .header "X-A"}}{{index .header "X-A"}}]',
        '',
        'x-a\na;b',
        '[] | X-A',
      ],
      ['one of several', '{{index .header "X-A"}}', '', 'x-a\nok\nx-a\na;b', '[ok ] | X-A'],
      ['a refused header that is not used', 'x', '', 'x-a\na;b', 'x'],
      ['a refused value', '{{.a}}', 'a=x%27', '', 'refused a'],
      ['one of a list', '{{.a}}', 'a=x&a=%3B', '', 'refused a'],
      ['unused', 'x', 'a=%3B', '', 'x'],
      ['bound', '{{sqlVal "a"}}', 'a=%3B%27', '', `$1 | [";'"]`],
      ['tested', '{{if .a}}yes{{end}}', 'a=%3B', '', 'yes'],
      ['compared', '{{eq .a "x"}}', 'a=%3B', '', 'error exec'],
      ['an earlier template error comes first', '{{index .b 1}}{{.a}}', 'a=%3B', '', 'error exec'],
      ['decoded by the template', '{{unEscape .a}}', 'a=%252527', '', 'refused a'],
    ];
  for (const [what, template, query, headers, result] of cases) {
    t.equal(render(template, query, headers), result, what);
  }
  t.end();
});
