/** Invalid arguments of a select: the error says what is wrong and what is allowed. */
import t from 'tap';
import { TableSet } from '#app/mcp/tables/table-set.js';
import { selectionOf } from '#app/mcp/rows/select-arguments.js';
import { ArgumentError } from '#app/mcp/arguments/argument-error.js';
import type { Arguments } from '#app/mcp/arguments/tool.js';
import { column, tableOf } from '../tested-table.js';

const TABLE = tableOf([
  column('id', { type: 'integer', kind: 'integer' }),
  column('name'),
  column('price', { type: 'numeric(10,2)', kind: 'number' }),
  column('size', { type: 'double precision', kind: 'number' }),
  column('tags', { type: 'text[]', kind: 'array' }),
]);
const COLUMNS = 'The columns are: id, name, price, size, tags.';

function messageFor(args: Arguments, table = TABLE): string {
  try {
    selectionOf(args, table, () => new TableSet([table]).keysOf(table));
  } catch (error) {
    if (error instanceof ArgumentError) return error.message;
    throw error;
  }
  return 'accepted';
}

for (const [what, args, message] of [
  ['an unknown column as text', { columns: 'id,nope' }, /^unknown column: nope \(in columns\)\./],
  [
    'columns as an object',
    { columns: {} },
    'columns must be a list of column names, not an object.',
  ],
  ['a column that is a number', { columns: [1] }, 'columns must hold column names, not 1.'],
  ['a column that is null', { columns: [null] }, 'columns must hold column names, not null.'],
  ['a column that is a list', { columns: [['id']] }, 'columns must hold column names, not a list.'],
  [
    'an unknown column',
    { columns: ['id', 'nope'] },
    `unknown column: nope (in columns). ${COLUMNS}`,
  ],
  ['an empty name', { columns: [''] }, `unknown column:  (in columns). ${COLUMNS}`],
  ['a star beside a name', { columns: ['*', 'id'] }, /^unknown column: \* \(in columns\)\./],
  [
    'the name in other letters',
    { columns: ['ID'] },
    `unknown column: ID (in columns). Did you mean id? ${COLUMNS}`,
  ],
  [
    'the name of what objects have',
    { columns: ['constructor'] },
    `unknown column: constructor (in columns). ${COLUMNS}`,
  ],
  ['a minus in columns', { columns: ['-id'] }, /^unknown column: -id \(in columns\)\./],
  ['an unknown filter', { filters: { nope: 1 } }, `unknown column: nope (in filters). ${COLUMNS}`],
  ['an unknown order', { order_by: ['-nope'] }, `unknown column: -nope (in order_by). ${COLUMNS}`],
  [
    'SQL as an order',
    { order_by: ['id DESC; DROP TABLE item'] },
    `unknown column: id DESC; DROP TABLE item (in order_by). ${COLUMNS}`,
  ],
  [
    'too many names',
    { columns: new Array<string>(2001).fill('id') },
    'columns holds 2001 values; 2000 are allowed at one time.',
  ],
  [
    'filters as a list',
    { filters: [] },
    'filters must be an object of column names and values, as {"id": …}, not a list.',
  ],
  [
    'filters as text',
    { filters: 'id=1' },
    'filters must be an object of column names and values, as {"id": …}, not "id=1".',
  ],
  [
    'an empty list',
    { filters: { id: [] } },
    'filter array cannot be empty: id. Give at least one value, or leave the filter out.',
  ],
  [
    'an object',
    { filters: { id: { '>': {} } } },
    'filters.id > must be a string, a number, true or false, a list of these, or null alone, not an object.',
  ],
  [
    'null in a list',
    { filters: { id: [1, null] } },
    'filters.id must be a string, a number, true or false, a list of these, or null alone, not null.',
  ],
  [
    'a list in a list',
    { filters: { id: [[1]] } },
    'filters.id must be a string, a number, true or false, a list of these, or null alone, not a list in a list.',
  ],
  ['null in an array', { filters: { tags: ['a', null] } }, /^filters\.tags must be/],
  [
    'too many values',
    { filters: { id: new Array<number>(1001).fill(1) } },
    'filters.id holds 1001 values; 1000 are allowed at one time.',
  ],
  [
    'NUL',
    { filters: { name: 'a\0b' } },
    'filters.name holds a character that no text in the database can have.',
  ],
  [
    'half of a character',
    { filters: { name: ['\ud83d'] } },
    'filters.name holds a character that no text in the database can have.',
  ],
  [
    'an integer that was rounded',
    { filters: { id: 9007199254740993 } },
    'filters.id: this number is not exact any more. Send it as a string.',
  ],
  [
    'a number that was rounded',
    { filters: { price: 1e20 } },
    'filters.price: this number is not exact any more. Send it as a string.',
  ],
  ['a number that was rounded, as text', { filters: { name: 12345678901234567890 } }, /not exact/],
  ['a number beyond all', { filters: { size: Infinity } }, /not exact/],
  [
    'a limit of nothing',
    { limit: 0 },
    'limit must be a whole number from 1 on (more than 100 is 100), not 0.',
  ],
  ['a limit below', { limit: -1 }, /^limit must be .* not -1\.$/],
  ['a limit as a word', { limit: 'five' }, /^limit must be .* not "five"\.$/],
  ['half a limit', { limit: 1.5 }, /^limit must be .* not 1\.5\.$/],
  ['a limit beyond all', { limit: Infinity }, /^limit must be/],
  ['a limit that is a list', { limit: [1] }, /^limit must be .* not a list\.$/],
  ['an offset below', { offset: -1 }, 'offset must be a whole number from 0 on, not -1.'],
  [
    'an offset as text',
    { offset: '1; DROP TABLE item' },
    'offset must be a whole number from 0 on, not "1; DROP TABLE item".',
  ],
  ['an offset that is not exact', { offset: 2 ** 53 }, 'offset must be 9007199254740991 at most.'],
  ['an order that is a number', { order_by: [1] }, 'order_by must hold column names, not 1.'],
  [
    'an order that is an object',
    { order_by: { id: 'desc' } },
    'order_by must be a list of column names, not an object.',
  ],
] as const)
  t.test(what, (t) => {
    const said = messageFor(args);
    if (typeof message === 'string') t.equal(said, message);
    else t.match(said, message);
    t.end();
  });

t.test('messages stay short', (t) => {
  const long = 'x'.repeat(100_000);
  const wide = tableOf(
    Array.from({ length: 1_600 }, (_, i) =>
      column(`column_${i}`, { type: 'integer', kind: 'integer' }),
    ),
  );
  for (const args of [
    { columns: [long] },
    { filters: { [long]: 1 } },
    { limit: long },
    { filters: long },
  ]) {
    const said = messageFor(args, wide);
    t.ok(said.length < 2_000, `${said.length}`);
  }
  t.match(messageFor({ columns: ['nope'] }, wide), / and \d+ more\.$/);
  t.ok(messageFor({ columns: ['😀'.repeat(200)] }, wide).isWellFormed());
  t.end();
});
