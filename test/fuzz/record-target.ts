/**
 * Bodies of requests that store a script: what is stored is what another reader finds, an error is one for the author, and
 * the texts compile or are refused at a place in them.
 */
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '#app/base/errors.js';
import { readRecordBody } from '#app/stored/registry/record-schema.js';
import { compileTexts, TemplateRejected } from '#app/stored/registry/template-check.js';
import { textsBelow } from './corpus.js';
import { hasRepeated, JSON_TEXTS, JSON_TOKENS, parsedOf } from './json-texts.js';
import { Mutator } from './mutator.js';
import { attempt, expect, type Target } from './target.js';

const TEXTS = ['read_sql', 'write_sql', 'update_sql', 'delete_sql'] as const;

export function recordTarget(): Target<string> {
  const scripts = textsBelow('test/proof/corpus/queries', '.sql').map((text, i) =>
    JSON.stringify({ location: 'a', name: 'b', [TEXTS[i % TEXTS.length]!]: text }),
  );
  const heads = ['-- @param id integer required\\n', '-- @path /a/{id}\\n', '-- @row\\n', '-- @strict\\n', '-- @status 201\\n', '-- @param a enum(x, y)[] = x\\n', '{{sqlVal \\"id\\"}}', '{{if .a}}', '{{end}}']; // prettier-ignore
  const corpus = [
    ...scripts,
    '{"database":"main","location":"a","name":"b","read_sql":"SELECT 1","description":null,"id":7}',
    '{"read_sql":"-- @param id integer\\nSELECT {{sqlVal \\"id\\"}}","write_sql":"","proof":{"a":[1]}}',
    ...JSON_TEXTS,
  ];
  const members = [...TEXTS, 'database', 'location', 'name', 'description', 'id', 'created_at'];
  const tokens = [...JSON_TOKENS, ...heads, ...members.map((name) => `"${name}":`), '"nope":1,'];
  const mutator = new Mutator(corpus, tokens);
  return {
    name: 'registry JSON',
    input(random) {
      const text = Buffer.from(mutator.next(random)).toString('latin1');
      return random.next() < 0.03 ? `${text.slice(1)}\xe9` : text;
    },
    async run(characters) {
      const bytes = Buffer.from(characters, 'latin1');
      const text = bytes.toString();
      const parsed = isUtf8(bytes) ? parsedOf(text.replace(/^\ufeff/, '')) : undefined;
      let read;
      try {
        read = await readRecordBody(bytes);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        expect(error.code === 'invalid_record' && error.message.length < 900, 'a record is refused as such'); // prettier-ignore
        return error.message.replace(
          /(?:member )?"(?:[^"\\]|\\.)*"|\w+ (?=must|holds)/,
          'a member ',
        );
      }
      expect(parsed !== undefined && !hasRepeated(text), 'what is no JSON is refused');
      const sent = parsed.value as Record<string, unknown>;
      const { database, location, name, content } = read;
      for (const [member, found] of Object.entries({ database, location, name, ...content }))
        expect(found === undefined || found === sent[member], 'a member is what was sent');
      for (const member of TEXTS)
        expect(content[member] === (sent[member] === '' ? undefined : (sent[member] ?? undefined)), 'no text is lost'); // prettier-ignore
      const compiled = attempt(() => compileTexts('a/b', content), TemplateRejected);
      if (!(compiled instanceof TemplateRejected)) return `${compiled.size} texts`;
      const { verb, line } = compiled.place;
      const lines = content[`${verb}_sql`]!.split('\n').length;
      expect(line === undefined || (line >= 1 && line <= lines), 'a mistake is in its text');
      return 'a text that is no template';
    },
  };
}
