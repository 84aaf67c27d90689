/**
 * The configuration keys of the MCP endpoint: whether AI clients may read, and how much. Which tables they may read is
 * said in the section `access`, and which listings in `expose`, as for everybody else. Data only.
 */
import { derived, fixed } from './key.js';
import { boolean, choice, duration, integer, list, size } from './kind.js';

const MiB = 1024 ** 2;
const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;

/** Whether a text is an origin as browsers send it: lower case, no path, no port that goes without saying. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text) || !/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+$/.test(text)) return false;
  const { origin, protocol } = new URL(text);
  // Of schemes of their own (vscode-webview://…) a URL has no origin, but browsers do.
  return origin === text || (origin === 'null' && protocol !== 'file:');
}

/** `table` patterns: two or three names with dots between. */
const TABLES = /^[^.\0]+(?:\.[^.\0]+){1,2}$/;

/** MCP_KEYS are the keys of mcp. */
export const MCP_KEYS = {
  'mcp.enabled': fixed(
    boolean(),
    true,
    'Offer `/_mcp`, through which AI clients read the database. It needs a token when `auth.enabled` is on, and obeys `access` and `expose`.',
  ),
  'mcp.origins': fixed(
    list('a list of origins, such as "https://chat.example.com"', isOrigin),
    [],
    'Origins of web pages that may use `/_mcp`, besides pages of this machine and those of `cors.alloworigin` that are named there. Clients that are no web pages send no origin.',
  ),
  'mcp.tool_names': fixed(
    choice('dotted', 'plain'),
    'dotted',
    'The names of tools: `service.list_tables`, or, for clients that take only letters, digits, `_` and `-` (64 at most), `service_list_tables`.',
  ),
  'mcp.max_tools': fixed(
    integer(0, 100_000),
    100,
    'Most tools of single tables and scripts that one caller is offered, besides the five that work on any table. Many clients take no more than 128 tools of all servers together.',
  ),
  'mcp.tables': fixed(
    list(
      'a list of patterns "schema.table" or "database.schema.table", where * stands for any characters',
      (item) => TABLES.test(item),
    ),
    ['*.*'],
    'The tables that have a tool of their own. The others are read with `service.select_table`; what may be read is said in `access`, not here.',
  ),
  'mcp.scripts': fixed(
    boolean(),
    false,
    'Offer scripts for GET as tools, each to those who may run it. They run in a transaction that can only read.',
  ),
  'mcp.timeout': derived(
    duration(10, DAY),
    '`pg.statement_timeout`, `"30s"` at most',
    (values) => Math.min(values['pg.statement_timeout'] as number, 30 * SECOND),
    'The time one statement of a tool may take; never more than `pg.statement_timeout`.',
  ),
  'mcp.max_result': fixed(
    size(1024, 1024 * MiB),
    3 * MiB,
    'Largest result of one tool, as JSON; never more than `pg.max_result`. An answer has it twice, and clients that start a program take no more than 10 MiB from it. The rows are 100 at most in any case.',
  ),
};
