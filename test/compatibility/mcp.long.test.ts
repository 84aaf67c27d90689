/** The MCP endpoint, as recorded. The tools of pREST are called `prest.…`, ours `service.…`. */
import t from 'tap';
import { replay } from './replay.js';

const TABLES = `
  INSERT INTO "Reply" (name) VALUES ('prest tester');
  CREATE TABLE test2 (name text, number integer);
  CREATE TABLE test6 (id serial, name text, celphone text);
  CREATE TABLE test_list_only_id (id serial, name text);
  CREATE TABLE test_group_by_table (id serial, name text, age integer, salary double precision);
  INSERT INTO test_group_by_table (name, age, salary) VALUES
    ('joao', 20, 1250), ('maria', 19, 3999), ('gopher', 20, 100), ('guitarra humana', 19, 3998);
  CREATE VIEW view_test AS SELECT name AS player FROM test7`;

const PERMITTED = ['Reply', 'test', 'test2', 'test3', 'test6', 'test_group_by_table'];

const tables = [
  ...PERMITTED.map((name) => ({ name, permissions: ['read'], fields: ['*'] })),
  { name: 'test_list_only_id', permissions: ['read'], fields: ['id'] },
];

await replay(t, 'mcp', { 'access.tables': tables }, TABLES);
