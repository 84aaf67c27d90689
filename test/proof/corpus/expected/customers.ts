import type { Expectations } from '../expectation.js';

export const CUSTOMERS: Expectations = {
  'customers/list.read': {
    about: 'optional filters behind WHERE true, ORDER BY by a chain, pages',
    values: { q: ['ann'], city: ['Oslo'], vip: ['true'], sort: ['city', 'newest', 'x'], page: ['2'], size: ['5'] }, // prettier-ignore
  },
  'customers/search.read': {
    about: 'WHERE stays alone without either filter',
    values: { q: ['ann'], city: ['Oslo'] },
    broken: { code: '42601', line: 10, column: 1, when: { q: 'absent', city: 'absent' } },
  },
  'customers/get.read': { about: 'a path with a required number', values: { id: ['7'] } },
  'customers/by-contact.read': {
    about: 'either of two parameters',
    values: { id: ['7'], email: ['ann@example.com'] },
  },
  'customers/create.write': {
    about: 'a body with optional members, JSON and @header',
    values: {
      'body.name': ['Ann'],
      'body.email': ['ann@example.com'],
      'body.country': ['NO'],
      'body.attributes': ['{"a": 1}'],
    },
  },
  'customers/change.update': {
    about: 'the list of SET is empty when nothing is sent',
    values: { id: ['7'], 'body.name': ['Ann'], 'body.city': ['Oslo'], 'body.vip': ['true'] },
    broken: {
      code: '42601',
      line: 8,
      column: 1,
      when: { 'body.name': 'absent', 'body.city': 'absent', 'body.vip': 'absent' },
    },
  },
  'customers/replace.update': {
    about: 'a list of SET that is never empty',
    values: { id: ['7'], 'body.name': ['Ann'], 'body.city': ['Oslo'], 'body.attributes': ['{}'] },
  },
  'customers/export.read': {
    about: 'columns of an enum, in a loop with separators',
    values: { columns: ['email', ['city'], ['id', 'name', 'created_at']] },
  },
  'customers/export-csv.read': {
    about: 'a loop without a separator',
    values: { columns: ['email', ['name'], ['id', 'email'], ['id', 'name', 'email']] },
    broken: { code: '42601', line: 3, column: 27, when: { columns: 'list2' } },
  },
  'customers/by-country.read': {
    about: 'a column is ambiguous once a table is joined',
    values: { country: ['Norway'] },
    broken: { code: '42702', line: 2, column: 14, when: { country: 'any' } },
  },
  'customers/per-country.read': {
    about: 'GROUP BY lacks the column of one branch',
    values: { detail: ['1'] },
    broken: { code: '42803', line: 3, column: 24, when: { detail: 'any' } },
  },
  'customers/me.read': {
    about: 'a claim, and a header that is optional',
    values: { 'claims.email': ['ann@example.com'], 'header.X-Tenant': ['t1'] },
  },
  'customers/of-tenant.read': {
    about: 'a column was renamed, in the branch without the header',
    values: { 'header.X-Tenant': ['t1', ''] },
    broken: { code: '42703', line: 8, column: 7, when: { 'header.X-Tenant': 'absent|empty' } },
  },
  'customers/remove.delete': { about: 'several statements', values: { id: ['7'] } },
  'customers/anonymize.update': {
    about: 'a column that is missing, in the second of several statements',
    values: { id: ['7'], events: ['1'] },
    broken: { code: '42703', line: 7, column: 50, when: { events: 'any' } },
  },
  'customers/segments.read': {
    about: 'a variable is declared again in place of being assigned to: WHERE twice',
    values: { segment: ['a'], since: ['2025-01-01'] },
    broken: { code: '42601', line: 6, column: 26, when: { segment: 'any', since: 'any' } },
  },
  'customers/segments-of.read': {
    about: 'WHERE and AND in a variable',
    values: { segment: ['a'], since: ['2025-01-01'] },
  },
  'customers/some.read': {
    about: 'a loop inside IN: nothing is in the parentheses without the parameter',
    values: { id: ['1', ['1'], ['1', '2']] },
    broken: { code: '42601', line: 4, column: 70, when: { id: 'absent' } },
  },
  'customers/some-or-none.read': {
    about: 'a loop inside IN, with else',
    values: { id: ['1', ['1'], ['1', '2']] },
  },
  'customers/add.write': {
    about: 'a comma with nothing behind it among the values',
    values: { 'body.name': ['Ann'], 'body.email': ['ann@example.com'], 'body.city': ['Oslo'] },
    broken: { code: '42601', line: 5, column: 111, when: { 'body.city': 'absent' } },
  },
  'customers/lock.write': {
    about: 'FOR UPDATE with GROUP BY',
    values: { lock: ['1'] },
    broken: { code: '0A000', line: 5, unplaced: true, when: { lock: 'any' } },
  },
  'customers/filters.read': {
    about: 'more combinations than can be tried',
    values: {
      name: ['Ann'],
      email: ['ann@example.com'],
      city: ['Oslo'],
      country: ['NO'],
      vip: ['1'],
      since: ['2025-01-01'],
      until: ['2025-02-01'],
      segment: ['a'],
      language: ['no'],
      tenant: ['1'],
      ordered: ['1'],
      seen: ['1'],
      invoiced: ['1'],
    },
    many: true,
  },
  'customers/collated.read': {
    about: 'a collation in quotes',
    values: { locale: ['POSIX'] },
    open: 'name',
  },
  'customers/grouped.read': {
    about: 'a column as text in SELECT and GROUP BY',
    values: { by: ['country', 'city'], factor: ['2'] },
    open: 'name',
  },
  'customers/where.read': {
    about: 'a column and an operator as text',
    values: { column: ['name'], operator: ['LIKE'], value: ['x'] },
    open: 'name',
  },
  'customers/slots.read': {
    about: 'a column that does not exist, beside one as text',
    values: { column: ['city'], since: ['2025-01-01'] },
    broken: { code: '42703', line: 3, column: 27, when: { since: 'any' } },
  },
  'customers/attribute.read': {
    about: 'a name of which a parameter is a part',
    values: { language: ['no'] },
    open: 'name',
  },
  'customers/any-filter.read': {
    about: 'a loop over names of parameters',
    values: { name: ['Ann'], email: ['ann@example.com'], city: ['Oslo'] },
  },
  'customers/any-of.read': {
    about: 'a loop over names of parameters, one of which is not a column',
    values: { name: ['Ann'], city: ['Oslo'], zip: ['0150'] },
    broken: { code: '42703', line: 5, column: 32, when: { zip: 'any' } },
  },
  'customers/flag.read': {
    about: 'a declared boolean as text',
    values: { vip: ['true', 'false'] },
    open: 'value',
  },
};
