/**
 * The privileges that statements need, which Parse does not check: on the schemas that they name, on relations and columns,
 * and on functions. PostgreSQL is asked which roles lack them, so that members, owners and superusers come out right.
 * Sequences of defaults, what functions and triggers use, and row-level security are no matter here.
 */
import type { NeededRights, UsedFunction, UsedRelation } from '../analysis/dependencies.js';
import { rowsOf, type Queryable } from '../../postgres/statement/queryable.js';
import { arrayLiteral } from '../../base/quote.js';
import type { RoleSettings } from '../../messages/access-settings.js';
import type { Fault } from './shape-check.js';

/** A privilege that a role lacks. */
export interface Denial {
  readonly role: string;
  /** With its kind, as in SQL: `table public.orders`, `function app.price(integer)`, `schema app`. */
  readonly object: string;
  /** As in GRANT, with the columns when the role has it on others: `SELECT`, `UPDATE (price)`. */
  readonly right: string;
}

/** SQLSTATE insufficient_privilege. */
const DENIED = '42501';

/** rolesOf gives the roles that scripts run under; undefined for the user of the connection. */
export function rolesOf(role: RoleSettings | undefined): readonly string[] | undefined {
  if (role === undefined) return undefined;
  const { allowed, anonymous } = role;
  return [...new Set(anonymous === undefined ? allowed : [...allowed, anonymous])];
}

/** A privilege that is needed. */
interface Need {
  readonly type: 'relation' | 'function' | 'schema';
  /** As PostgreSQL names its kind in messages. */
  readonly kind: string;
  /** Null for a schema. */
  readonly oid: number | null;
  readonly schema: string | null;
  readonly name: string;
  /** In brackets, of a function. */
  readonly arguments: string;
  readonly right: string;
  /** Null for all; none for any one. */
  readonly columns: readonly string[] | null;
  /** OID of the role that needs it; null for the roles that are asked about. */
  readonly owner: number | null;
}

/** A need that a role does not have. */
interface Lack extends Denial {
  readonly need: Need;
  readonly grant: string;
  /** Whether the role is the owner of a view, so that no role can run the statement. */
  readonly isOwner: boolean;
}

/** Names of the kinds in pg_class.relkind and pg_proc.prokind, apart from table and function. */
const RELATIONS: Readonly<Record<string, string>> = {
  v: 'view',
  m: 'materialized view',
  S: 'sequence',
  f: 'foreign table',
};
const FUNCTIONS: Readonly<Record<string, string>> = { a: 'aggregate', p: 'procedure' };

/** needsOf lists the needs in the order in which PostgreSQL checks them. */
function needsOf({ schemas, relations, functions }: NeededRights): Need[] {
  return [
    ...schemas.map(schemaNeed),
    ...relations.flatMap(relationNeeds),
    // PostgreSQL may leave out what a view computes and a statement does not use.
    ...functions.filter(({ direct }) => direct).map(functionNeed),
  ];
}

function schemaNeed(name: string): Need {
  return {
    type: 'schema',
    kind: 'schema',
    oid: null,
    schema: null,
    name,
    arguments: '',
    right: 'USAGE',
    columns: null,
    owner: null,
  };
}

function relationNeeds({ oid, schema, name, kind, rights, owner }: UsedRelation): Need[] {
  return rights.map(({ right, columns = null }) => ({
    type: 'relation',
    kind: RELATIONS[kind] ?? 'table',
    oid,
    schema,
    name,
    arguments: '',
    right: right.toUpperCase(),
    columns,
    owner: owner ?? null,
  }));
}

function functionNeed({ oid, schema, name, arguments: types, kind }: UsedFunction): Need {
  return {
    type: 'function',
    kind: FUNCTIONS[kind] ?? 'function',
    oid,
    schema,
    name,
    arguments: `(${types})`,
    right: 'EXECUTE',
    columns: null,
    owner: null,
  };
}

/** Whether a role has a privilege on columns only, on all that are needed; null for an object that is gone. */
const HAS_COLUMNS = `CASE WHEN n."right" = 'DELETE' THEN false
  WHEN pg_catalog.cardinality(n.columns) = 0 THEN pg_catalog.has_any_column_privilege(r.oid, n.oid, n."right")
  ELSE NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = n.oid AND a.attnum > 0 AND NOT a.attisdropped
    AND (n.columns IS NULL OR a.attname = ANY (n.columns))
    AND NOT pg_catalog.has_column_privilege(r.oid, n.oid, a.attnum, n."right")) END`;

const HAS = `CASE n.type WHEN 'schema' THEN pg_catalog.has_schema_privilege(r.oid, s.oid, 'USAGE')
  WHEN 'function' THEN pg_catalog.has_function_privilege(r.oid, n.oid, 'EXECUTE')
  ELSE pg_catalog.has_table_privilege(r.oid, n.oid, n."right") OR ${HAS_COLUMNS} END`;

/** The needed columns as GRANT takes them, where the role has the privilege on others. */
const COLUMNS = `CASE WHEN n.type = 'relation' AND n."right" <> 'DELETE' AND pg_catalog.cardinality(n.columns) > 0
  THEN CASE WHEN pg_catalog.has_any_column_privilege(r.oid, n.oid, n."right")
    THEN (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(c), ', ') FROM pg_catalog.unnest(n.columns) c) END END`;

/** $1: names of roles, or NULL for the current one; $2: needs. A row for each role, and for each need that one lacks. */
const STATEMENT = `WITH asked AS (SELECT oid, rolname FROM pg_catalog.pg_roles
  WHERE CASE WHEN $1::pg_catalog.text[] IS NULL THEN rolname = current_user ELSE rolname = ANY ($1) END)
SELECT -1, rolname, '', '', '' FROM asked
UNION ALL SELECT n.at, r.rolname, pg_catalog.quote_ident(r.rolname),
  pg_catalog.concat(pg_catalog.quote_ident(n.schema) || '.', pg_catalog.quote_ident(n.name), n.arguments), ${COLUMNS}
FROM pg_catalog.json_to_recordset($2::pg_catalog.json) AS n(at int, type text, oid oid, schema text, name text, arguments text,
  "right" text, columns text[], owner oid)
LEFT JOIN pg_catalog.pg_namespace s ON n.type = 'schema' AND s.nspname = n.name
JOIN pg_catalog.pg_roles r ON CASE WHEN n.owner IS NULL THEN r.oid IN (SELECT oid FROM asked) ELSE r.oid = n.owner END
WHERE (${HAS}) IS FALSE`;

/** Which roles lack what of the needs of some texts. */
export class MissingPrivileges {
  /** Those of the roles that exist. */
  readonly #roles: readonly string[];
  readonly #lacks: ReadonlyMap<string, readonly Lack[]>;

  constructor(roles: readonly string[], lacks: ReadonlyMap<string, readonly Lack[]>) {
    this.#roles = roles;
    this.#lacks = lacks;
  }

  /** denials lists what the roles lack for these texts, each once. */
  denials(texts: readonly NeededRights[]): Denial[] {
    const found = new Map<string, Denial>();
    for (const { role, object, right } of texts.flatMap((one) => this.#of(one)))
      found.set(`${role} ${right} ${object}`, { role, object, right });
    return [...found.values()];
  }

  /** faultOf is the fault of a text that none of the roles can run. */
  faultOf(needed: NeededRights): Fault | undefined {
    const lacks = this.#of(needed);
    const owner = lacks.filter(({ isOwner }) => isOwner);
    if (owner.length > 0) return faultBy(owner, 'for the owner of a view: ');
    const byRole = this.#roles.map((name) => lacks.filter(({ role }) => role === name));
    const [first, ...others] = [...byRole].sort((a, b) => a.length - b.length);
    if (first === undefined || first.length === 0) return undefined;
    const about = others.length === 0 ? '' : 'for a role that is to run it, for example: ';
    return faultBy(first, about);
  }

  #of(needed: NeededRights): Lack[] {
    return needsOf(needed).flatMap((need) => this.#lacks.get(keyOf(need)) ?? []);
  }
}

function faultBy(lacks: readonly Lack[], about: string): Fault {
  const { kind, name } = lacks[0]!.need;
  const grants = [...new Set(lacks.map(({ grant }) => grant))].join('; ');
  return {
    message: `permission denied for ${kind} ${name}`,
    code: DENIED,
    hint: about + grants,
    place: undefined,
  };
}

function keyOf({ type, oid, name, right, columns, owner }: Need): string {
  return JSON.stringify([type, oid, oid === null ? name : '', right, columns, owner]);
}

/**
 * missingPrivileges asks, with one query, which of the roles lack a privilege that one of the texts needs; `roles` undefined
 * is the user of the connection. Roles that do not exist are left out. Rejects with StatementFailure.
 */
export async function missingPrivileges(
  database: Queryable,
  texts: readonly NeededRights[],
  roles: readonly string[] | undefined,
): Promise<MissingPrivileges> {
  const needs = [...new Map(texts.flatMap(needsOf).map((need) => [keyOf(need), need])).values()];
  if (needs.length === 0) return new MissingPrivileges([], new Map());
  const asked = JSON.stringify(needs.map((need, at) => ({ ...need, at, kind: undefined })));
  const rows = await rowsOf(database, STATEMENT, [roles ? arrayLiteral(roles) : null, asked]);
  const known: string[] = [];
  const lacks = new Map<string, Lack[]>();
  for (const [at, role, grantee, object, columns] of rows) {
    const need = needs[Number(at)];
    if (need === undefined) known.push(role!);
    else {
      const key = keyOf(need);
      lacks.set(key, [...(lacks.get(key) ?? []), lackOf(need, role!, grantee!, object!, columns!)]);
    }
  }
  const order = roles ?? known;
  for (const found of lacks.values())
    found.sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role));
  return new MissingPrivileges(
    order.filter((role) => known.includes(role)),
    lacks,
  );
}

function lackOf(
  need: Need,
  role: string,
  grantee: string,
  object: string,
  columns: string | null,
): Lack {
  const { type, kind, owner } = need;
  const right = columns === null ? need.right : `${need.right} (${columns})`;
  const target = type === 'relation' ? object : `${type.toUpperCase()} ${object}`;
  const grant = `GRANT ${right} ON ${target} TO ${grantee}`;
  return { role, object: `${kind} ${object}`, right, need, grant, isOwner: owner !== null };
}
