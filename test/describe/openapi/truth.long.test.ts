/**
 * A document is true: the service, asked with arguments made from it, gives only what it says. All examples, and odd scripts.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import t, { type Test } from 'tap';
import { startPostgres, type Postgres } from '../../support/postgres.js';
import { startService, type Answer, type Service } from '../../support/service.js';
import { documentScripts, type Json } from './documented.js';
import { ODD_SAMPLES, ODD_SCRIPTS, ODD_TABLES } from './odd-scripts.js';
import { operationsOf, sampleRequests, type Samples } from './sample-requests.js';
import { isValidDocument } from './validators.js';

// From dist-test/test/describe/openapi to the project.
const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));

/** `failing` are the ids of operations that never succeed; undefined when the arguments may be of the wrong type. */
async function checkTruth(
  t: Test,
  service: Service,
  document: Json,
  samples: Samples,
  failing: readonly string[] | undefined,
): Promise<void> {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, 'document');
  const operations = operationsOf(document);
  const ids = operations.map(({ operation }) => operation.operationId);
  t.equal(new Set(ids).size, ids.length, 'ids are unique');
  const failed: string[] = [];
  for (const one of operations) {
    const { path, method, operation } = one;
    const { responses, operationId } = operation;
    let succeeded = false;
    const wrong: string[] = [];
    for (const { target, body, ...request } of sampleRequests(document, one, samples)) {
      const answer = await service.ask(target, {
        ...request,
        ...(body === undefined ? {} : { body }),
      });
      const { status, text } = answer;
      succeeded ||= status < 300;
      const key = status in responses || status < 300 ? String(status) : 'default';
      const pointer = responses[key]?.$ref ?? `#/paths/${escaped(path)}/${method}/responses/${key}`;
      const problem = problemOf(ajv, document, pointer, answer);
      if (problem !== '') wrong.push(`${target} ${body ?? ''} is ${status} ${text}: ${problem}`);
    }
    t.same(wrong, [], operationId);
    if (!succeeded) failed.push(operationId);
  }
  if (failing !== undefined) t.same(failed.sort(), [...failing].sort(), 'those that never succeed');
}

/** What of an answer is not as the response at a place of the document says. */
function problemOf(
  ajv: Ajv2020,
  document: Json,
  pointer: string,
  { text, json, headers }: Answer,
): string {
  const response = found(document, pointer);
  for (const [name, header] of Object.entries(response['headers'] ?? {}))
    if (header['required'] !== undefined && !headers.has(name)) return `it has no header ${name}`;
  if (response['content'] === undefined) return text === '' ? '' : 'it has a body';
  const isValid = ajv.getSchema(`document${pointer}/content/application~1json/schema`)!;
  return isValid(json) ? '' : ajv.errorsText(isValid.errors);
}

/** A member's name in a JSON pointer that is part of a URL. */
function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function found(document: Json, pointer: string): Json {
  return pointer
    .split('/')
    .slice(1)
    .reduce(
      (value, name) => value[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')]!,
      document,
    );
}

async function serve(
  t: Test,
  server: Postgres,
  scripts: Readonly<Record<string, string>> | undefined,
): Promise<{ service: Service; folder: string }> {
  const service = await startService(t, {
    database: server.url,
    ...(scripts === undefined
      ? { config: { 'queries.location': `${EXAMPLES}/queries` } }
      : { scripts }),
  });
  return {
    service,
    folder: scripts === undefined ? `${EXAMPLES}/queries` : `${service.folder}/queries`,
  };
}

t.test('the examples', async (t) => {
  const setup = readFileSync(`${EXAMPLES}/database.sql`, 'utf8');
  const server = await startPostgres(t, { setup });
  const { service, folder } = await serve(t, server, undefined);
  const samples = { body: [{ name: 'Hojicha', category: 'tea', price: 9.5 }], lines: [] };
  for (const proved of [true, false]) {
    const documented = await documentScripts(t, server, folder, { proved });
    const made = await documented.document();
    await isValidDocument(t, made);
    await checkTruth(t, service, made, samples, proved ? EXAMPLES_FAIL : undefined);
  }
});

/** Their values are stored already, or in use. */
const EXAMPLES_FAIL: readonly string[] = [
  'write_api_import',
  'deletePath_api_product',
  'delete_api_product',
  'write_api_products',
  'write_products_create',
];

t.test('odd scripts', async (t) => {
  const server = await startPostgres(t, { setup: ODD_TABLES });
  const scripts = Object.fromEntries(ODD_SCRIPTS.map(({ file, text }) => [file, text]));
  const { service, folder } = await serve(t, server, scripts);
  const failing = ODD_SCRIPTS.flatMap(({ fails }) => fails ?? []);
  for (const proved of [true, false]) {
    const documented = await documentScripts(t, server, folder, { proved });
    const made = await documented.document();
    await isValidDocument(t, made);
    await checkTruth(t, service, made, ODD_SAMPLES, proved ? failing : undefined);
  }
});
