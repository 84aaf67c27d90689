import type { Expectations } from '../expectation.js';

export const EVENTS: Expectations = {
  'events/list.read': {
    about: 'a partitioned table, with and ne, the pages of the service',
    values: {
      from: ['2025-02-01'],
      to: ['2025-03-01'],
      kind: ['all', 'login', ''],
      _page: ['2'],
      _page_size: ['5'],
    },
  },
  'events/histogram.read': {
    about: 'values in string constants: of an enum and of a pattern',
    values: { unit: ['hour', 'day', 'week'], zone: ['Europe/Oslo'] },
  },
  'events/gaps.read': {
    about: 'a series of dates with a number as its step',
    values: { unit: ['hour', 'day'], from: ['2025-02-01'], to: ['2025-03-01'] },
    broken: { code: '42883', line: 6, column: 6, when: { unit: 'absent|=day' } },
  },
  'events/record.write': {
    about: 'a function with an optional argument',
    values: { 'body.customer': ['7'], 'body.kind': ['login'], 'body.payload': ['{"a": 1}'] },
  },
  'events/record-all.write': {
    about: 'the elements of a JSON array',
    values: { 'request.body': ['[]'], timed: ['1'] },
  },
  'events/of-kinds.read': {
    about: 'a list in ANY, which takes an array',
    values: {
      kind: [
        ['a', 'b'],
        ['a', 'b', 'c'],
      ],
    },
    broken: { code: '42809', line: 3, column: 31, when: { kind: 'list2' } },
  },
  'events/kinds.read': {
    about: 'a column for each value of an enum',
    values: { kind: ['login', ['logout'], ['login', 'purchase']] },
  },
  'events/latest.read': {
    about: 'DISTINCT ON without its column in ORDER BY',
    values: { newest: ['1'] },
    broken: { code: '42P10', line: 2, column: 21, when: { newest: 'any' } },
  },
  'events/first.read': {
    about: 'a window function in WHERE of the same SELECT',
    values: { latest: ['1'] },
    broken: { code: '42703', line: 4, column: 28, when: { latest: 'any' } },
  },
  'events/purge.delete': {
    about: 'a date, and an optional filter',
    values: { before: ['2025-01-01'], kind: ['login'] },
  },
  'events/nested.read': {
    about: 'a member of jsonb as a column, three conditions deep',
    values: { customer: ['7'], kind: ['purchase', 'x'], min: ['5'] },
    broken: {
      code: '42P01',
      line: 11,
      column: 11,
      when: { customer: 'any', kind: '=purchase', min: 'absent' },
    },
  },
  'events/path.read': {
    about: 'a path of jsonb as an array',
    values: { path: ['address', ['address', 'city']] },
  },
  'events/amounts.read': {
    about: 'jsonb is compared with a number',
    values: { min: ['5'], max: ['9'] },
    broken: { code: '42883', line: 4, column: 45, when: { min: 'any' } },
  },
  'events/annotate.update': {
    about: 'a parameter of undetermined type among arguments of any type',
    values: { id: ['7'], 'body.note': ['x'], 'body.by': ['ann'] },
    broken: { code: '42P18', line: 5, unplaced: true, when: { 'body.note': 'any' } },
  },
  'events/export.read': {
    about: 'a read that writes',
    values: { log: ['1'] },
    broken: { code: '42601', line: 3, column: 8, when: { log: 'any' } },
  },
  'events/take.read': {
    about: 'a read with a CTE that writes',
    values: { touch: ['1'] },
    broken: { code: '0A000', line: 3, column: 6, when: { touch: 'any' } },
  },
  'events/of-user.read': {
    about: 'a field of text: the dot is another one inside with',
    values: { user: ['ann', ''], since: ['2025-01-01'] },
    broken: { code: 'script_not_usable', line: 6, column: 8, when: { user: 'any' } },
  },
  'events/since.read': {
    about: 'with, and the data around it',
    values: { user: ['ann', ''], since: ['2025-01-01', ''] },
  },
  'events/tags.write': {
    about: 'lists of a body, and a header',
    values: {
      'body.tags': [['a'], ['a', 'b']],
      'body.only': ['a', ['a', 'b']],
      'header.User-Agent': ['curl'],
    },
  },
  'events/agents.read': {
    about: 'a column that does not exist, in the branch without a header',
    values: { 'header.X-Source': ['app'] },
    broken: { code: '42703', line: 4, column: 100, when: { 'header.X-Source': 'absent' } },
  },
  'events/notify.write': {
    about: 'text in a string constant that no placeholder replaces',
    values: { what: ['orders'] },
    open: 'statement',
  },
  'events/since-day.read': {
    about: 'constants of types, whose text no placeholder replaces',
    values: { since: ['2025-02-01'], days: ['2'], hour: ['1'], kind: ['tag'] },
  },
  'events/labelled.read': {
    about: 'text within JSON, and in a constant with escapes',
    values: { label: ['x'], prefix: ['p'] },
  },
  'events/labels.read': {
    about: 'text in quotes where a placeholder has no type',
    values: { label: ['x'], suffix: ['y'] },
  },
  'events/periods.read': {
    about: 'the same text in quotes in SELECT and GROUP BY',
    values: { unit: ['week'] },
  },
  'events/periods-bound.read': {
    about: 'two placeholders for one value: PostgreSQL cannot know that they are equal',
    values: { unit: ['week'] },
    broken: { code: '42803', line: 3, column: 38, when: { unit: 'any' } },
  },
};
