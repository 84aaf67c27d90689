import type { Expectations } from '../expectation.js';

export const PRODUCTS: Expectations = {
  'products/list.read': {
    about: 'nested conditions, with, arrays, a function, pages',
    values: {
      category: ['3'],
      tag: ['green', ['green', 'loose']],
      min_price: ['1'],
      max_price: ['9.5'],
      sort: ['price', 'newest', 'x', ''],
      page: ['2'],
      size: ['5'],
    },
  },
  'products/brief.read': {
    about: 'a comma stays in front of FROM',
    values: { price: ['1'] },
    broken: { code: '42601', line: 4, column: 1, when: { price: 'absent' } },
  },
  'products/tagged.read': {
    about: 'an array is compared with text',
    values: { tag: ['green'], any: ['loose'] },
    broken: { code: '42883', line: 5, column: 30, when: { tag: 'any' } },
  },
  'products/search.read': {
    about: 'full-text search with a rank',
    values: { q: ['pot'], stock: ['yes', 'no'] },
  },
  'products/find.read': {
    about: 'the order by a column that only another parameter makes',
    values: { q: ['pot'], sort: ['best', 'x'] },
    broken: { code: '42703', line: 6, column: 32, when: { q: 'absent', sort: '=best' } },
  },
  'products/like.read': {
    about: 'a placeholder in quotes',
    values: { sku: ['A-1'], name: ['pot'] },
    broken: {
      code: 'placeholder_in_literal',
      line: 7,
      column: 20,
      when: { sku: 'absent', name: 'any' },
    },
  },
  'products/like-text.read': {
    about: 'text in string constants',
    values: { q: ['pot', ''], sku: ['A-1', ''] },
  },
  'products/attributes.read': {
    about: 'jsonb: containment and a member by its name',
    values: { having: ['{"a": 1}'], key: ['colour'] },
  },
  'products/many-tags.read': {
    about: 'a function of jsonb on an array',
    values: { tags: ['2'] },
    broken: { code: '42883', line: 3, column: 26, when: { tags: 'any' } },
  },
  'products/in-range.read': {
    about: 'a parameter of undetermined type',
    values: { min: ['1'], max: ['9'] },
    broken: { code: '42P18', line: 7, unplaced: true, when: { max: 'any' } },
  },
  'products/facets.read': {
    about: 'a loop of UNION over columns of an enum',
    values: { facets: ['stock', ['category_id'], ['category_id', 'stock', 'discontinued_on']] },
  },
  'products/columns.read': {
    about: 'columns as text that is split',
    values: { columns: ['id', 'id name sku'] },
    open: 'name',
  },
  'products/of-category.read': {
    about: 'a missing space: the name of the table and WHERE are one word',
    values: { category: ['3'] },
    broken: { code: '42601', line: 2, column: 71, when: { category: 'any' } },
  },
  'products/save.write': {
    about: 'ON CONFLICT with an optional update',
    values: {
      'body.sku': ['A-1'],
      'body.name': ['Pot'],
      'body.price': ['9.5'],
      overwrite: ['1'],
    },
  },
  'products/upsert.write': {
    about: 'ON CONFLICT DO UPDATE without its columns',
    values: {
      'body.sku': ['A-1'],
      'body.name': ['Pot'],
      'body.price': ['9.5'],
      'body.mode': ['update', 'ignore', 'x'],
    },
    broken: { code: '42601', line: 8, column: 1, when: { 'body.mode': '=update' } },
  },
  'products/reprice.update': {
    about: 'a text for a numeric column',
    values: { id: ['7', ['7', '8']], 'body.value': ['9.5'], 'body.unit': ['percent', 'x'] },
    broken: { code: '42804', line: 9, column: 7, when: { 'body.unit': 'absent|any' } },
  },
  'products/gross.update': {
    about: 'a generated column is set',
    values: { id: ['7'], 'body.gross': ['9'], 'body.net': ['8'] },
    broken: { code: '428C9', line: 4, unplaced: true, when: { 'body.gross': 'any' } },
  },
  'products/restock.update': {
    about: 'rows of JSON, and a function that writes',
    values: { 'body.items': ['[{"product": 1, "quantity": 2}]'] },
  },
  'products/import.write': {
    about: 'a whole body, and an optional clause',
    values: { 'request.body': ['[]'], skip: ['1'] },
  },
  'products/import-stock.write': {
    about: 'a column that the rows of JSON do not have',
    values: { 'request.body': ['[]'], stock: ['1'] },
    broken: { code: '42703', line: 4, column: 25, when: { stock: 'any' } },
  },
  'products/tree.read': {
    about: 'a recursive CTE',
    values: { root: ['1'], depth: ['3'], indent: ['1'] },
  },
  'products/paths.read': {
    about: 'the two parts of a recursive CTE have different types',
    values: { path: ['1'] },
    broken: { code: '42804', line: 4, column: 26, when: { path: 'any' } },
  },
  'products/bands.read': {
    about: 'a loop over constants',
    values: { category: ['3'] },
  },
  'products/by-sku.read': {
    about: 'a list in quotes',
    values: { sku: ['A-1', ['A-1', 'B-2']] },
  },
  'products/labelled.read': {
    about: 'CASE with a number and a text',
    values: { label: ['1'] },
    broken: { code: '22P02', line: 3, column: 59, when: { label: 'any' } },
  },
  'products/counted.read': {
    about: 'HAVING with the name of an output column',
    values: { min: ['2'] },
    broken: { code: '42703', line: 5, column: 26, when: { min: 'any' } },
  },
  'products/all-tags.read': {
    about: 'AND behind the last turn of a loop',
    values: { tag: ['a', ['b'], ['a', 'b']] },
    broken: { code: '42601', line: 5, column: 1, when: { tag: 'list1|list2' } },
  },
  'products/every-tag.read': {
    about: 'a loop of conditions with an end',
    values: { tag: ['a', ['b'], ['a', 'b']] },
  },
  'products/noted.read': {
    about: 'a placeholder in a comment',
    values: { debug: ['x'] },
    broken: { code: 'placeholder_in_literal', line: 3, column: 30, when: { debug: 'any' } },
  },
  'products/listed.read': {
    about: 'a loop over a parameter that is not a list when it is sent once',
    values: { id: ['1', ['1', '2']] },
    broken: { code: 'invalid_parameter', line: 3, column: 40, blamed: true, when: { id: 'any' } },
  },
  'products/compared.read': {
    about: 'LATERAL, and a number in quotes',
    values: { average: ['1'], price: ['9.5'] },
  },
  'products/several-tags.read': {
    about: 'an array and jsonb, when there are several values',
    values: { tag: ['a', ['b'], ['a', 'b']] },
    broken: { code: '42883', line: 4, column: 34, when: { tag: 'list2' } },
  },
  'products/grouped.read': {
    about: 'the last value of an enum is not a column',
    values: { by: ['stock', 'brand', ['category_id', 'stock'], ['category_id', 'brand']] },
    broken: { code: '42703', line: 3, column: 23, when: { by: 'item=brand' } },
  },
};
