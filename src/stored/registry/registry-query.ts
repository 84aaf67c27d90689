/**
 * The query string of a request to the registry. Refuses parameters that are repeated, have no meaning in the request, or
 * contradict each other: an ignored parameter could be an ignored condition.
 */
import { ServiceError } from '../../base/errors.js';
import { pageOf, type Page } from '../../postgres/statement/page.js';
import type { RegistryRequest } from '../../messages/tasks.js';
import { parseQueryString, type QueryParameters } from '../../script/request/query-string.js';

export interface RegistryQuery {
  /** Alias; empty for scripts for all databases. */
  readonly database: string | undefined;
  readonly location: string | undefined;
  /** The page of a list, or of the versions. */
  readonly page: Page | undefined;
  /** Whether the response lists the versions. */
  readonly history: boolean;
  /** The version to restore. */
  readonly rollback: number | undefined;
  /** Whether the response is the proof of the script. */
  readonly proof: boolean;
  /** Whether the templates are proved; with `only` nothing is stored, with `compatible` nothing that breaks callers. */
  readonly validate: 'no' | 'yes' | 'only' | 'compatible';
  /** The parameters that templates are also rendered with; none for a proof alone. */
  readonly samples: QueryParameters;
}

const PAGE = ['_page', '_page_size'];

/** The parameters besides `database`, by method: of requests to the registry, and to one script. */
const OF_ALL: Readonly<Record<string, readonly string[]>> = {
  GET: ['location', ...PAGE],
  POST: ['validate'],
};
const OF_ONE: Readonly<Record<string, readonly string[]>> = {
  GET: ['history', 'proof', 'validate'],
  PUT: ['validate'],
  POST: ['rollback', 'validate'],
  DELETE: [],
};

/** Names that samples cannot have. `location` is a sample except in a list of all scripts. */
const RESERVED = ['database', 'history', 'rollback', 'validate'];

/** readRegistryQuery reads the query string of a request. Throws ServiceError `invalid_query_string`. */
export function readRegistryQuery(request: RegistryRequest): RegistryQuery {
  const { query, script } = request;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const parameters = parseQueryString(query);
  const allowed = ['database', ...((script === undefined ? OF_ALL : OF_ONE)[method] ?? [])];
  if (allowed.includes('history') && parameters.has('history')) allowed.push(...PAGE);
  const samples: QueryParameters = new Map();
  for (const [name, value] of parameters) {
    if (allowed.includes(name)) {
      if (typeof value !== 'string') throw invalid(`${name} is given more than once`);
    } else if (RESERVED.includes(name)) {
      throw invalid(`${name} means nothing in this request`);
    } else if (parameters.has('validate')) {
      samples.set(name, value);
    } else if (!name.startsWith('_')) {
      throw invalid(`unknown parameter ${JSON.stringify(name)}`);
    }
  }
  const one = (name: string): string | undefined =>
    allowed.includes(name) ? (parameters.get(name) as string | undefined) : undefined;
  const history = isOn('history', one('history'));
  const validate = validationOf(one('validate'));
  if (validate === 'compatible' && method === 'GET')
    throw invalid('validate=compatible is for requests that store a script');
  const proof = isOn('proof', one('proof'));
  if (history && validate !== 'no')
    throw invalid('history and validate cannot be asked for together');
  if (proof && (history || validate !== 'no'))
    throw invalid('proof cannot be asked for together with history or validate');
  return {
    database: one('database'),
    location: one('location'),
    page: pageOf(one('_page'), one('_page_size')),
    history,
    proof,
    rollback: versionOf(one('rollback')),
    validate,
    samples,
  };
}

function validationOf(value: string | undefined): RegistryQuery['validate'] {
  if (value === 'only' || value === 'compatible') return value;
  return isOn('validate', value) ? 'yes' : 'no';
}

function isOn(name: string, value: string | undefined): boolean {
  if (value === '' || value === 'true') return true;
  if (value === undefined || value === 'false') return false;
  throw invalid(
    `${name} must be ${name === 'validate' ? 'true, only, compatible or false' : 'true or false'}`,
  );
}

function versionOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw invalid('rollback must be the number of a version');
  return Number(value);
}

function invalid(reason: string): ServiceError {
  return new ServiceError('invalid_query_string', `invalid query string: ${reason}`);
}
