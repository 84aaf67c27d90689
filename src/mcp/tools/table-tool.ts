/**
 * The entry in `tools/list` of the tool that reads one table. Lists of tools are read by language models with each
 * request, so it is short: the columns with their types are in the description, and the arguments are explained by
 * select_table.
 */
import { plainText, READ_ONLY, type Schema } from '../arguments/input-schema.js';
import type { Column, Table } from '../tables/table.js';
import { genericToolName, type NameForm } from '../arguments/tool-names.js';

/** Maximum of characters of an entry: about 250 tokens. A name of a table or column may be longer than that allows. */
const LONGEST = 1_000;

/** Maximum of characters of a table's comment. */
const COMMENT = 200;

/** Maximum of characters of the listed labels of an enumeration. */
const LABELS = 80;

const TYPES: Readonly<Record<Table['type'], string>> = {
  table: 'table',
  partitioned_table: 'table',
  view: 'view',
  materialized_view: 'materialized view',
  foreign_table: 'foreign table',
};

/** Types that PostgreSQL also knows by a shorter name. */
const SHORT: readonly (readonly [RegExp, string])[] = [
  [/^character varying/, 'varchar'],
  [/^character\b/, 'char'],
  [/^(timestamp|time)(\(\d\))? with time zone/, '$1tz$2'],
  [/^(timestamp|time)(\(\d\))? without time zone/, '$1$2'],
  [/^double precision/, 'float8'],
];

/** tableTool writes the entry as JSON: the fullest one that is short enough. */
export function tableTool(name: string, table: Table, form: NameForm): string {
  const columns = table.columns.map(columnText);
  const about = plainText(table.description ?? '', COMMENT);
  const entry = (described: number, inputSchema = INPUT, comment = about): string =>
    JSON.stringify({
      name,
      description: description(table, comment, columns, described, form),
      inputSchema,
      annotations: READ_ONLY,
    });
  const typed = entry(columns.length, inputOf(table.columns.map((column) => column.name)));
  if (typed.length <= LONGEST) return typed;
  const untyped = entry(columns.length);
  if (untyped.length <= LONGEST) return untyped;
  const least = entry(0);
  if (least.length > LONGEST) return entry(0, INPUT, '');
  let few = 0;
  // JSON writes some characters as several.
  for (let { length } = least; few < columns.length; few++)
    if ((length += JSON.stringify(columns[few]).length) > LONGEST) break;
  return entry(few);
}

function description(
  { alias, schema, name, type }: Table,
  comment: string,
  columns: readonly string[],
  described: number,
  form: NameForm,
): string {
  const place = inText(`${schema}.${name} in the database ${alias}`);
  const what = comment === '' ? '' : ` ${sentence(comment)}`;
  const more = columns.length - described;
  const some = columns.slice(0, described).join(', ');
  const rest =
    more > 0 ? `${described > 0 ? ' and ' : ''}${more} ${described > 0 ? 'more' : 'columns'}` : '';
  const see = more > 0 ? ` ${genericToolName(form, 'describe_table')} has all.` : '';
  const as = `Arguments as in ${genericToolName(form, 'select_table')}.`;
  return `Rows of the ${TYPES[type]} ${place}.${what} Columns: ${some}${rest}.${see} ${as}`;
}

function columnText({ name, type, labels }: Column): string {
  const short = SHORT.reduce((text, [long, instead]) => text.replace(long, instead), type);
  const values = labels?.join('|') ?? '';
  const among = values === '' || values.length > LABELS ? '' : ` (${plainText(values, LABELS)})`;
  return `${inText(name)} ${inText(short)}${among}`;
}

/** A name has at most 63 bytes, a type may be longer. */
function inText(name: string): string {
  return plainText(name, 200);
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The schema of the arguments; `names` are the columns, where they are to be listed. */
function inputOf(names?: readonly string[]): Schema {
  const text = { type: 'string' };
  return {
    type: 'object',
    properties: {
      columns: { type: 'array', items: names === undefined ? text : { ...text, enum: names } },
      filters: { type: 'object' },
      order_by: { type: 'array', items: text },
      limit: { type: 'integer' },
      offset: { type: 'integer' },
      total: { type: 'boolean' },
      include: { type: 'object' },
    },
  };
}

const INPUT = inputOf();
