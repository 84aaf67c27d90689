/**
 * What a user with CREATE on a schema can plant there: operators, functions, casts, types and relations with the names of
 * PostgreSQL's own, for as many types as names are looked up with. Each writes a line into the log of the server when it is
 * called, also in a transaction that is read-only or rolled back.
 */
import { readFileSync } from 'node:fs';
import type { OwnPostgres } from './postgres.js';

const MARK = 'a shadow was called';

const TYPES =
  'oid int2 int4 int8 text name "char" bool json jsonb xid regclass regnamespace regtype numeric oidvector int2vector ' +
  'pg_node_tree timestamptz float8 varchar uuid _text _oid _name _int2';

const OPERATORS = '= <> < <= > >= ~ !~ ~* ~~ ~~* !~~ || + - * / % << >> & | # -> ->> #>> @>';

/** As the current user, in the schema `public`; `more` are types of the test that operators are planted for too. */
const plantSql = (more: readonly string[]): string => `
SET search_path = pg_catalog;
DO $plant$
DECLARE
  one text; other text; symbol text; named record; planted int := 0; kind text;
  types text[] := ARRAY(SELECT 'pg_catalog.' || t FROM unnest(string_to_array('${TYPES}', ' ')) t) || '{${more.join(',')}}';
  body text := 'BEGIN RAISE LOG ''${MARK}: %%'', ''%s''; RETURN NULL; END';
BEGIN
  CREATE TYPE public.shadow AS ENUM ('a');
  FOREACH one IN ARRAY types LOOP
    EXECUTE format('CREATE FUNCTION public.shadow_cast(%s) RETURNS public.shadow LANGUAGE plpgsql AS %L',
      one, format(body, 'cast'));
    EXECUTE format('CREATE CAST (%s AS public.shadow) WITH FUNCTION public.shadow_cast(%s) AS IMPLICIT', one, one);
    FOREACH other IN ARRAY types LOOP
      EXECUTE format('CREATE FUNCTION public.shadow_bool(%s, %s) RETURNS bool LANGUAGE plpgsql AS %L',
        one, other, format(body, 'operator'));
      EXECUTE format('CREATE FUNCTION public.shadow_text(%s, %s) RETURNS text LANGUAGE plpgsql AS %L',
        one, other, format(body, 'operator'));
      FOREACH symbol IN ARRAY string_to_array('${OPERATORS}', ' ') LOOP
        CONTINUE WHEN to_regoperator(format('public.%s(%s,%s)', symbol, one, other)) IS NOT NULL; -- of an extension
        kind := CASE WHEN symbol IN ('||', '+', '-', '*', '/', '%', '<<', '>>', '&', '|', '#', '->', '->>', '#>>')
          THEN 'text' ELSE 'bool' END;
        EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.shadow_%s)',
          symbol, one, other, kind);
        planted := planted + 1;
      END LOOP;
    END LOOP;
  END LOOP;
  FOR named IN
    SELECT p.proname, oidvectortypes(p.proargtypes) AS arguments, format_type(p.prorettype, NULL) AS result
    FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.pronargs BETWEEN 1 AND 6
      AND NOT EXISTS (SELECT FROM pg_type t WHERE t.oid = ANY (p.proargtypes::oid[] || p.prorettype) AND t.typtype = 'p')
    UNION SELECT p.proname, a, 'text' FROM pg_proc p, unnest('{text,record,anyelement,"text,text,bool"}'::text[]) a
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ '^(json|to_|row_|array_|set_|current_|pg_[a-z]*_size|quote|format|concat|string|count|sum|min|max|coalesce|unnest|has_|hash|md5|octet|left|lower|length|regexp|now)'
  LOOP
    BEGIN
      EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L',
        named.proname, named.arguments, named.result, format(body, named.proname));
      planted := planted + 1;
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  FOREACH one IN ARRAY string_to_array('text json jsonb oid name bool date record', ' ') LOOP
    BEGIN
      EXECUTE format('CREATE DOMAIN public.%I AS pg_catalog.%s CHECK (public.shadow_bool(1::int2, 1::int2) IS NULL)', one, one);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  FOR named IN SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace
    AND relname IN ('pg_class', 'pg_namespace', 'pg_proc', 'pg_type', 'pg_roles', 'pg_index', 'pg_trigger')
  LOOP
    EXECUTE format('CREATE VIEW public.%I AS SELECT * FROM pg_catalog.%1$I WHERE public.shadow_bool(1::int2, 1::int2) IS NULL', named.relname);
  END LOOP;
  PERFORM set_config('shadows.planted', planted::text, false);
END $plant$;
SELECT current_setting('shadows.planted') AS planted`;

/** plant has a role of its own plant them, and gives how many operators and functions there are. */
export async function plant(postgres: OwnPostgres, more: readonly string[]): Promise<number> {
  await postgres.sql('CREATE ROLE mallory; GRANT CREATE, USAGE ON SCHEMA public TO mallory');
  const [row] = await postgres.sql<{ planted: string }>(`SET ROLE mallory; ${plantSql(more)}`);
  return Number(row!.planted);
}

/** called lists the lines of the log about shadows that were called, and forgets them. */
export function called(postgres: OwnPostgres, seen: { at: number }): string[] {
  const text = readFileSync(postgres.logFile, 'utf8');
  const lines = text.slice(seen.at).split('\n');
  seen.at = text.length;
  return lines.filter((line) => line.includes(`LOG:  ${MARK}`));
}
