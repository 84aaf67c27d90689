import type { Expectations } from '../expectation.js';

export const ADMIN: Expectations = {
  'admin/setting.update': {
    about: 'an upsert with a whole body and a claim',
    values: { key: ['k'], 'request.body': ['{"a": 1}'], 'claims.sub': ['7'] },
  },
  'admin/setting.read': { about: 'a scalar', values: { key: ['k'], size: ['1'] } },
  'admin/settings.read': {
    about: 'each of two filters has a WHERE',
    values: { prefix: ['a'], by: ['ann'] },
    broken: { code: '42601', line: 4, column: 18, when: { prefix: 'any', by: 'any' } },
  },
  'admin/merge.write': {
    about: 'MERGE, and an optional statement',
    values: { 'request.body': ['[]'], prune: ['true', 'false'] },
  },
  'admin/rows.read': {
    about: 'a table that the caller names',
    values: { table: ['orders', 'billing.invoices'] },
    open: 'name',
    needs: ['table'],
  },
  'admin/cast.read': {
    about: 'a type as text',
    values: { value: ['1'], type: ['int', 'numeric'] },
    open: 'name',
    needs: ['type'],
  },
  'admin/customer.read': {
    about: 'a number as text',
    values: { id: ['7'] },
    open: 'value',
    needs: ['id'],
  },
  'admin/decoded.read': { about: 'decoded text in quotes', values: { key: ['a', ''] } },
  'admin/either.read': {
    about: 'and, or, not: a statement for each case',
    values: { user: ['ann'], service: ['1'] },
  },
  'admin/one-of.read': {
    about: 'nothing is rendered without the parameter',
    values: { key: ['k'] },
    broken: { code: 'script_not_usable', line: 2, unplaced: true, when: { key: 'absent' } },
  },
  'admin/changed.read': {
    about: 'a parenthesis that is not closed in one branch',
    values: { by: ['day', 'x'], who: ['ann'], day: ['2025-01-01'] },
    broken: { code: '42601', line: 9, column: 1, when: { by: 'absent|any' } },
  },
  'admin/loop.read': {
    about: 'break, continue and len in a loop',
    values: { names: ['a', ['e'], ['a', 'e'], ['a', 'b', 'c', 'd']] },
  },
  'admin/layout.read': {
    about: 'define, template and block',
    values: { times: ['1'], key: ['k'], by: ['ann'], sort: ['time', 'x'] },
  },
  'admin/layout-of.read': {
    about: 'a column was renamed, in a template of its own',
    values: { key: ['k'], sort: ['time', 'x'] },
    broken: { code: '42703', line: 3, column: 50, when: { sort: '=time' } },
  },
  'admin/members.read': {
    about: 'lists of parameters and of claims',
    values: {
      'claims.tenant': ['t1'],
      'claims.customers': [['1'], ['1', '2']],
      role: ['a', ['a', 'b']],
      id: ['1'],
    },
  },
  'admin/rename.update': {
    about: 'a typing error in one of two forms of RETURNING',
    values: { key: ['k'], 'body.key': ['l'], 'body.returning': ['row', 'key', 'x'] },
    broken: { code: '42601', line: 5, column: 101, when: { 'body.returning': '=key' } },
  },
  'admin/search.read': {
    about: 'a loop over tables of an enum',
    values: { q: ['a'], in: ['products', ['customers'], ['customers', 'products']] },
  },
  'admin/search-all.read': {
    about: 'a loop over tables of an enum, one of which lacks a column',
    values: { q: ['a'], in: ['customers', 'orders', ['customers'], ['customers', 'orders']] },
    broken: { code: '42703', line: 6, column: 42, when: { in: 'item=orders' } },
  },
  'admin/keys.read': {
    about: 'a column that does not exist, for all other texts',
    values: { order: ['key', 'time', 'x', ''] },
    broken: { code: '42703', line: 4, column: 81, when: { order: 'any' } },
  },
};
