/** What a rendering does counts as steps, so that none takes long: items of lists, and large values each time they are bound. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { readBody, RequestBody } from '#app/script/body/request-body.js';
import { RequestData } from '#app/script/request/request-data.js';
import { compile, TemplateError } from '#app/template/template.js';

function data(members: object, until?: number): RequestData {
  const sent = { characters: JSON.stringify(members), contentType: 'application/json' };
  const body = readBody(sent, 'members') as RequestBody;
  return new RequestData(new Map(), '', '', () => undefined, undefined, body, until);
}

const LIST = { list: Array.from({ length: 50_000 }, () => 'ab') };

for (const action of [
  'sqlVal "body.list"',
  'inFormat "body.list"',
  'print (index $ "body.list")',
  'html (index $ "body.list")',
])
  t.test(`a list of 50,000 items, 1,000 times: ${action}`, (t) => {
    const template = compile(`{{range 1000}}{{$x := ${action}}}{{end}}`, 'f/s');
    t.throws(() => template.render(data(LIST)), TemplateError);
    const once = compile(`{{$x := 1}}{{with .a}}{{else}}{{$x = ${action}}}{{end}}`, 'f/s');
    t.doesNotThrow(() => once.render(data(LIST)));
    t.end();
  });

t.test('a body that is bound some times costs no steps, however large', (t) => {
  const text = 'x'.repeat(100_000_000);
  const bound = (times: number) => compile('{{sqlVal "body.text"}} '.repeat(times), 'f/s');
  t.equal(bound(4).render(data({ text })).values.length, 4);
  t.throws(() => bound(5).render(data({ text })), TemplateError);
  t.end();
});

t.test('a rendering ends when the request has ended', (t) => {
  const template = compile('{{range 300000}}{{end}}', 'f/s');
  t.doesNotThrow(() => template.render(data({}, performance.now() + 60_000)));
  t.throws(() => template.render(data({}, performance.now() - 1)), ServiceError);
  t.doesNotThrow(() => compile('a', 'f/s').render(data({}, 0)), 'a short one is not asked');
  t.end();
});
