/**
 * Large bodies in a worker. Bytes are bound as they are where PostgreSQL says that they are a bytea, and as its text, which
 * takes several times as much memory, elsewhere. Memory is freed as soon as it is not needed.
 */
import { setImmediate } from 'node:timers/promises';
import type { ScriptRequest } from '../messages/batch.js';
import { bytea } from '../script/body/multipart.js';
import type { RequestBody } from '../script/body/request-body.js';
import { releaseBuffer } from '../native/mailbox.js';
import { releaseOnceIdle } from '../native/memory.js';
import type { BoundValue } from '../native/pipeline.js';
import type { Statement } from '../postgres/statement/job.js';
import type { ServiceDatabase } from '../postgres/statement/queryable.js';
import type { Query } from './query.js';

const BYTEA = 17;

/** How long PostgreSQL may take to say which types the parameters of a statement have, ms. */
const LIMIT = 5_000;

/** bindBytes gives the statements of a query their bytes in the form that each takes. */
export async function bindBytes(
  database: Pick<ServiceDatabase, 'describe'>,
  query: Query,
): Promise<void> {
  const typed = async (
    { sql }: Statement,
    values: readonly BoundValue[],
  ): Promise<readonly BoundValue[]> => {
    if (!values.some((one) => Buffer.isBuffer(one))) return values;
    const described = await database.describe(sql, { identity: query.identity, limit: LIMIT });
    const types = 'parameters' in described ? described.parameters : [];
    return values.map((one, i) => (Buffer.isBuffer(one) && types[i] !== BYTEA ? bytea(one) : one));
  };
  const { before } = query;
  if (before !== undefined)
    query.before = await Promise.all(
      before.map(async ({ statement, values }) => ({
        statement,
        values: await typed(statement, values),
      })),
    );
  query.values = await typed(query.statement, query.values);
}

/** readLarge frees the bytes of a body, once it was read, that is a text: before the text is copied for PostgreSQL. */
export async function readLarge(
  request: ScriptRequest,
  read: () => RequestBody | Promise<RequestBody>,
): Promise<RequestBody> {
  const body = await read();
  if (body.isText) {
    releaseBody(request);
    await setImmediate(); // Node frees memory of an addon in the next turn
  }
  return body;
}

/** releaseBody frees the bytes of a request's body, which came beside its message. */
export function releaseBody(request: Query['request']): void {
  if (request.kind === 'listing' || !Buffer.isBuffer(request.body)) return;
  releaseBuffer(request.body.buffer as ArrayBuffer);
  releaseOnceIdle();
}
