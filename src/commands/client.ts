/**
 * The command `client typescript`: writes a client for the scripts of the default database, or for an OpenAPI document that
 * a service has made. Writes nothing, with exit code 1, while a script is broken or a database does not answer.
 */
import { counted } from '../base/text.js';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { NOBODY } from '../access/caller.js';
import { DocumentError } from '../describe/client/client-operation.js';
import { TypeScriptClient } from '../describe/client/typescript-client.js';
import type { ConfigSources } from './config/load.js';
import { describeScript } from '../describe/openapi/describe.js';
import { DocumentAccess } from '../describe/openapi/document-access.js';
import { OpenApiDocument } from '../describe/openapi/document.js';
import { ownPaths } from '../describe/openapi/own-paths.js';
import { routesOf } from '../script/route-list.js';
import type { CommandLine } from './line/command-line.js';
import { reasonsOf, routedScripts, servedScripts } from './current-contract.js';
import { writeOut } from './line/out-file.js';
import { quoted } from './line/printable.js';
import { CommandError } from './line/session.js';

/** printTypeScript resolves to the exit code. */
export async function printTypeScript(
  sources: ConfigSources,
  line: Pick<CommandLine, 'from' | 'out' | 'prove' | 'script'>,
): Promise<number> {
  const { from, out } = line;
  try {
    const document =
      from === undefined
        ? await currentDocument(sources, line)
        : await documentAt(from, sources.cwd);
    const client = new TypeScriptClient(document);
    for (const operation of client.operations) client.add(operation);
    for (const why of client.leftOut) process.stderr.write(`warning: left out: ${why}\n`);
    const about = counted(client.operations.length, 'function');
    await writeOut(sources.cwd, out, client.text(), about);
    return 0;
  } catch (error) {
    const reasons =
      error instanceof DocumentError
        ? [`error: ${quoted(from ?? '')}: ${error.message}`]
        : reasonsOf(error);
    process.stderr.write(`${reasons.join('\n')}\nnothing was written\n`);
    return 1;
  }
}

/** Who may run everything. */
const EVERYBODY = { ...NOBODY, isIdentified: false, isAdmitted: true };

/** The document of the default database for those who may run everything. */
async function currentDocument(
  sources: ConfigSources,
  line: Pick<CommandLine, 'prove' | 'script'>,
): Promise<unknown> {
  const { config, scripts } = await servedScripts(sources, line);
  const alias = config['pg.database'];
  const document = new OpenApiDocument({
    alias,
    base: '..',
    access: new DocumentAccess(undefined),
  });
  const paths = ownPaths(routesOf(routedScripts(scripts), alias).routes, alias);
  for (const { folder, name, verb, head, template, proof, ...script } of scripts) {
    if (script.alias !== undefined && script.alias !== alias) continue;
    const described = {
      alias: undefined,
      folder,
      name,
      text: { verb, head, template },
      proof,
      paths: paths.get(`${folder}/${name}`) ?? [],
      isNamed: !(config['queries.register_enabled'] && folder === 'registry'),
    };
    document.add(describeScript(described, false));
  }
  return JSON.parse(document.textFor(EVERYBODY).text);
}

/** The document of a URL or a file, or with `-` of standard input. Rejects with CommandError. */
async function documentAt(from: string, cwd: string): Promise<unknown> {
  const read = await textAt(from, cwd);
  try {
    return JSON.parse(read);
  } catch {
    throw new DocumentError('it is not JSON');
  }
}

async function textAt(from: string, cwd: string): Promise<string> {
  try {
    if (from === '-') return await text(process.stdin);
    if (!/^https?:/i.test(from)) return await readFile(resolve(cwd, from), 'utf8');
    const response = await fetch(from);
    if (!response.ok) throw new CommandError(`${quoted(from)} is answered with ${response.status}`);
    return await response.text();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${quoted(from)} cannot be read: ${reasonOf(error)}`);
  }
}

/** That of a failed fetch is in its cause. */
function reasonOf(error: unknown): string {
  const { code, cause } = error as NodeJS.ErrnoException;
  return code ?? (cause === undefined ? String(error) : reasonOf(cause));
}
