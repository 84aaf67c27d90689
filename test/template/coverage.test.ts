/** What of a template a rendering had in its output. */
import t from 'tap';
import { compile } from '#app/template/template.js';
import { ScreenedMap } from './screened-map.js';

const DATA = new ScreenedMap({ a: '1', list: ['3', '4'], none: '' });

/** A template, in which `«…»` is what is rendered and `‹…›` what is skipped; the rest never has output. */
const COVERED: readonly string[] = [
  '',
  '«SELECT 1»',
  '«SELECT »«{{sqlVal "a"}}»« AS a»',
  '{{if isSet "a"}}« x »{{else}}‹ y ›{{end}}«z»',
  '{{if isSet "b"}}‹ x ›{{else if isSet "a"}}« y »{{else}}‹ z ›{{end}}',
  '«a»{{- /* a comment */ -}} \n«b» {{- if true }}« c»{{end -}}\n',
  '{{with .a}}«{{.}}»{{else}}‹none›{{end}}',
  '{{with .b}}‹{{.}}›{{else}}«none»{{end}}',
  '{{range .list}}«{{.}}»«,»{{else}}‹none›{{end}}',
  '{{range .list}}«x»{{if true}}{{break}}{{end}}‹y›{{end}}',
  '{{range .b}}‹x›{{else}}«y»{{end}}',
  '{{define "x"}}«in x»{{end}}{{define "y"}}‹in y›{{end}}{{template "x" .}}',
  '{{block "x" .a}}«{{.}}»{{end}}',
  '{{$p := sqlVal "a"}}{{$p = sqlVal "a"}}«{{$p}}»',
  '‹{{.none}}›«{{"}}"}}»«{{`{{`}}»«{{ (print "a" | print) -}}» \n«b»',
  '{{if true}}{{if false}}‹a›{{end}}«b»{{if false}}‹c›{{else}}«d»{{end}}{{end}}',
  "«é𝄞 '»«{{.a}}»«' –»",
];

t.test('covered', (t) => {
  for (const marked of COVERED) {
    const text = marked.replace(/[«»‹›]/g, '');
    const pieces = compile(text, 't').render(DATA).coverage();
    const wanted = marked.replaceAll('»«', '').replaceAll('›‹', '');
    const shown = pieces.map((piece) => {
      if (piece.state === 'control') return piece.text;
      return piece.state === 'rendered' ? `«${piece.text}»` : `‹${piece.text}›`;
    });
    t.equal(shown.join(''), wanted);
    t.equal(pieces.map((piece) => piece.text).join(''), text);
  }
  t.end();
});
