/**
 * The command `scripts diff`: what an import would change in the table, text by text, and what the table has and the
 * folder has not. Changes nothing. Exit code 1 when there is a difference.
 */
import { createTwoFilesPatch } from 'diff';
import type { ConfigSources } from '../config/load.js';
import { fileName, VERBS, type Verb } from '../script/verb.js';
import type { CommandLine } from './command-line.js';
import { printed, shown } from './printed.js';
import { aliasOf, contentOf, folderOf, requireTable, withScripts } from './scripts-command.js';

/** Longest time (milliseconds) to look for the shortest way from one text to another. */
const PATIENCE = 2_000;

/** A text that is not the same in both. */
interface Difference {
  readonly location: string;
  readonly name: string;
  readonly verb: Verb;
  /** Which of both has it. */
  readonly in: 'folder' | 'table' | 'both';
  /** From the table to the folder. */
  readonly diff: string;
}

/** A script's texts, wherever they are. */
interface Texts {
  readonly location: string;
  readonly name: string;
  readonly folder: Readonly<Partial<Record<Verb, string>>>;
  readonly table: Readonly<Partial<Record<Verb, string>>>;
}

/** diffScripts prints the differences and resolves to the exit code. */
export async function diffScripts(sources: ConfigSources, line: CommandLine): Promise<number> {
  let differences: readonly Difference[] = [];
  const code = await withScripts(sources, async (place) => {
    const database = aliasOf(place, line);
    await requireTable(place);
    const { scripts } = await contentOf(folderOf(place, line));
    const all = new Map<string, Texts>();
    for (const record of await place.records.list({ database })) {
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
        : differences.map(({ diff }) => shown(diff)).join(''),
    );
  });
  return code === 0 && differences.length > 0 ? 1 : code;
}

function differencesOf({ location, name, folder, table }: Texts): Difference[] {
  return VERBS.flatMap((verb) => {
    const { [verb]: stored } = table;
    const { [verb]: own } = folder;
    if (stored === own) return [];
    const file = printed(`${location}/${fileName(name, verb)}`);
    const before = stored === undefined ? '/dev/null' : `table/${file}`;
    const after = own === undefined ? '/dev/null' : `folder/${file}`;
    const diff =
      createTwoFilesPatch(before, after, stored ?? '', own ?? '', undefined, undefined, {
        timeout: PATIENCE,
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
