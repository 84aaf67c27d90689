import type { Expectations } from '../expectation.js';

export const ORDERS: Expectations = {
  'orders/list.read': {
    about: 'declared filters, a list of enums as an array',
    values: {
      status: ['paid', ['new', 'paid']],
      customer: ['7'],
      from: ['2025-01-01'],
      to: ['2025-02-01'],
      page: ['2'],
    },
  },
  'orders/by-id.read': {
    about: 'two parentheses around a list make a row of two values',
    values: { id: ['1', ['1', '2'], ['1', '2', '3']] },
    broken: { code: '42883', line: 4, column: 10, when: { id: 'list2' } },
  },
  'orders/some.read': { about: 'a list in IN', values: { id: ['1', ['1', '2']] } },
  'orders/between.read': {
    about: 'AND or WHERE has nothing behind it without the second filter',
    values: { from: ['2025-01-01'], to: ['2025-02-01'] },
    broken: { code: '42601', line: 7, column: 1, when: { to: 'absent' } },
  },
  'orders/sorted.read': {
    about: 'order and direction by chains, the direction in a variable',
    values: { sort: ['total', 'status', 'x'], dir: ['desc', 'x'] },
  },
  'orders/unshipped-first.read': {
    about: 'a typing error in one direction',
    values: { dir: ['desc', 'asc', 'x'] },
    broken: { code: '42601', line: 5, column: 27, when: { dir: '=desc' } },
  },
  'orders/sorted-by.read': {
    about: 'a column and a direction as text',
    values: { sort: ['total', 'id'], dir: ['DESC', 'ASC'] },
    open: 'name',
  },
  'orders/sorted-by-name.read': {
    about: 'a column that the caller names',
    values: { sort: ['total'], descending: [''] },
    open: 'name',
  },
  'orders/all.read': { about: 'an optional arm of UNION', values: { archived: ['yes', 'no'] } },
  'orders/all-sorted.read': {
    about: 'UNION behind ORDER BY',
    values: { customer: ['7'], archived: ['yes'] },
    broken: { code: '42601', line: 6, column: 1, when: { archived: 'any' } },
  },
  'orders/all-of.read': {
    about: 'the arms of UNION have different numbers of columns',
    values: { customer: ['7'], archived: ['true', 'false'] },
    broken: { code: '42601', line: 7, column: 8, when: { archived: '=true' } },
  },
  'orders/all-statuses.read': {
    about: 'the arms of UNION have different types',
    values: { archived: ['yes'] },
    broken: { code: '42804', line: 3, column: 37, when: { archived: 'any' } },
  },
  'orders/with-customer.read': {
    about: 'a column of a table that only another parameter joins',
    values: { names: ['1'], city: ['Oslo'] },
    broken: { code: '42P01', line: 3, column: 25, when: { names: 'any', city: 'absent' } },
  },
  'orders/joined.read': {
    about: 'optional joins for columns and filters',
    values: { names: ['1'], city: ['Oslo'], lines: ['1'] },
  },
  'orders/compare.read': {
    about: 'a CTE that only another parameter makes',
    values: { since: ['2025-01-01'], compare: ['1'] },
    broken: { code: '42P01', line: 6, column: 48, when: { since: 'absent', compare: 'any' } },
  },
  'orders/large.read': { about: 'an optional CTE', values: { paid: ['1'] } },
  'orders/place.write': {
    about: 'several statements with a body',
    values: { 'body.customer': ['7'], 'body.lines': ['[]'], 'body.note': ['quick'] },
  },
  'orders/place-noted.write': {
    about: 'a column was renamed, in one of several statements',
    values: { 'body.customer': ['7'], 'body.note': ['quick'] },
    broken: { code: '42703', line: 6, column: 34, when: { 'body.note': 'any' } },
  },
  'orders/add.write': {
    about: 'more columns than values once an optional one is sent',
    values: { 'body.customer': ['7'], 'body.currency': ['NOK'] },
    broken: { code: '42601', line: 5, column: 33, when: { 'body.currency': 'any' } },
  },
  'orders/ship.update': {
    about: 'the comma between two columns goes with an optional third',
    values: { id: ['7'], 'body.carrier': ['post'] },
    broken: { code: '42601', line: 6, column: 3, when: { 'body.carrier': 'absent' } },
  },
  'orders/cancel.update': {
    about: 'an optional column of SET with its comma',
    values: { id: ['7'], 'body.reason': ['too late'] },
  },
  'orders/recent.read': {
    about: 'values in string constants, with defaults',
    values: { days: ['30', '7'], currency: ['NOK', 'EUR'] },
  },
  'orders/ranked.read': {
    about: 'window functions over a chosen partition',
    values: { within: ['all', 'customer', 'month'] },
  },
  'orders/running.read': {
    about: 'a parenthesis that is not closed in the else branch',
    values: { customer: ['1'] },
    broken: { code: '42601', line: 7, column: 11, when: { customer: 'absent' } },
  },
  'orders/totals.read': {
    about: 'GROUP BY a chosen column, in a template of its own',
    values: { by: ['city', 'month', 'x'] },
  },
  'orders/totals-by.read': {
    about: 'a value of the enum is not a column',
    values: { by: ['status', 'currency', 'region'] },
    broken: { code: '42703', line: 3, column: 10, when: { by: '=region' } },
  },
  'orders/per-period.read': {
    about: 'a function that does not exist for the type',
    values: { per: ['day', 'month', 'quarter'] },
    broken: { code: '42883', line: 7, column: 3, when: { per: '=quarter' } },
  },
  'orders/with-status.read': {
    about: 'an enum is compared with text',
    values: { status: ['paid'], not: ['1'] },
    broken: { code: '42883', line: 5, column: 12, when: { status: 'any', not: 'any' } },
  },
  'orders/overview.read': {
    about: 'a column of a view was renamed',
    values: { city: ['Oslo'], lines: ['2'] },
    broken: { code: '42703', line: 4, column: 27, when: { lines: 'any' } },
  },
  'orders/touch.update': {
    about: 'a statement that is not allowed, in front of others',
    values: { 'body.wait': ['5'] },
    broken: { code: 'statement_not_allowed', line: 4, unplaced: true, when: { 'body.wait': 'any' } }, // prettier-ignore
  },
  'orders/recount.update': {
    about: 'an optional statement in front of others',
    values: { 'body.wait': ['5'] },
  },
  'orders/shipping.read': {
    about: 'a text in place of a time',
    values: { label: ['1'] },
    broken: { code: '22007', line: 3, column: 44, when: { label: 'any' } },
  },
  'orders/filters.read': {
    about: 'more combinations than can be tried; a column is ambiguous in one pair',
    values: {
      status: ['paid'],
      currency: ['EUR'],
      carrier: ['post'],
      note: ['x'],
      min: ['1'],
      max: ['9'],
      from: ['2025-01-01'],
      to: ['2025-02-01'],
      shipped: ['1'],
      customer: ['7'],
      city: ['Oslo'],
      open: ['1'],
      after: ['7'],
    },
    broken: { code: '42702', line: 18, column: 27, when: { city: 'any', after: 'any' } },
    many: true,
  },
  'orders/reopen.update': {
    about: 'the alias of the table in front of a column of SET',
    values: { id: ['7', ['7', '8']], 'body.note': ['x'] },
    broken: { code: '42703', line: 4, column: 29, when: { 'body.note': 'any' } },
  },
  'orders/in-state.read': {
    about: 'a constant that is not a value of the enum type',
    values: { state: ['open', 'done'] },
    broken: { code: '22P02', line: 4, column: 52, when: { state: '=done' } },
  },
  'orders/unreachable.read': {
    about: 'mistakes in branches that no request reaches',
    values: { id: ['7'], state: ['open', 'done'], limit: ['5'], paid: ['1'] },
  },
  'orders/defaulted.read': {
    about: 'a default counts as sent',
    values: { by: ['day', 'week', 'currency'] },
  },
  'orders/both.read': {
    about: 'a table is not joined that a branch uses twice',
    values: { city: ['Oslo'] },
    broken: { code: '42P01', line: 2, column: 33, when: { city: 'any' } },
  },
  'orders/exclusive.read': {
    about: 'a column that does not exist, where two filters are combined',
    values: { customer: ['7'], city: ['Oslo'] },
    broken: { code: '42703', line: 5, column: 49, when: { customer: 'any', city: 'any' } },
  },
  'orders/sorted-quoted.read': {
    about: 'a column in quotes is a constant, which ORDER BY refuses',
    values: { sort: ['total'] },
    broken: { code: '42601', line: 3, column: 29, when: { sort: 'any' } },
  },
  'orders/one-day.read': {
    about: 'two parameters are compared',
    values: { from: ['2025-01-01'], to: ['2025-01-01', '2025-01-02'] },
  },
  'orders/placed-on.read': {
    about: 'a column that does not exist, without a parameter or with one text',
    values: { format: ['iso', 'YYYY', ''] },
    broken: { code: '42703', line: 2, column: 86, when: { format: 'absent|empty|=iso' } },
  },
};
