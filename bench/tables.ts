/**
 * Takes the samples of all tables and prints each as soon as it is whole.
 */
import { ids } from './cases.js';
import { AS_ROLE, AUTHENTICATED, BASE, HELLO, IN_PROCESS, STORED } from './contestants.js';
import type { Database } from './database.js';
import { LIMITS } from './limits/limits.js';
import { checkAnswers } from './measure/answers.js';
import { summarise, type Figures, type Summary } from './measure/figures.js';
import { sampleServer } from './measure/sample.js';
import { wants, type Cell, type Options } from './options.js';
import { comparison, table } from './report.js';
import { takeSamples, type Entry } from './rounds.js';
import type { Server } from './server.js';

/** Table is what was measured of one case at one number of connections. */
export interface Table {
  readonly cell: Cell;
  readonly rows: readonly Row[];
}

export interface Row {
  readonly name: string;
  readonly samples: readonly Figures[];
  readonly summary: Summary;
}

/** Running is a server that answers. */
export interface Running {
  readonly name: string;
  readonly server: Server;
  /** Role as which it connects to PostgreSQL. */
  readonly user: string;
  /** Names of the only cases that it takes part in. */
  readonly cases?: readonly string[] | undefined;
}

/** What samples are taken of, and where. */
export interface Field {
  readonly servers: readonly Running[];
  readonly database: Database;
  readonly options: Options;
  /** Folder for files of the load. */
  readonly scratch: string;
  readonly say: (line: string) => void;
}

/** The servers that ratios refer to: the first of them that takes part, else the first of all. */
const REFERENCES = ['fastify-pg', HELLO, BASE];
/** Answers of each server that are checked before a table. */
const CHECKS = 64;
/** Length of the first, uncounted sample of each server, in which its code becomes warm. */
const WARM_UP = 1;

/** takeTables measures every cell. Rejects when an answer is wrong. */
export async function takeTables(field: Field): Promise<Table[]> {
  const tables: Table[] = [];
  for (const cell of field.options.cells) {
    const rows = await takeTable(field, cell);
    const title = `${cell.case.name}: ${cell.case.title}, ${connections(cell)}`;
    const reference = REFERENCES.find((name) => rows.some((row) => row.name === name));
    console.log(`\n${table(title, rows, reference ?? rows[0]?.name)}`);
    printBesideAlone(cell, rows, tables);
    printChange(rows, BASE, 'service');
    for (const name of [AUTHENTICATED, AS_ROLE, STORED, IN_PROCESS]) {
      printChange(rows, 'service', name);
    }
    tables.push({ cell, rows });
  }
  return tables;
}

/** takeTable measures one cell. */
async function takeTable(field: Field, cell: Cell): Promise<Row[]> {
  const { servers, database, options, scratch, say } = field;
  const setting = { ...cell, seconds: options.seconds, scratch };
  const entries: Entry[] = [];
  for (const { name, server, user, cases } of servers) {
    if (cases?.includes(cell.case.name) === false) continue;
    const sampled = { ...server, user };
    say(`${cell.case.name}, ${connections(cell)}: checking ${name}`);
    await checkAnswers(server, cell.case, ids(cell.case, 1, checks(cell)));
    await sampleServer(sampled, database, { ...setting, seconds: WARM_UP, seed: 0 });
    entries.push({
      name,
      sample: (seed) => sampleServer(sampled, database, { ...setting, seed }),
    });
  }
  for (const limit of LIMITS) {
    if (limit.case !== cell.case.name || limit.missing() !== undefined) continue;
    if (!wants(options, limit.name)) continue;
    const sample = (seed: number): Promise<Figures> => limit.sample(database, { ...setting, seed });
    entries.push({ name: limit.name, sample });
  }
  const rows = await takeSamples(entries, options.rounds, (round, name) =>
    say(`${cell.case.name}, ${connections(cell)}: round ${round + 1}, ${name}`),
  );
  return rows.map(({ name, samples }) => ({ name, samples, summary: summarise(samples) }));
}

/** printBesideAlone says what the load beside does to a server, by the table without it. */
function printBesideAlone(cell: Cell, rows: readonly Row[], tables: readonly Table[]): void {
  if (!cell.case.beside) return;
  const alone = tables.find(
    (other) => other.cell.case.name === 'one' && other.cell.connections === cell.connections,
  );
  for (const { name, summary } of rows) {
    const before = alone?.rows.find((row) => row.name === name);
    if (before) console.log(`  ${name}, alone → beside: ${comparison(before.summary, summary)}`);
  }
}

/** printChange compares two rows of one table, when both are there. */
function printChange(rows: readonly Row[], from: string, to: string): void {
  const [before, after] = [from, to].map((name) => rows.find((row) => row.name === name));
  if (before && after) {
    console.log(`  ${from} → ${to}: ${comparison(before.summary, after.summary)}`);
  }
}

function connections({ connections: count }: Cell): string {
  return count === 1 ? '1 connection' : `${count} connections`;
}

/** checks is how many answers are checked: large ones are checked at the price of many small ones. */
function checks({ case: subject }: Cell): number {
  return subject.name === 'megabyte' ? 8 : CHECKS;
}
