/** Clients and programs that use them, compiled by the TypeScript compiler as their users do. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import ts from 'typescript';
import { TypeScriptClient } from '#app/describe/client/typescript-client.js';

/** clientText makes the client of a document. */
export function clientText(document: unknown): string {
  const client = new TypeScriptClient(document);
  for (const operation of client.operations) client.add(operation);
  return client.text();
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  isolatedModules: true,
  skipLibCheck: true,
};

/** The two ways of modules that a client is compiled for. */
export const MODULES: Readonly<Record<string, ts.CompilerOptions>> = {
  nodenext: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  bundler: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
};

/** Libraries that were parsed before. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/** A compiled program. */
export interface Compiled {
  /** What the compiler finds wrong: `client.mts:3 Cannot find name 'x'.` */
  readonly problems: readonly string[];
  /** load imports a module of it. */
  load(name: string): Promise<Readonly<Record<string, unknown>>>;
}

/** compile compiles files by name: `client.mts`. */
export function compile(
  t: Pick<Test, 'teardown'>,
  files: Readonly<Record<string, string>>,
  modules: ts.CompilerOptions = MODULES['nodenext']!,
): Compiled {
  const folder = mkdtempSync(join(tmpdir(), 'compiled-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const options = { ...OPTIONS, ...modules, outDir: folder };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) => {
    if (name.startsWith(folder)) return getSourceFile(name, ...rest);
    if (!libraries.has(name)) libraries.set(name, getSourceFile(name, ...rest));
    return libraries.get(name);
  };
  const names = Object.keys(files).map((name) => join(folder, name));
  const program = ts.createProgram(names, options, host);
  const problems = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
    const name = file?.fileName.split('/').at(-1) ?? '';
    return `${name}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
  program.emit();
  return {
    problems,
    load: async (name) =>
      (await import(pathToFileURL(join(folder, name)).href)) as Readonly<Record<string, unknown>>,
  };
}
