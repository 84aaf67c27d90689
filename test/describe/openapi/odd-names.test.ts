/**
 * Scripts whose names are not ASCII, and one that cannot be described, beside others: the document is valid, and so is the
 * client that is made of it.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createLogger, type Logger } from '#app/observe/log.js';
import { ProofCache } from '#app/messages/proof-cache.js';
import { OpenApiTasks } from '#app/worker/tasks/openapi-tasks.js';
import { ScriptStore } from '#app/script/files/script-store.js';
import type { ScriptText } from '#app/script/script-text.js';
import type { Scripts } from '#app/script/scripts.js';
import { compile } from '../client/compiled.js';
import { startPostgres } from '../../support/postgres.js';
import { ALIAS, ANYBODY, documentScripts, type Json } from './documented.js';
import { isValidDocument } from './validators.js';

/** Names by which components, ids and types might be mixed up. */
const NAMES = [
  'größe',
  'gräße',
  'Größe',
  'gre',
  'gr-e',
  '日本',
  '本日',
  'ñ_1',
  '١',
  '𝔘x',
  'f6',
  'x..f6',
];
const FOLDERS = ['a', 'ä', 'a_b', 'a_bé'];

const log = createLogger({ level: 'silent', pretty: false }, {});
const server = await startPostgres(t);
const folder = mkdtempSync(join(tmpdir(), 'names-'));
t.teardown(() => rmSync(folder, { recursive: true }));
for (const one of FOLDERS) {
  mkdirSync(join(folder, one));
  for (const name of NAMES) {
    writeFileSync(join(folder, one, `${name}.read.sql`), `SELECT '${name}' AS "größe"`);
    writeFileSync(
      join(folder, one, `${name}.write.sql`),
      '-- @error 23505 "a key": Exists\n-- @error 23503: Is in use!\n-- @error 22023: Never\nSELECT {{sqlVal "body.größe"}}::text AS n',
    );
  }
}
const SCRIPTS = FOLDERS.length * (NAMES.length - 1); // no request can name the one with dots

t.test('the document is valid, with a component for each', async (t) => {
  const documented = await documentScripts(t, server, folder);
  const document = await documented.document();
  await isValidDocument(t, document);
  const { paths, components } = document;
  t.equal(Object.keys(paths!).length, SCRIPTS);
  const { responses } = paths!['/_QUERIES/a/gre']!['post']!;
  t.same(responses!['409'], {
    $ref: '#/components/responses/Conflict',
    description:
      'A constraint is violated, or another transaction is in the way. Exists (23505 a key). Is in use! (23503).',
  });
  t.match(responses!['400']!['description'], /Never \(22023\)\.$/);
  const names = Object.keys(components!['schemas']!);
  t.same(
    names.filter((name) => !/^[A-Za-z0-9._-]+$/.test(name)),
    [],
  );
  t.equal(names.length, 1 + SCRIPTS * 4, 'the error, two rows and two bodies of each');
  const ids = Object.values(paths!).flatMap((item) =>
    Object.values(item).map((operation) => operation['operationId'] as unknown as string),
  );
  t.same(
    ids.filter((id) => !/^[A-Za-z0-9._-]+$/.test(id)),
    [],
  );
  t.equal(new Set(ids).size, ids.length);
});

t.test('a script that cannot be described is left out, the others are not', async (t) => {
  const good = new ScriptStore(folder, log);
  const [one] = await good.usable(ALIAS, performance.now());
  const usable = [
    one!,
    { ...one!, name: 'none', text: { ...one!.text, head: undefined } as unknown as ScriptText },
  ];
  const scripts = { usable: () => usable, routed: () => [] } as unknown as Scripts;
  const lines: unknown[] = [];
  const logged = { error: (fields: object) => lines.push(fields) } as unknown as Logger;
  const openapi = { auth: undefined, registry: false };
  const tasks = new OpenApiTasks({ settings: { openapi, defaultAlias: ALIAS }, databases: new Set([ALIAS]), scripts, proofs: new ProofCache(), log: logged }); // prettier-ignore
  const request = { form: 'json', database: undefined, reader: ANYBODY, ifNoneMatch: '' } as const;
  const { paths } = JSON.parse((await tasks.respond(request)).text!) as Json;
  t.same(Object.keys(paths!), [`/_QUERIES/${one!.folder}/${one!.name}`]);
  t.match(lines, [{ script: `${one!.folder}/none`, alias: ALIAS }]);
});

t.test('the client compiles, and has all of them', async (t) => {
  const { tasks } = await documentScripts(t, server, folder);
  const { text } = await tasks.respond({
    form: 'typescript',
    database: undefined,
    reader: ANYBODY,
    ifNoneMatch: '',
  });
  const program = `import { createClient } from './client.mjs';
export const call = (baseUrl: string) => createClient({ baseUrl }).a.größe.read().then((rows) => rows[0]!.größe);`;
  const compiled = compile(t, { 'client.mts': text!, 'program.mts': program });
  t.same(compiled.problems, []);
  t.equal(text!.match(/: call\('GET'/g)?.length, SCRIPTS);
});
