/** The OpenAPI document of a folder of scripts that are proved on a test's PostgreSQL. */
import { createHash } from 'node:crypto';
import type { Test } from 'tap';
import { createLogger } from '#app/observe/log.js';
import { OpenApiTasks } from '#app/worker/tasks/openapi-tasks.js';
import { ProofCache } from '#app/messages/proof-cache.js';
import type { ServedProof } from '#app/messages/proofs.js';
import { proveText } from '#app/proof/text-proof.js';
import { Prover, USUAL_LIMITS } from '#app/proof/branches/prover.js';
import { ScriptStore } from '#app/script/files/script-store.js';
import type { DocumentSettings } from '#app/messages/worker-settings.js';
import type { DocumentReader } from '#app/messages/tasks.js';
import { TestDatabase } from '../../support/database.js';
import type { Postgres } from '../../support/postgres.js';

/** A caller who may run everything. */
export const ANYBODY: DocumentReader = {
  name: '',
  scopes: new Set(),
  isIdentified: false,
  isAdmitted: true,
};

export const ALIAS = 'postgres';

const PATIENCE = 250_000;

export interface Json {
  readonly [name: string]: Json;
}

export interface Documented {
  readonly tasks: OpenApiTasks;
  readonly proofs: ProofCache;
  /** document gives the document for a caller. */
  document(reader?: DocumentReader, database?: string): Promise<Json>;
}

/** documentScripts proves all scripts of a folder unless `proved` is false. */
export async function documentScripts(
  t: Pick<Test, 'teardown'>,
  server: Postgres,
  folder: string,
  { settings = {}, proved = true }: { settings?: Partial<DocumentSettings>; proved?: boolean } = {},
): Promise<Documented> {
  const log = createLogger({ level: 'silent', pretty: false }, {});
  const store = new ScriptStore(folder, log);
  const proofs = new ProofCache();
  if (proved) proofs.apply({ proofs: await proofsOf(t, server, store), gone: [], complete: true });
  const openapi: DocumentSettings = { auth: undefined, registry: false, ...settings };
  const aliases = new Set([ALIAS]);
  const tasks = new OpenApiTasks({
    settings: { openapi, defaultAlias: ALIAS },
    databases: aliases,
    scripts: store,
    proofs,
    log,
  });
  return {
    tasks,
    proofs,
    document: async (reader = ANYBODY, database) => {
      const { text } = await tasks.respond({ form: 'json', database, reader, ifNoneMatch: '' });
      return JSON.parse(text!) as Json;
    },
  };
}

async function proofsOf(
  t: Pick<Test, 'teardown'>,
  server: Postgres,
  store: ScriptStore,
): Promise<ServedProof[]> {
  const { database } = new TestDatabase(t, server);
  const prover = new Prover(database, {
    aggregate: 'json_agg',
    maxResult: 32 << 20,
    limits: { ...USUAL_LIMITS, time: PATIENCE },
    patience: PATIENCE,
    analysis: database,
  });
  const served: ServedProof[] = [];
  for (const { folder, name, text } of await store.usable(ALIAS, performance.now())) {
    const script = `${folder}/${name}`;
    const { record } = await proveText(prover, database, script, text);
    served.push({
      alias: ALIAS,
      script,
      verb: text.verb,
      text: createHash('sha256').update(text.template.text).digest('base64url'),
      own: undefined,
      record,
      serves: undefined,
    });
  }
  return served;
}
