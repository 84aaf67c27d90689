/**
 * The command `scripts export`: writes the scripts of the table as files. It overwrites files that differ only with `--yes`,
 * refuses names that are not valid for script files and links that lead out of the folder, and removes nothing. Each file is
 * written atomically.
 */
import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { ConfigSources } from '../config/load.js';
import type { StoredRecord } from '../../stored/registry/records.js';
import { ABSENT, readText, stampOf } from '../../script/files/script-file.js';
import { fileName, VERBS } from '../../script/verb.js';
import { isIdentifier } from '../../base/identifier.js';
import type { CommandLine } from '../line/command-line.js';
import { quoted } from '../line/printable.js';
import { aliasOf, folderOf, requireScriptsTable, withScripts } from './scripts-command.js';
import { CommandError } from '../line/session.js';
import { writeWhole } from '../line/out-file.js';

interface ExportedFile {
  /** Relative to the folder. */
  readonly file: string;
  readonly text: string;
  readonly outcome: 'created' | 'replaced' | 'unchanged';
}

/** exportScripts prints the outcome for each file, and resolves to the exit code. */
export function exportScripts(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withScripts(sources, async (session) => {
    const database = aliasOf(session, line);
    await requireScriptsTable(session);
    const folder = folderOf(session, line);
    const records = await session.records.list({ database });
    const invalid = records.filter(
      ({ location, name }) => !isIdentifier(location) || !isIdentifier(name),
    );
    if (invalid.length > 0)
      throw new CommandError(
        `nothing was exported: no file can have the name of ${invalid.map(({ location, name }) => quoted(`${location}/${name}`)).join(', ')}`,
      );
    try {
      const files = await compare(folder, records);
      const replaced = files.filter(({ outcome }) => outcome === 'replaced');
      if (replaced.length > 0 && !line.yes && !line.dryRun)
        throw new CommandError(
          `nothing was exported: these files differ, and --yes writes over them: ${replaced.map(({ file }) => file).join(', ')}`,
        );
      for (const { file, text, outcome } of files) {
        if (outcome !== 'unchanged' && !line.dryRun) await writeScript(folder, file, text);
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

/** Rejects when `inner`, with links resolved, is not below `folder`. */
async function requireInside(folder: string, inner: string): Promise<void> {
  let base: string;
  let real: string;
  try {
    base = await realpath(folder);
    real = await realpath(inner);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return; // it will be created
    throw error;
  }
  if (!real.startsWith(base.endsWith(sep) ? base : base + sep))
    throw new CommandError(`nothing was exported: ${quoted(inner)} leads out of the folder`);
}

async function writeScript(folder: string, file: string, text: string): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await requireInside(folder, dirname(path));
  await writeWhole(path, text);
}
