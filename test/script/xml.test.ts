import t from 'tap';
import { jsonToXml } from '#app/script/xml.js';

t.test('what is no JSON', (t) => {
  for (const json of [
    '',
    '[',
    '{"a":',
    '[1,]',
    '{"a" 1}',
    '"',
    'nope',
    '[1] 2',
    `${'['.repeat(1001)}${']'.repeat(1001)}`,
  ]) {
    t.throws(() => jsonToXml(json), SyntaxError, json.slice(0, 20));
  }
  t.end();
});

t.test('the forms', (t) => {
  const cases: [json: string, xml: string][] = [
    ['[{"id": 1, "name": "gopher"}]', '<object><id>1</id><name>gopher</name></object>'],
    ['[{"a":1}, \n {"a":2}]', '<object><a>1</a></object><object><a>2</a></object>'],
    ['{"rows_affected":1}', '<rows_affected>1</rows_affected>'],
    [
      '{"rows_affected":1,"rows":[{"a":1}]}',
      '<doc><rows_affected>1</rows_affected><rows><a>1</a></rows></doc>',
    ],
    [
      '[{"n":9007199254740993,"f":1e100,"d":1.10}]',
      '<object><n>9007199254740993</n><f>1e100</f><d>1.10</d></object>',
    ],
    ['[{"a":null,"b":"","c":{}}]', '<object><a/><b/><c/></object>'],
    [
      '[{"a":[1,2],"b":{"c":[{"d":true}]}}]',
      '<object><a>1</a><a>2</a><b><c><d>true</d></c></b></object>',
    ],
    ['[{"a":"<b>&\\u0000\\r\\"x\\""}]', '<object><a>&lt;b&gt;&amp;\uFFFD&#13;"x"</a></object>'],
    [
      '[{"?column?":1,"1a":2,"a b":3,"":4,"é":5,"a:b":6}]',
      '<object><_column_>1</_column_><_1a>2</_1a><a_b>3</a_b><_>4</_><é>5</é><a_b>6</a_b></object>',
    ],
    ['[{"</a><b>":1}]', '<object><__a__b_>1</__a__b_></object>'],
  ];
  for (const [json, xml] of cases) t.equal(jsonToXml(json), `<objects>${xml}</objects>`, json);
  t.end();
});
