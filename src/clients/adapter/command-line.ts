/**
 * Command-line arguments of the adapter. URL and token come from environment variables, for which configurations of
 * clients have a place. Rejects unknown arguments.
 */
import { parseArgs } from 'node:util';

export const HELP = `Usage: sql-rest-service-mcp [--timeout SECONDS]

Makes the MCP endpoint of a running sql-rest-service a server on standard input and output.

Environment:
  SERVICE_MCP_URL     Address of the service or of its endpoint: http://127.0.0.1:3000 (required). Tools have
                      plain names (list_tables); ?names=dotted gives those of the service (service.list_tables)
  SERVICE_MCP_TOKEN   Token, when the service asks for one

Flags:
  --timeout SECONDS   How long the service may say nothing before a request is given up (600)
  --help, -h          Print this
  --version, -V       Print the version

Exit status: 0 at the end of input, 1 when the environment cannot be used, 2 for a bad command line.
`;

/** Seconds; the default is longer than statements may run. */
const DEFAULT_TIMEOUT = 600;
const LONGEST_TIMEOUT = 86_400;

export type AdapterCommandLine =
  { readonly command: 'help' | 'version' } | { readonly command: 'run'; readonly timeout: number };

/** parseCommandLine parses arguments; `timeout` is in milliseconds. Throws an Error for the user. */
export function parseCommandLine(args: readonly string[]): AdapterCommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: {
      timeout: { type: 'string', default: String(DEFAULT_TIMEOUT) },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'V' },
    },
  });
  if (values.help) return { command: 'help' };
  if (values.version) return { command: 'version' };
  const seconds = /^\d{1,5}$/.test(values.timeout) ? Number(values.timeout) : 0;
  if (seconds < 1 || seconds > LONGEST_TIMEOUT)
    throw new Error(`--timeout takes whole seconds from 1 to ${LONGEST_TIMEOUT}`);
  return { command: 'run', timeout: seconds * 1000 };
}
