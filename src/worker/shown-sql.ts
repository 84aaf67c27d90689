/**
 * The SQL of a script as a request would render it, for `/_docs/sql`. A runner does all that it does for a request of the
 * script, with the same errors, but gives the statement to what stands in for a database here, which runs nothing and
 * responds with the text of the template, what of it was rendered, and the statement with its values.
 */
import { bytea } from '../script/body/multipart.js';
import { jsonToXml } from '../script/xml.js';
import type { Rendered } from '../template/template.js';
import type { Query } from './query.js';
import type { StatementTarget } from './query-runner.js';
import type { Responder } from './responses/responder.js';
import type { WorkerDatabase } from './worker-database.js';

/** Most values in a response, and most characters of one: there may be any number of any length. */
const MOST_VALUES = 1_000;
const LONGEST_VALUE = 10_000;

export function shownDatabases(
  databases: ReadonlyMap<string, WorkerDatabase>,
  responder: Responder,
): ReadonlyMap<string, StatementTarget> {
  const run = (query: Query): void => {
    const json = JSON.stringify(shownSql(query.path, query.rendered!));
    responder.sender.send(query, 200, query.xml ? jsonToXml(json) : json);
  };
  return new Map(
    Array.from(databases, ([alias, { settings }]): [string, StatementTarget] => [
      alias,
      { settings, run, flush: () => undefined, costOf: () => undefined },
    ]),
  );
}

/** What a response has: see docs/docs-page.md. */
function shownSql(script: string, rendered: Rendered): object {
  const { text, values } = rendered;
  const parameters = rendered.boundParameters();
  const shown = values.slice(0, MOST_VALUES).map((text, i) => {
    const bytes = rendered.bytes?.get(i);
    const value = bytes === undefined ? text : bytea(bytes);
    const isLong = value !== null && value.length > LONGEST_VALUE;
    return {
      parameter: parameters.get(i + 1),
      value: isLong ? value.slice(0, LONGEST_VALUE).toWellFormed() : value,
      length: isLong ? value.length : undefined,
    };
  });
  return {
    script,
    template: rendered.coverage(),
    statement: text,
    values: shown,
    more_values: values.length - shown.length,
  };
}
