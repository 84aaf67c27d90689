/**
 * The fastest packages of Node for this task: uWebSockets.js and postgres.js, in one process. postgres.js pipelines
 * statements, and prepares those with a constant text.
 */
import postgres from 'postgres';
import uWS from 'uWebSockets.js';
import { peerSettings } from '../peers/settings.js';
import { BadValue, READS, WRITES, type Statement } from '../peers/statements.js';

const { port, url, connections } = peerSettings();
/** Parameters are sent as text: postgres.js would convert the text `true` to false. Bodies are not parsed. */
const asText = (type: number) => ({ to: type, from: [type], serialize: String, parse: String });
const types = { boolean: asText(16), json: asText(114) };
const sql = postgres(url, { max: connections, idle_timeout: 0, types });
const app = uWS.App();

for (const [name, statement] of Object.entries(READS)) {
  app.get(`/_QUERIES/bench/${name}`, (response, request) => {
    answer(response, () => statement(lookup(request)), read);
  });
}
for (const [name, statement] of Object.entries(WRITES)) {
  app.post(`/_QUERIES/bench/${name}`, (response, request) => {
    answer(response, () => statement(lookup(request)), write);
  });
}
app.listen('127.0.0.1', port, (socket) => {
  if (socket === false) throw new Error(`cannot listen on port ${port}`);
});

/** answer runs a statement and sends its result. `prepare` is called at once, because the request is only valid now. */
function answer(
  response: uWS.HttpResponse,
  prepare: () => Statement,
  run: (statement: Statement) => Promise<string>,
): void {
  let aborted = false;
  response.onAborted(() => (aborted = true));
  const send = (status: string, body: string): void => {
    if (aborted) return;
    response.cork(() => {
      response.writeStatus(status).writeHeader('content-type', 'application/json').end(body);
    });
  };
  try {
    run(prepare()).then(
      (body) => send('200 OK', body),
      (error: unknown) =>
        send('500 Internal Server Error', JSON.stringify({ error: String(error) })),
    );
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    send('400 Bad Request', JSON.stringify({ error: error.message }));
  }
}

async function read(statement: Statement): Promise<string> {
  const rows = await query(statement).values();
  return (rows[0] as [string])[0];
}

async function write(statement: Statement): Promise<string> {
  const result = await query(statement);
  return `{"rows_affected":${result.count}}`;
}

function query({ name, text, values }: Statement): postgres.PendingQuery<postgres.Row[]> {
  return sql.unsafe(text, values, { prepare: name !== undefined });
}

function lookup(request: uWS.HttpRequest) {
  return (key: string): string | undefined => request.getQuery(key);
}
