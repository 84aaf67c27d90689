#!/usr/bin/env node
/**
 * The command `sql-rest-service-mcp`: an MCP server on standard input and output that forwards to the endpoint of a
 * running service. Standard output carries JSON-RPC only; messages go to standard error.
 */
import { randomUUID } from 'node:crypto';
import { version } from '../../base/version.js';
import { Bridge, MAX_REQUESTS } from './bridge.js';
import { HELP, parseCommandLine, type AdapterCommandLine } from './command-line.js';
import { EndpointError, readEndpoint, type ServerEndpoint } from './endpoint.js';
import { HttpClient } from './http-client.js';
import { LineOutput } from './line-output.js';

const NAME = 'sql-rest-service-mcp';

/** Exit status by signal, as in shells. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

process.exit(await run());

async function run(): Promise<number> {
  process.stderr.on('error', () => undefined); // closed by the client
  let line: AdapterCommandLine;
  try {
    line = parseCommandLine(process.argv.slice(2));
  } catch (error) {
    log(`${(error as Error).message.split('\n', 1)[0] ?? ''} (try --help)`);
    return 2;
  }
  switch (line.command) {
    case 'help':
      process.stdout.write(HELP);
      return 0;
    case 'version':
      process.stdout.write(`${version()}\n`);
      return 0;
    case 'run':
      return bridge(line.timeout);
  }
}

async function bridge(timeout: number): Promise<number> {
  let endpoint: ServerEndpoint;
  try {
    endpoint = readEndpoint(process.env);
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
    log(error.message);
    return 1;
  }
  for (const warning of endpoint.warnings) log(warning);
  for (const [signal, status] of Object.entries(SIGNALS))
    process.on(signal, () => process.exit(status));
  // By its name the service tells its calls from other adapters', whose clients may choose the same ids.
  const name = `${NAME}/${version()} (${randomUUID()})`;
  const client = new HttpClient(endpoint, timeout, MAX_REQUESTS, name);
  const closed = (): never => process.exit(0);
  const output = (drained: () => void): LineOutput =>
    new LineOutput(process.stdout, drained, closed);
  await new Bridge(endpoint, client, output, log).run(process.stdin);
  return 0;
}

function log(text: string): void {
  process.stderr.write(`${NAME}: ${text}\n`);
}
