/**
 * The commands `plugin header` and `plugin new`: print the path of the C header, and create the folder of a new plugin, a
 * copy of the language's example under another name. Refuses names that are not valid in requests, and folders that are not
 * empty.
 */
import { systemErrorText } from '../base/text.js';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedFile } from '../base/installed-file.js';
import { isIdentifier } from '../base/identifier.js';
import { quoted } from './line/printable.js';

const INCLUDE = installedFile('native/include');
const EXAMPLES = installedFile('examples/plugins');

/** The name of an example and its library, in all files of the example. */
const EXAMPLE_NAME = /\bhello\b/g;

/** Files of the example for each language, files of the header and its layers, and the build command. */
const LANGUAGES = {
  c: {
    files: ['Makefile', 'plugin.c'],
    layer: ['service_plugin.h'],
    build: 'make',
  },
  cpp: {
    files: ['Makefile', 'plugin.cpp'],
    layer: ['service_plugin.h', 'service_plugin.hpp'],
    build: 'make',
  },
  go: {
    files: ['go.mod', 'plugin.go'],
    layer: ['service_plugin.h', 'service_plugin.c', 'service_plugin.go'],
    build: 'go build -buildmode=c-shared -o hello.so .',
  },
  rust: {
    files: ['plugin.rs'],
    layer: ['service_plugin.rs'],
    build: 'rustc --edition 2021 --crate-type cdylib -O -o hello.so plugin.rs',
  },
} as const;

export type PluginLanguage = keyof typeof LANGUAGES;

export function printHeader(): number {
  process.stdout.write(`${join(INCLUDE, 'service_plugin.h')}\n`);
  return 0;
}

/** newPlugin creates the folder `name`, prints the next steps, and returns the exit code. */
export function newPlugin(language: PluginLanguage, name: string): number {
  const problem = nameProblem(name);
  if (problem !== undefined) {
    process.stderr.write(`sql-rest-service: ${problem}\n`);
    return 1;
  }
  const { files, layer, build } = LANGUAGES[language];
  const named = (text: string): string => text.replace(EXAMPLE_NAME, name);
  try {
    const texts = [
      ...layer.map((file) => [file, readFileSync(join(INCLUDE, file), 'utf8')] as const),
      ...files.map(
        (file) => [file, named(readFileSync(join(EXAMPLES, language, file), 'utf8'))] as const,
      ),
    ];
    mkdirSync(name, { recursive: true });
    for (const [file, text] of texts) {
      writeFileSync(join(name, file), text, { flag: 'wx' });
      process.stdout.write(`created ${name}/${file}\n`);
    }
  } catch (error) {
    const { code, path = name } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    process.stderr.write(`sql-rest-service: ${path}: ${code}\n`);
    return 1;
  }
  process.stdout.write(`
Build it:    cd ${name} && ${named(build)}
Examine it:  sql-rest-service plugin check ${name}/${name}.so
Serve it:    copy ${name}.so into the folder that pluginpath names (./lib unless it is set), then
             curl 'http://127.0.0.1:3000/_PLUGIN/${name}/Hello?name=Ann'
`);
  return 0;
}

function nameProblem(name: string): string | undefined {
  if (!isIdentifier(name) || name.startsWith('-'))
    return `no plugin can be called ${quoted(name)}: 1 to 63 bytes of letters, digits, _ and -, and no - at its beginning`;
  try {
    return readdirSync(name).length === 0 ? undefined : `${name} is there, with something in it`;
  } catch (error) {
    const code = systemErrorText(error);
    return code === 'ENOENT' ? undefined : `${name} cannot be written: ${code}`;
  }
}
