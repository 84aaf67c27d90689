/**
 * Takes the samples of all tables, and prints each table when it is complete.
 */
import { ids } from './cases.js';
import {
  AS_ROLE,
  AUTHENTICATED,
  BASE,
  GO_PEER,
  HELLO,
  IN_PROCESS,
  FLOOR,
  RUST_PEER,
  STORED,
  XITCA_PEER,
} from './contestants.js';
import type { Database } from './database.js';
import { LIMITS } from './limits/limits.js';
import { checkAnswers } from './measure/answers.js';
import { summarise, type Figures, type Summary } from './measure/figures.js';
import { sampleServer } from './measure/sample.js';
import { wants, type Cell, type Options } from './options.js';
import { comparison, table } from './report.js';
import { takeSamples, type Entry } from './rounds.js';
import type { Server } from './server.js';

/** The samples of a case at a number of connections. */
export interface Table {
  readonly cell: Cell;
  readonly rows: readonly Row[];
}

export interface Row {
  readonly name: string;
  readonly samples: readonly Figures[];
  readonly summary: Summary;
}

export interface Running {
  readonly name: string;
  readonly server: Server;
  /** Its role in PostgreSQL. */
  readonly user: string;
  /** Names of the cases that it takes part in; all when absent. */
  readonly cases?: readonly string[] | undefined;
}

/** The servers, the database and the options of a run. */
export interface Run {
  readonly servers: readonly Running[];
  readonly database: Database;
  readonly options: Options;
  /** Folder for files of the load generator. */
  readonly scratch: string;
  readonly say: (line: string) => void;
}

/** References of ratios: the first of them that takes part, otherwise the first server. */
const REFERENCES = ['fastify-pg', HELLO, BASE];
/** Number of responses of each server that are checked before a table. */
const CHECKS = 64;

/** takeTables measures every cell. Rejects when a response is wrong. */
export async function takeTables(run: Run): Promise<Table[]> {
  const tables: Table[] = [];
  for (const cell of run.options.cells) {
    const rows = await takeTable(run, cell);
    const title = `${cell.case.name}: ${cell.case.title}, ${connections(cell)}`;
    const reference = REFERENCES.find((name) => rows.some((row) => row.name === name));
    console.log(`\n${table(title, rows, reference ?? rows[0]?.name)}`);
    printSecondLoad(cell, rows, tables);
    for (const name of [BASE, FLOOR, GO_PEER, RUST_PEER, XITCA_PEER])
      printChange(rows, name, 'service');
    for (const name of [AUTHENTICATED, AS_ROLE, STORED, IN_PROCESS]) {
      printChange(rows, 'service', name);
    }
    tables.push({ cell, rows });
  }
  return tables;
}

async function takeTable(run: Run, cell: Cell): Promise<Row[]> {
  const { servers, database, options, scratch, say } = run;
  const setting = { ...cell, seconds: options.seconds, scratch };
  const entries: Entry[] = [];
  for (const { name, server, user, cases } of servers) {
    if (cases?.includes(cell.case.name) === false) continue;
    const sampled = { ...server, user };
    say(`${cell.case.name}, ${connections(cell)}: checking ${name}`);
    await checkAnswers(server, cell.case, ids(cell.case, 1, checkCount(cell)));
    await sampleServer(sampled, database, { ...setting, seconds: options.warmUp, seed: 0 });
    entries.push({
      name,
      sample: (seed) => sampleServer(sampled, database, { ...setting, seed }),
    });
  }
  for (const limit of LIMITS) {
    if (!limit.cases.includes(cell.case.name) || limit.missing() !== undefined) continue;
    if (!wants(options, limit.name)) continue;
    const sample = (seed: number): Promise<Figures> => limit.sample(database, { ...setting, seed });
    entries.push({ name: limit.name, sample });
  }
  const rows = await takeSamples(entries, options.rounds, (round, name) =>
    say(`${cell.case.name}, ${connections(cell)}: round ${round + 1}, ${name}`),
  );
  return rows.map(({ name, samples }) => ({ name, samples, summary: summarise(samples) }));
}

/** printSecondLoad compares each server with its row in the table without the second load. */
function printSecondLoad(cell: Cell, rows: readonly Row[], tables: readonly Table[]): void {
  if (!cell.case.beside) return;
  const alone = tables.find(
    (other) => other.cell.case.name === 'one' && other.cell.connections === cell.connections,
  );
  for (const { name, summary } of rows) {
    const before = alone?.rows.find((row) => row.name === name);
    if (before) console.log(`  ${name}, alone → beside: ${comparison(before.summary, summary)}`);
  }
}

/** printChange compares two rows of a table, if both exist. */
function printChange(rows: readonly Row[], from: string, to: string): void {
  const [before, after] = [from, to].map((name) => rows.find((row) => row.name === name));
  if (before && after) {
    console.log(`  ${from} → ${to}: ${comparison(before.summary, after.summary)}`);
  }
}

function connections({ connections: count }: Cell): string {
  return count === 1 ? '1 connection' : `${count} connections`;
}

/** checkCount is the number of checked responses; fewer for large ones. */
function checkCount({ case: subject }: Cell): number {
  return subject.name === 'megabyte' ? 8 : CHECKS;
}
