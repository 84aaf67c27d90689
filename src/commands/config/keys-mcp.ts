/**
 * The configuration keys of the MCP endpoint. Its permissions on tables are in the section `access`, those on listings in
 * `expose`, as for other requests. Data only.
 */
import { derived, fixed } from './key.js';
import { DAY, MiB, SECOND, boolean, choice, duration, integer, list, size } from './kind.js';

/** Whether a text is an origin as browsers send it: lower case, no path, no default port. */
function isPageOrigin(text: string): boolean {
  if (!URL.canParse(text) || !/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+$/.test(text)) return false;
  const { origin, protocol } = new URL(text);
  // For custom schemes (vscode-webview://…) URL gives no origin, but browsers send one.
  return origin === text || (origin === 'null' && protocol !== 'file:');
}

/** Patterns for tables: two or three names separated by dots. */
const TABLES = /^[^.\0]+(?:\.[^.\0]+){1,2}$/;

export const MCP_KEYS = {
  'mcp.enabled': fixed(
    boolean(),
    true,
    'Enable `/_mcp`, through which AI clients read the database. It needs a token if `auth.enabled` is on; `access` and `expose` apply to it.',
  ),
  'mcp.origins': fixed(
    list('a list of origins, such as "https://chat.example.com"', isPageOrigin),
    [],
    'Origins of web pages that may use `/_mcp`, in addition to pages of this machine and the origins named in `cors.alloworigin` (not `*`). Clients other than web pages send no origin.',
  ),
  'mcp.tool_names': fixed(
    choice('dotted', 'plain'),
    'dotted',
    'Form of tool names for clients that do not ask for one (`/_mcp?names=plain`): `service.list_tables`, or `list_tables` for clients that accept only letters, digits, `_` and `-` (at most 64). Calls may use both.',
  ),
  'mcp.max_tools': fixed(
    integer(0, 100_000),
    100,
    'Maximum number of tools for single tables and scripts offered to a caller, in addition to the general ones. Many clients accept at most 128 tools of all servers together.',
  ),
  'mcp.list_budget': fixed(
    integer(0, 100_000_000),
    32_000,
    'Maximum number of characters of the whole list of tools, as JSON; a language model reads about four of them as one token. Scripts come before tables. Tables without room for a tool of their own are read with the general tools, which are always listed.',
  ),
  'mcp.tables': fixed(
    list(
      'a list of patterns "schema.table" or "database.schema.table", where * stands for any characters',
      (item) => TABLES.test(item),
    ),
    ['*.*'],
    'Tables with their own tool. Other tables are read with `service.select_table`; permissions are defined in `access`, not here.',
  ),
  'mcp.scripts': fixed(
    boolean(),
    false,
    'Offer scripts for GET as tools, each to the callers who may run it. They run in a READ ONLY transaction.',
  ),
  'mcp.timeout': derived(
    duration(10, DAY),
    '`pg.statement_timeout`, at most `"30s"`',
    (values) => Math.min(values['pg.statement_timeout'] as number, 30 * SECOND),
    'Time limit of a statement of a tool; at most `pg.statement_timeout`.',
  ),
  'mcp.max_result': fixed(
    size(1024, 1024 * MiB),
    100 << 10,
    'Size of the result of a tool, as JSON; at most `pg.max_result`. If not all rows fit, long values are cut and the result has the rows that fit then, with `next_offset`. A response contains the result twice, and clients that start a program accept at most 10 MiB from it. A result has at most 100 rows in any case.',
  ),
};
