import type { Expectations } from '../expectation.js';

export const BILLING: Expectations = {
  'billing/invoices.read': {
    about: 'conditions by an enum with a default, two schemas',
    values: { state: ['all', 'open', 'paid', 'overdue'] },
  },
  'billing/aging.read': {
    about: 'a column was renamed',
    values: { state: ['all', 'paid', 'late'] },
    broken: { code: '42703', line: 6, column: 7, when: { state: '=paid' } },
  },
  'billing/pay.write': {
    about: 'a CTE that writes',
    values: { invoice: ['7'], 'body.amount': ['9.5'], 'body.method': ['card', 'cash'] },
  },
  'billing/settle.write': {
    about: 'a table that does not exist',
    values: { 'body.kind': ['payment', 'refund'], 'body.invoice': ['7'], 'body.amount': ['9.5'] },
    broken: { code: '42P01', line: 5, column: 53, when: { 'body.kind': '=refund' } },
  },
  'billing/revenue.read': {
    about: 'a scalar, dates with a default',
    values: { from: ['2025-02-01'], to: ['2025-03-01'] },
  },
  'billing/revenue-by.read': {
    about: 'a template that is called without data, which makes every period a month',
    values: { by: ['year', 'month'] },
  },
  'billing/export.read': {
    about: 'range over a constant that is not a list',
    values: { full: ['1'] },
    broken: { code: 'script_not_usable', line: 3, column: 30, when: { full: 'any' } },
  },
  'billing/dunning.read': {
    about: 'a parameter, which is text, is compared with a number',
    values: { level: ['3', 'x'] },
    broken: {
      code: 'invalid_parameter',
      line: 3,
      column: 30,
      blamed: true,
      when: { level: 'any' },
    },
  },
  'billing/statement.read': {
    about: 'a series of days, dates with defaults',
    values: { from: ['2025-02-01'], to: ['2025-03-01'], method: ['card'] },
  },
  'billing/page.read': {
    about: 'a missing space between two optional clauses',
    values: { limit: ['5'], offset: ['10'] },
    broken: { code: '42601', line: 4, column: 87, when: { limit: 'any', offset: 'any' } },
  },
  'billing/open.read': {
    about: 'a function with too few arguments',
    values: { percent: ['5'], half: ['1'] },
    broken: { code: '42883', line: 6, column: 3, when: { percent: 'absent', half: 'any' } },
  },
  'billing/void.delete': {
    about: 'DELETE has no CASCADE',
    values: { id: ['7'], force: ['1'] },
    broken: { code: '42601', line: 5, column: 21, when: { force: 'any' } },
  },
  'billing/close-year.write': {
    about: 'a DO block, whose code is not parsed',
    values: { 'body.year': ['2025'] },
    open: 'statement',
  },
  'billing/tidy.write': {
    about: 'a statement that is not allowed among others',
    values: { vacuum: ['1'] },
    broken: { code: 'statement_not_allowed', line: 4, unplaced: true, when: { vacuum: 'any' } },
  },
  'billing/methods.read': {
    about: 'values of an enum in quotes, in a loop',
    values: { method: ['card', ['card', 'cash']] },
  },
  'billing/issued.read': {
    about: 'a date in quotes',
    values: { day: ['2025-01-01'] },
    needs: ['day'],
  },
  'billing/late.read': {
    about: 'a placeholder behind interval, which takes a constant',
    values: { days: ['7 days'] },
    broken: { code: '42601', line: 4, column: 54, when: { days: 'any' } },
  },
  'billing/soon.read': {
    about: 'a constant that is not an interval',
    values: { within: ['week', 'month', 'year'] },
    broken: { code: '22007', line: 5, column: 83, when: { within: '=month' } },
  },
  'billing/large.read': {
    about: 'an aggregate in WHERE',
    values: { several: ['1'] },
    broken: { code: '42803', line: 4, column: 29, when: { several: 'any' } },
  },
  'billing/by-method.read': {
    about: 'the kind of a join, a loop over constants, a number as text',
    values: { unpaid: ['yes', 'no'], limit: ['5'] },
    open: 'value',
  },
  'billing/numbers.read': {
    about: 'a second statement in a read',
    values: { count: ['1'] },
    broken: { code: 'statement_not_allowed', line: 3, unplaced: true, when: { count: 'any' } },
  },
  'billing/upload.write': {
    about: 'a table that the first of several statements makes',
    values: { 'request.body': ['[]'] },
    open: 'statement',
  },
  'billing/total.read': {
    about: '@scalar with two columns',
    values: { count: ['1'] },
    broken: { code: 'more_than_one_column', line: 3, unplaced: true, when: { count: 'any' } },
  },
  'billing/latest.read': {
    about: '@header needs a column that one branch does not return',
    values: { short: ['1'] },
    broken: { code: 'missing_column', line: 4, unplaced: true, when: { short: 'any' } },
  },
  'billing/remind.update': {
    about: '@one without RETURNING',
    values: { id: ['7'], quiet: ['1'] },
    broken: { code: 'no_rows_returned', line: 4, unplaced: true, when: { quiet: 'any' } },
  },
  'billing/bounds.read': {
    about: 'the second value of a list that may have one only',
    values: { amount: ['1', ['1'], ['1', '2']] },
    broken: {
      code: 'invalid_parameter',
      line: 4,
      column: 69,
      blamed: true,
      when: { amount: 'list1' },
    },
  },
};
