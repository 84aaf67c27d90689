/**
 * 40 questions of an analyst over a database of 46 tables and 260,000 rows, answered by a scripted agent that uses only
 * what the tools return: all answers are right. Calls and tokens are counted for a conversation about each question, and
 * for one conversation about all, in which each list of tables and each description is requested once.
 */
import t from 'tap';
import { callTool, post } from '../support/mcp.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { Agent, OWN, type Call, type Tool } from './questions-agent.js';
import { SETUP } from './questions-database.js';
import { ROWS, TABLES } from './questions-rows.js';
import { NUMBERS } from './questions.js';

const ENDPOINT = '/_mcp?names=plain';

const QUESTIONS = [...NUMBERS, ...ROWS, ...TABLES];

const postgres = await startPostgres(t, { setup: SETUP });
const service = await startService(t, { database: postgres.url });

const listed = await post(
  service,
  { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  { path: ENDPOINT },
);
const { tools } = (listed.json as { result: { tools: Tool[] } }).result;
const general = tools.filter(({ name }) => !name.startsWith(OWN));

/** The right answers, as JSON of PostgreSQL, which is what tools give. */
const answers = new Map<string, readonly string[]>();
for (const { text, sql } of QUESTIONS) {
  const [row] = await postgres.sql<{ json: string }>(
    `SELECT json_agg(q)::text AS json FROM (${sql}) q`,
  );
  answers.set(text, valuesOf(JSON.parse(row!.json)));
}

for (const [what, offered] of [
  ['tables in the list of tools', tools],
  ['general tools only', general],
] as const)
  t.test(what, async (t) => {
    const calls = new Map<string, readonly Call[]>();
    for (const { text, answer } of QUESTIONS) {
      const agent = new Agent(text, offered, (tool, args) =>
        callTool(service, tool, args, { path: ENDPOINT }),
      );
      const right = answers.get(text)!;
      t.ok(right.length > 0, 'there is an answer');
      t.strictSame(valuesOf(await answer(agent)), right, text);
      calls.set(text, agent.calls);
    }
    const list = tokensOf(JSON.stringify(offered).length);
    t.comment(`${what}: a list of ${offered.length} tools, ${list} tokens`);
    for (const [text, { length }] of calls) t.comment(`${length} calls: ${text}`);
    const alone = [...calls.values()];
    const together = withoutRepeated(alone);
    t.comment(`each question alone: ${figures(alone)}`);
    t.comment(`all in one conversation: ${figures(together)}`);
    t.ok(list <= 8_000, 'the list');
    t.ok(medianOf(together.map(({ length }) => length)) <= 2, 'the median of calls');
    t.ok(
      alone.every(({ length }) => length <= 8),
      'the most calls',
    );
  });

/** The calls without lists of tables and descriptions that an earlier question got. */
function withoutRepeated(questions: readonly (readonly Call[])[]): Call[][] {
  const seen = new Set<string>();
  return questions.map((calls) =>
    calls.filter(({ tool, arguments: args }) => {
      if (tool !== 'list_tables' && tool !== 'describe_table') return true;
      const isNew = !seen.has(tool + args);
      seen.add(tool + args);
      return isNew;
    }),
  );
}

function figures(questions: readonly (readonly Call[])[]): string {
  const counts = questions.map(({ length }) => length);
  const tokens = questions.map((calls) =>
    tokensOf(sum(calls.map(({ sent, received }) => sent + received))),
  );
  const text = (numbers: readonly number[]): string =>
    `${sum(numbers)} (median ${medianOf(numbers)}, most ${Math.max(...numbers)})`;
  return `${text(counts)} calls, ${text(tokens)} tokens`;
}

/** Four characters are about one token. */
function tokensOf(characters: number): number {
  return Math.round(characters / 4);
}

/** The values in an answer, one after the other; numbers and their texts are the same. */
function valuesOf(answer: unknown): string[] {
  if (typeof answer === 'object' && answer !== null) return Object.values(answer).flatMap(valuesOf);
  const text = String(answer);
  return [/^-?\d{1,15}(?:\.\d+)?$/.test(text) ? String(Number(text)) : text];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2;
}
