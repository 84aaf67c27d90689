/** The examples as a running service, with their OpenAPI document. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { documentScripts, type Json } from '../openapi/documented.js';
import { startPostgres } from '../../support/postgres.js';
import { startService, type Service } from '../../support/service.js';

// From dist-test/test/describe/client to the project.
const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));

export interface Examples {
  readonly service: Service;
  readonly document: Json;
}

/** startExamples starts a service of the examples for a test. */
export async function startExamples(t: Test): Promise<Examples> {
  const server = await startPostgres(t, {
    setup: readFileSync(join(EXAMPLES, 'database.sql'), 'utf8'),
  });
  const service = await startService(t, {
    database: server.url,
    config: { 'http.processes': 1, 'pool.threads': 1 },
    prepare: (home) =>
      cpSync(join(EXAMPLES, 'queries'), join(home, 'queries'), { recursive: true }),
  });
  const documented = await documentScripts(t, server, join(EXAMPLES, 'queries'));
  return { service, document: await documented.document() };
}
