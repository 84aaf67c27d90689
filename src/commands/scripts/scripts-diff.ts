/**
 * The command `scripts diff`: prints the differences between the folder and the scripts table. It changes nothing. Exit code
 * 1 when there is a difference.
 */
import { createTwoFilesPatch } from 'diff';
import type { ConfigSources } from '../config/load.js';
import { fileName, VERBS, type Verb } from '../../script/verb.js';
import type { CommandLine } from '../line/command-line.js';
import { printable, printableLines } from '../line/printable.js';
import {
  aliasOf,
  contentOf,
  folderOf,
  requireScriptsTable,
  withScripts,
} from './scripts-command.js';

/** Time limit for computing the shortest diff of a text, in milliseconds. */
const DIFF_TIMEOUT = 2_000;

interface Difference {
  readonly location: string;
  readonly name: string;
  readonly verb: Verb;
  readonly in: 'folder' | 'table' | 'both';
  /** Unified diff from the table to the folder. */
  readonly diff: string;
}

interface Texts {
  readonly location: string;
  readonly name: string;
  readonly folder: Readonly<Partial<Record<Verb, string>>>;
  readonly table: Readonly<Partial<Record<Verb, string>>>;
}

export async function diffScripts(sources: ConfigSources, line: CommandLine): Promise<number> {
  let differences: readonly Difference[] = [];
  const code = await withScripts(sources, async (session) => {
    const database = aliasOf(session, line);
    await requireScriptsTable(session);
    const { scripts } = await contentOf(folderOf(session, line));
    const all = new Map<string, Texts>();
    for (const record of await session.records.list({ database })) {
      const { location, name } = record;
      const table = Object.fromEntries(VERBS.map((verb) => [verb, record[`${verb}_sql`]]));
      all.set(`${location}/${name}`, { location, name, table, folder: {} });
    }
    for (const { location, name, texts: folder } of scripts) {
      const path = `${location}/${name}`;
      all.set(path, { location, name, table: all.get(path)?.table ?? {}, folder });
    }
    differences = [...all.keys()].sort().flatMap((path) => differencesOf(all.get(path)!));
    process.stdout.write(
      line.json
        ? `${JSON.stringify(differences, undefined, 2)}\n`
        : differences.map(({ diff }) => printableLines(diff)).join(''),
    );
  });
  return code === 0 && differences.length > 0 ? 1 : code;
}

function differencesOf({ location, name, folder, table }: Texts): Difference[] {
  return VERBS.flatMap((verb) => {
    const { [verb]: stored } = table;
    const { [verb]: own } = folder;
    if (stored === own) return [];
    const file = printable(`${location}/${fileName(name, verb)}`);
    const before = stored === undefined ? '/dev/null' : `table/${file}`;
    const after = own === undefined ? '/dev/null' : `folder/${file}`;
    const diff =
      createTwoFilesPatch(before, after, stored ?? '', own ?? '', undefined, undefined, {
        timeout: DIFF_TIMEOUT,
        headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
      }) ??
      `--- ${before}\n+++ ${after}\nthe texts have too little in common to be set side by side\n`;
    return {
      location,
      name,
      verb,
      in: own === undefined ? 'table' : stored === undefined ? 'folder' : 'both',
      diff,
    };
  });
}
