/** Completions in the shells that are installed: words, flags, values and files, by what stands before. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { makeFolder, run } from '../program.js';
import { without } from '../../support/programs.js';

interface Case {
  /** The words after the program; the last one is completed. */
  readonly words: readonly string[];
  /** All that is offered, or some of it. */
  readonly all?: readonly string[];
  readonly some?: readonly string[];
  readonly none?: readonly string[];
}

const CASES: readonly Case[] = [
  { words: ['ser'], all: ['serve'] },
  { words: ['de'], all: ['dev'] },
  { words: [''], some: ['serve', 'check', 'user', 'help'], none: ['add', '--help'] },
  { words: ['user', ''], all: ['add', 'list', 'passwd', 'remove'] },
  { words: ['migrate', 'up', ''], all: ['auth', 'queries'] },
  { words: ['--http.port', '80', 'plugin', 'n'], all: ['new'] },
  { words: ['--config', 'serve', 'use'], all: ['user'] },
  { words: ['help', 'user', 'a'], all: ['add'] },
  { words: ['completion', ''], all: ['bash', 'fish', 'zsh'] },
  { words: ['scripts', 'import', '--policy', ''], all: ['error', 'skip', 'update'] },
  { words: ['user', 'add', '--m'], some: ['--metadata'], none: ['--yes', '--json'] },
  { words: ['serve', '--http.po'], all: ['--http.port'] },
  { words: ['serve', '--pg.pa'], none: ['--pg.pass'] },
  { words: ['plugin', 'header', '--'], some: ['--help'], none: ['--http.port', '--config'] },
  { words: ['contract', 'diff', 'o'], all: ['old.json'] },
  { words: ['contract', '--out', 'o'], some: ['old.json'] },
  { words: ['contract', 'd'], some: ['diff'] },
  { words: ['user', 'add', '--name', ''], all: [] },
];

const BASH = `
source "$1"; shift
compopt() { :; } # works only while bash itself completes
COMP_WORDS=(sql-rest-service "$@")
COMP_CWORD=$#
_sql_rest_service
printf '%s\\n' "\${COMPREPLY[@]}"
`;

/** Stands in for the completion system, which needs a terminal; what it is given is printed. */
const ZSH = `
compdef() { : }
_describe() { [[ $1 == -o ]] && shift; local one; for one in \${(P)2}; do offer "\${one%%:*}"; done }
_files() { local one; for one in *; do offer $one; done }
compadd() { local one; for one in $*; do offer $one; done }
offer() { [[ $1 == $PREFIX* ]] && print -r -- $1 }
source "$1"; shift
words=(sql-rest-service "$@") CURRENT=$(($# + 1)) PREFIX=\${@[-1]}
_sql_rest_service
`;

const FISH = `
source $argv[1]
for one in (complete -C (string join ' ' -- sql-rest-service $argv[2..-1]))
    string split -f 1 \\t -- $one
end
`;

const SHELLS: readonly [shell: string, command: readonly string[]][] = [
  ['bash', ['bash', '--norc', '-c', BASH, 'bash']],
  ['zsh', ['zsh', '-f', '-c', ZSH, 'zsh']],
  ['fish', ['fish', '--no-config', '-c', FISH]],
];

for (const [shell, [program, ...args]] of SHELLS)
  t.test(shell, { skip: without(program!) }, async (t) => {
    const folder = makeFolder(t);
    mkdirSync(join(folder, 'files'));
    writeFileSync(join(folder, 'files/old.json'), '');
    const { code, stdout } = await run(folder, ['completion', shell]);
    t.equal(code, 0);
    const file = join(folder, 'completions');
    writeFileSync(file, stdout);
    for (const one of CASES) {
      const { words } = one;
      const found = spawnSync(program!, [...args, file, ...words], {
        cwd: join(folder, 'files'),
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: folder },
      });
      t.equal(found.stderr, '', words.join(' '));
      verify(t, one, found.stdout.split('\n').filter(Boolean));
    }
  });

function verify(t: Test, { words, all, some = [], none = [] }: Case, found: string[]): void {
  const what = words.join(' ');
  if (all !== undefined) t.strictSame([...new Set(found)].sort(), all, what);
  for (const word of some) t.ok(found.includes(word), `${what}: ${word}`);
  for (const word of none) t.notOk(found.includes(word), `${what}: not ${word}`);
}
