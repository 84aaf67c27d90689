/** Which scripts get a warning, for headers whose values may arrive without bytes at their ends. */
import t from 'tap';
import { headerWarning } from '#app/script/warnings/header-warnings.js';
import { compile } from '#app/template/template.js';

/** A template, and the headers that are named; empty for no warning. */
const CASES: [text: string, named: string][] = [
  ['SELECT {{sqlVal "header.X-Tenant"}}', 'the request header X-Tenant'],
  ['SELECT {{sqlVal "header.x-user"}}', 'the request header X-User'],
  ["SELECT '{{index .header \"X-Tenant\"}}'", 'the request header X-Tenant'],
  ["SELECT '{{.header.Tenant}}'", 'the request header Tenant'],
  ["SELECT '{{index . \"header\" \"X-Tenant\"}}'", 'the request header X-Tenant'],
  ['{{if eq (index .header "X-Role") "admin"}}SELECT 1{{end}}', 'the request header X-Role'],
  ['{{with .header}}{{.Role}}{{index . "X-A"}}{{end}}', 'the request header Role, X-A'],
  ['{{$h := .header}}{{index $h "X-A"}}', 'the request header X-A'],
  ['{{define "x"}}{{index .header "X-A"}}{{end}}{{template "x" .}}', 'the request header X-A'],
  ['{{sqlVal "header.X-A"}}{{sqlVal "header.X-A"}}{{sqlVal "header.Accept"}}', 'the request header X-A'],
  ['{{sqlVal (printf "header.%s" .x)}}', ''],
  ['{{index .header .name}}', 'any request header'],
  ['{{range $name, $value := .header}}{{$value}}{{end}}', 'any request header'],
  ["'{{.header}}'", 'any request header'],

  ['SELECT 1', ''],
  ["SELECT 'header.X-Tenant'", ''],
  ['SELECT {{sqlVal "headers"}}, {{sqlVal "x.header.X-A"}}', ''],
  ['{{if isSet "header.X-Tenant"}}SELECT 1{{end}}', ''],
  ['{{sqlVal "claims.sub"}}', ''],
  ['{{sqlVal "header.a b"}}', ''],
  ...['Accept', 'Accept-Language', 'Content-Type', 'User-Agent', 'If-None-Match', 'Origin', 'Referer', 'X-Request-Id',
    'X-Forwarded-For', 'x-forwarded-proto', 'Traceparent', 'Sec-Fetch-Site', 'Authorization', 'X-Api-Key', 'Range',
  ].map((name): [string, string] => [`{{sqlVal "header.${name}"}}{{index .header "${name}"}}`, '']),
]; // prettier-ignore

for (const [text, named] of CASES)
  t.test(text, (t) => {
    const warning = headerWarning(compile(text, 'a/b'));
    if (named === '') t.equal(warning, undefined);
    else t.match(warning, `the script uses ${named}: uWebSockets.js drops bytes`);
    t.end();
  });
