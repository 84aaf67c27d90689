/**
 * A scripted agent: it answers a question with the tools, over HTTP, and knows only the question, the list of tools and
 * what its calls return. A name or word in the arguments of a call that it cannot know fails the question.
 */
import type { CallResult } from '../support/mcp.js';

export type Row = Readonly<Record<string, unknown>>;

/** A result of a call, or an error in it. */
export interface ToolResult {
  readonly rows: readonly Row[];
  readonly total?: number;
  readonly next_offset?: number;
  readonly hint?: string;
  readonly error?: string;
  readonly [member: string]: unknown;
}

export interface Call {
  readonly tool: string;
  readonly arguments: string;
  /** Characters of the arguments and of the result. */
  readonly sent: number;
  readonly received: number;
}

/** An entry of `tools/list`. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

/** A table as calls name it. */
export interface Named {
  readonly schema: string;
  readonly table: string;
}

type Send = (tool: string, args: object) => Promise<CallResult>;

/** The beginning of the names of tools of single tables: the database is called postgres. */
export const OWN = 'select_postgres_';

/** The beginning of the name of a computed column, as the description of the tool has it: sum_total. */
const FUNCTION = /^(?:count_distinct|count|sum|avg|min|max)_(?=.)/;

export class Agent {
  readonly calls: Call[] = [];
  readonly #tools: readonly Tool[];
  readonly #send: Send;
  readonly #known: Set<string>;

  constructor(question: string, tools: readonly Tool[], send: Send) {
    this.#tools = tools;
    this.#send = send;
    const own = tools.filter(({ name }) => name.startsWith(OWN));
    const general = tools.filter((tool) => !own.includes(tool));
    this.#known = new Set(general.flatMap((tool) => [...wordsOfSchema(tool.inputSchema)]));
    this.#learn(question);
    for (const { name, description } of own) this.#learn(`${name} ${description}`);
  }

  /** call calls a tool; a result that is an error has its text as `error`. */
  async call(tool: string, args: object): Promise<ToolResult> {
    if (!this.#tools.some(({ name }) => name === tool)) throw new Error(`no tool ${tool}`);
    const sent = JSON.stringify(args);
    const unknown = wordsIn(sent).find((word) => !this.#knows(word));
    if (unknown !== undefined) throw new Error(`the agent cannot know "${unknown}"`);
    const { isError, content, structuredContent } = await this.#send(tool, args);
    const text = content[0]!.text;
    this.calls.push({ tool, arguments: sent, sent: sent.length, received: text.length });
    this.#learn(text);
    return isError === true ? { rows: [], error: text } : { rows: [], ...structuredContent };
  }

  /**
   * table finds a table: in the list of tools, which has the columns of those that it names, otherwise by a search and a
   * description.
   */
  async table(name: string, search = name): Promise<Named> {
    const schemas = ['public', 'crm'].filter((schema) =>
      this.#tools.some((tool) => tool.name === `${OWN}${schema}_${name}`),
    );
    if (schemas.length === 1) return { schema: schemas[0]!, table: name };
    const found = await this.search(search, name);
    await this.call('describe_table', found);
    return found;
  }

  /** search finds a table by words of the question; `name` is the one that is chosen from the result. */
  async search(search: string, name?: string): Promise<Named> {
    const { tables } = await this.call('list_tables', { search });
    const found = (tables as readonly { schema: string; name: string }[]).find(
      (one) => name === undefined || one.name === name,
    );
    if (found === undefined) throw new Error(`the search for "${search}" does not find ${name}`);
    return { schema: found.schema, table: found.name };
  }

  aggregate(table: Named | { readonly table: string }, options: object): Promise<ToolResult> {
    return this.call('aggregate_table', { ...table, ...options });
  }

  select(table: Named, options: object): Promise<ToolResult> {
    return this.call('select_table', { ...table, ...options });
  }

  /** all reads all pages of a call, as a client does that follows next_offset. */
  async all(tool: string, args: object): Promise<Row[]> {
    const rows: Row[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page: ToolResult = await this.call(tool, { ...args, ...(offset > 0 && { offset }) });
      if (page.error !== undefined) throw new Error(page.error);
      rows.push(...page.rows);
      offset = page.next_offset;
    }
    return rows;
  }

  #learn(text: string): void {
    for (const word of wordsIn(text)) this.#known.add(word);
  }

  #knows(word: string): boolean {
    return this.#known.has(word) || this.#known.has(word.replace(FUNCTION, ''));
  }
}

/** Words and names, without numbers, dates and constants of JSON. */
function wordsIn(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter(
    (word) => !/^(?:[\dtz]+|true|false|null)$/.test(word),
  );
}

/** The names of arguments, the values that they may have, and the operators in the description of filters. */
function* wordsOfSchema(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties') yield* Object.keys(value as object);
    if (name === 'enum') yield* value as string[];
    // Descriptions have examples, whose names may be those of tables.
    if (name === 'description')
      for (const [, word] of String(value).matchAll(/"(not|like|ilike|in|contains)/g)) yield word!;
    yield* wordsOfSchema(value);
  }
}
