/**
 * Which of PostgreSQL's own functions and operators never return NULL. That a function is strict does not say so: many
 * return NULL for values that are not, as `substring(text, pattern)`, `array_length`, or `to_char` of `infinity`. Functions
 * that are not listed, and all that did not come with PostgreSQL, may return NULL.
 */
import type { FunctionFacts } from './catalog-facts.js';

/** Not NULL when no argument is NULL. */
const NEVER_NULL = new Set(
  // Numbers
  (
    'abs ceil ceiling div exp floor ln log mod pi power random round sign sqrt trunc ' +
    // Texts
    'ascii bit_length btrim char_length character_length chr decode encode hashtext initcap left length lower lpad ltrim ' +
    'md5 octet_length position quote_ident quote_literal quote_nullable repeat replace reverse right rpad rtrim sha256 ' +
    'split_part starts_with strpos to_char translate upper regexp_count regexp_like regexp_replace ' +
    'regexp_split_to_array string_to_array to_tsvector to_tsquery plainto_tsquery websearch_to_tsquery ts_rank ' +
    // Dates
    'age clock_timestamp date date_bin date_trunc isfinite justify_days make_date make_interval make_timestamp ' +
    'make_timestamptz now statement_timestamp timezone to_date to_timestamp transaction_timestamp ' +
    // Casts
    'bool bpchar float4 float8 int2 int4 int8 interval name numeric text timestamp timestamptz varchar ' +
    // Arrays and JSON
    'array_append array_cat array_positions array_prepend array_remove array_to_json array_to_string cardinality ' +
    'json_array_length json_strip_nulls json_typeof jsonb_array_length jsonb_pretty jsonb_set jsonb_strip_nulls ' +
    'jsonb_typeof row_to_json to_json to_jsonb ' +
    // The session, sequences and identifiers
    'current_database currval gen_random_uuid host nextval pg_backend_pid pg_current_xact_id pg_typeof setval ' +
    'txid_current uuidv4 uuidv7 version'
  ).split(' '),
);

/**
 * Their variants that do: bounds of ranges, JSON's null as a scalar (18), and infinite times.
 */
const MAY_BE_NULL =
  /^(?:range_|multirange_|jsonb_(?:bool|int|float|numeric)|(?:timestamp|timestamptz|interval)_to_char$)/;

/** `substr` and `substring` with positions; with a pattern, `substring` may return NULL. */
const SUBSTRING = /^(?:text|bytea)_substr/;

/** Not NULL whatever the arguments are, unless these come as one array (VARIADIC), which may be NULL itself. */
const TOLERANT = new Set(
  'concat json_build_array json_build_object jsonb_build_array jsonb_build_object num_nonnulls num_nulls'.split(
    ' ',
  ),
);

/** The same, when the first argument is not NULL. */
const TOLERANT_AFTER_FIRST = new Set(['concat_ws', 'format']);

/** How the result of a function depends on its arguments. */
export type Strictness = 'all' | 'first' | 'none';

/** neverNull says which arguments must not be NULL for the result not to be NULL; undefined when it may be NULL anyhow. */
export function neverNull(
  { name, source, builtIn }: FunctionFacts,
  variadic: boolean,
): Strictness | undefined {
  if (!builtIn) return undefined;
  if (TOLERANT.has(name)) return variadic ? undefined : 'none';
  if (TOLERANT_AFTER_FIRST.has(name)) return variadic ? undefined : 'first';
  if (SUBSTRING.test(source)) return 'all';
  return NEVER_NULL.has(name) && !MAY_BE_NULL.test(source) ? 'all' : undefined;
}

/** Operators that came with PostgreSQL and return NULL only for NULL. `path + path` is the exception. */
const OPERATORS = new Set(
  '+ - * / % ^ || = <> < > <= >= ~~ !~~ ~~* !~~* ~ !~ ~* !~* @> <@ && ? ?| ?&'.split(' '),
);

/** isTotal tells whether an operator with that name and function, of PostgreSQL's own, never returns NULL for values. */
export function isTotal(operator: string | undefined, { source }: FunctionFacts): boolean {
  return operator !== undefined && OPERATORS.has(operator) && source !== 'path_add';
}

/** Aggregates that are not NULL for a group of rows, whatever the rows hold. */
const GATHERING = new Set(
  'array_agg json_agg json_object_agg jsonb_agg jsonb_object_agg'.split(' '),
);

/** Aggregates that are not NULL for a group in which no argument is NULL. */
const SUMMING = new Set(
  'any_value avg bit_and bit_or bool_and bool_or every max min string_agg sum'.split(' '),
);

/** aggregateKind says when an aggregate is not NULL: always (counts), for groups, or for groups without NULL. */
export function aggregateKind({
  name,
  builtIn,
}: FunctionFacts): 'count' | 'gathering' | 'summing' | undefined {
  if (!builtIn) return undefined;
  if (name === 'count') return 'count';
  if (GATHERING.has(name)) return 'gathering';
  return SUMMING.has(name) ? 'summing' : undefined;
}

const RANKS = new Set('cume_dist dense_rank percent_rank rank row_number'.split(' '));

/** isRank tells whether a window function numbers rows, which is never NULL. */
export function isRank({ name, builtIn }: FunctionFacts): boolean {
  return builtIn && RANKS.has(name);
}

/** How many of the first columns of a set-returning function are not NULL. */
const SET_COLUMNS: Readonly<Record<string, number>> = {
  generate_series: 1,
  generate_subscripts: 1,
  json_array_elements: 1,
  jsonb_array_elements: 1,
  json_object_keys: 1,
  jsonb_object_keys: 1,
  regexp_split_to_table: 1,
  json_each: 2,
  jsonb_each: 2,
  json_each_text: 1,
  jsonb_each_text: 1,
};

/** filledColumns is how many of the first columns that a set-returning function returns are never NULL. */
export function filledColumns({ name, builtIn }: FunctionFacts): number {
  return builtIn ? (SET_COLUMNS[name] ?? 0) : 0;
}
