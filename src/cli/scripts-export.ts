/**
 * The command `scripts export`: the scripts of the table written as files of a folder. It never writes over a file that
 * differs without `--yes`, refuses names that no file of a script has and folders that lead out, and removes nothing.
 * Each file is there whole or as it was.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { ConfigSources } from '../config/load.js';
import type { StoredRecord } from '../registry/records.js';
import { ABSENT, readText, stampOf } from '../script/script-file.js';
import { fileName, isIdentifier, VERBS } from '../script/verb.js';
import type { CommandLine } from './command-line.js';
import { quoted } from './printed.js';
import { aliasOf, folderOf, requireTable, withScripts } from './scripts-command.js';
import { CommandError } from './session.js';

/** A file, and what is to become of it. */
interface ExportedFile {
  /** Relative to the folder. */
  readonly file: string;
  readonly text: string;
  readonly outcome: 'created' | 'replaced' | 'unchanged';
}

/** exportScripts writes the files, tells what became of each, and resolves to the exit code. */
export function exportScripts(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withScripts(sources, async (place) => {
    const database = aliasOf(place, line);
    await requireTable(place);
    const folder = folderOf(place, line);
    const records = await place.records.list({ database });
    const odd = records.filter(
      ({ location, name }) => !isIdentifier(location) || !isIdentifier(name),
    );
    if (odd.length > 0)
      throw new CommandError(
        `nothing was exported: no file can have the name of ${odd.map(({ location, name }) => quoted(`${location}/${name}`)).join(', ')}`,
      );
    try {
      const files = await compare(folder, records);
      const others = files.filter(({ outcome }) => outcome === 'replaced');
      if (others.length > 0 && !line.yes && !line.dryRun)
        throw new CommandError(
          `nothing was exported: these files differ, and --yes writes over them: ${others.map(({ file }) => file).join(', ')}`,
        );
      for (const { file, text, outcome } of files) {
        if (outcome !== 'unchanged' && !line.dryRun) await write(folder, file, text);
        process.stdout.write(`${outcome} ${file}\n`);
      }
    } catch (error) {
      const { code, path } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      throw new CommandError(`${path ?? folder} cannot be written: ${code}`);
    }
    if (line.dryRun) process.stderr.write('dry run: nothing was changed\n');
  });
}

/** What is to become of each file of these records. */
async function compare(folder: string, records: readonly StoredRecord[]): Promise<ExportedFile[]> {
  const files: ExportedFile[] = [];
  for (const { location, name, ...content } of records)
    for (const verb of VERBS) {
      const text = content[`${verb}_sql`];
      if (text === undefined) continue;
      const file = `${location}/${fileName(name, verb)}`;
      const path = join(folder, file);
      await requireInside(folder, dirname(path));
      const { stamp } = await stampOf(path);
      const there =
        stamp === ABSENT ? undefined : await readText(path, `${location}/${name}`, folder);
      files.push({
        file,
        text,
        outcome: stamp === ABSENT ? 'created' : there?.text === text ? 'unchanged' : 'replaced',
      });
    }
  return files;
}

/** Rejects when a folder of the folder, links followed, is none. */
async function requireInside(folder: string, inner: string): Promise<void> {
  let base: string;
  let real: string;
  try {
    base = await realpath(folder);
    real = await realpath(inner);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return; // it will be made
    throw error;
  }
  if (!real.startsWith(base.endsWith(sep) ? base : base + sep))
    throw new CommandError(`nothing was exported: ${quoted(inner)} leads out of the folder`);
}

async function write(folder: string, file: string, text: string): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await requireInside(folder, dirname(path));
  // A name that is no script's, in the same folder, so that it is renamed and never copied.
  const draft = join(dirname(path), `.${randomUUID()}`);
  try {
    await writeFile(draft, text, { flag: 'wx', flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
