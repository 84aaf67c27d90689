/** The shop of the examples: examples/queries over a database with examples/database.sql. */
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { startPostgres, type Postgres } from '../support/postgres.js';
import { startService, type Answer, type Configuration, type Service } from '../support/service.js';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));

/** projectFile is the text of a file of the project. */
export function projectFile(file: string): string {
  return readFileSync(path.join(PROJECT, file), 'utf8');
}

export class Shop {
  readonly service: Service;
  readonly postgres: Postgres;

  constructor(service: Service, postgres: Postgres) {
    this.service = service;
    this.postgres = postgres;
  }

  /** send sends a request, with a JSON body if there is one: a text as it is. */
  send(request: string, body?: unknown, type = 'application/json'): Promise<Answer> {
    const [method = '', target = ''] = request.split(' ');
    if (body === undefined) return this.service.ask(target, { method });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.service.ask(target, { method, headers: { 'content-type': type }, body: text });
  }

  /** code is the status and the code of the error. */
  async code(request: string, body?: unknown, type?: string): Promise<string> {
    const { status, json } = await this.send(request, body, type);
    const { code } = (json ?? {}) as { code?: string };
    return code === undefined ? String(status) : `${status} ${code}`;
  }

  /** contents are the numbers of rows, and the stock of all products. */
  async contents(): Promise<unknown> {
    const [counts] = await this.postgres.sql(`SELECT
      (SELECT count(*) FROM products)::int AS products, (SELECT sum(stock) FROM products)::int AS stock,
      (SELECT count(*) FROM orders)::int AS orders, (SELECT count(*) FROM order_items)::int AS items`);
    return counts;
  }
}

/** startShop starts the service with its scripts in files, and `more` of them. */
export async function startShop(
  t: Test,
  config: Configuration = {},
  more: Readonly<Record<string, string>> = {},
): Promise<Shop> {
  const postgres = await startPostgres(t);
  await postgres.sql(projectFile('examples/database.sql'));
  const service = await startService(t, {
    database: postgres.url,
    config,
    scripts: more,
    prepare: (folder) =>
      cpSync(path.join(PROJECT, 'examples/queries'), path.join(folder, 'queries'), {
        recursive: true,
      }),
  });
  return new Shop(service, postgres);
}
