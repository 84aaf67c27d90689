import { readFileSync } from 'node:fs';
import t from 'tap';
import { makeFolder, run, runShared } from '../program.js';

const folder = makeFolder(t);

t.test('invalid usage: exit code 2, and a suggestion', async (t) => {
  const cases: [args: string[], stderr: RegExp][] = [
    [
      [],
      /a command is missing: serve, dev, top, check, contract, client, migrate, scripts, plugin, user, completion, help, version/,
    ],
    [['sevre'], /unknown command sevre; the nearest is serve/],
    [['serve', 'now'], /serve takes flags only, not now/],
    [['migrate'], /migrate needs a word more: up or down/],
    [['migrate', 'up'], /migrate up needs a word more: auth or queries/],
    [['migrate', 'upp', 'auth'], /unknown command migrate upp; the nearest is migrate up/],
    [['migrate', 'up', 'auht'], /unknown command migrate up auht; the nearest is migrate up auth/],
    [['migrate', 'down', 'auth', 'now'], /migrate down auth takes flags only, not now/],
    [
      ['migrate', 'up', 'auth', '--yes'],
      /--yes belongs to migrate down auth and .*, not to migrate up auth/,
    ],
    [['migrate', 'up', 'queries', '--yes'], /--yes belongs to .*migrate down queries/],
    [['scripts'], /scripts needs a word more: export or import or diff/],
    [['scripts', 'export', ''], /scripts export needs a FOLDER/],
    [['scripts', 'diff', 'a', 'b'], /scripts diff takes one FOLDER and flags only, not b/],
    [['scripts', 'diff', '--dry-run'], /--dry-run belongs to .*scripts export and scripts import/],
    [['scripts', 'export', '--policy', 'skip'], /--policy belongs to scripts import/],
    [['scripts', 'import', '--policy', 'none'], /--policy takes skip, update or error\n/],
    [['scripts', 'import', '--policy', 'updat'], /--policy takes .*; you probably mean update/],
    [
      ['migrate', 'from-prest', '--tables', 'cpoy'],
      /--tables takes adopt or copy; you probably mean copy/,
    ],
    [['completion'], /completion needs a SHELL/],
    [['completion', 'zhs'], /completion takes bash, zsh or fish; you probably mean zsh/],
    [['completion', 'tcl'], /completion takes bash, zsh or fish\n/],
    [['completion', 'bash', '--http.port', '1'], /--http.port is no flag of completion/],
    [['help', 'user', 'ad'], /unknown command user ad; the nearest is user add/],
    [['sevre', '--help'], /unknown command sevre; the nearest is serve/],
    [['-xv'], /unknown flag -x/],
    [['--h'], /unknown flag --h/],
    [['scripts', 'import', '--database'], /--database needs a value/],
    [['plugin'], /plugin needs a word more: new or check or header/],
    [['plugin', 'new'], /plugin new needs a word more: c or cpp or go or rust/],
    [['plugin', 'new', 'java', 'x'], /unknown command plugin new java; the nearest is plugin new/],
    [['plugin', 'new', 'c'], /plugin new c needs a NAME/],
    [['plugin', 'new', 'c', 'a', 'b'], /plugin new c takes one NAME and flags only, not b/],
    [['plugin', 'header', 'c'], /plugin header takes flags only, not c/],
    [['plugin', 'check'], /plugin check needs a FILE/],
    [['plugin', 'new', 'go', 'x', '--json'], /--json belongs to .*plugin check/],
    [['plugin', 'check', 'x', '--http.port', '1'], /--http.port is no flag of plugin check/],
    [['user'], /user needs a word more: add or passwd or list or remove/],
    [['user', 'ad', 'x'], /unknown command user ad; the nearest is user add/],
    [['user', 'add'], /user add needs a NAME/],
    [['user', 'add', ''], /user add needs a NAME/],
    [['user', 'add', 'ann', 'secret'], /user add takes one NAME and flags only, not secret/],
    [['user', 'list', 'ann'], /user list takes flags only, not ann/],
    [['user', 'passwd', 'ann', '--name', 'A'], /--name belongs to user add, not to user passwd/],
    [
      ['user', 'remove', 'ann', '--json'],
      /--json belongs to top and check and .*scripts diff and .*user list/,
    ],
    [
      ['user', 'add', 'ann', '--metadta', '{}'],
      /unknown flag --metadta; the nearest is --metadata/,
    ],
    [['user', 'add', 'ann', '--password', 'x'], /unknown flag --password/],
    [['user', 'add', 'ann', '--name'], /--name needs a value/],
    [['check', '--prove'], /--prove needs a value/],
    [['check', '--prove=pairs'], /--prove takes full/],
    [['check', '--no-prove', '--prove=full'], /--no-prove and --prove exclude each other/],
    [['check', '--no-prove', '--privileges'], /--no-prove and --privileges exclude each other/],
    [['contract', '--privileges'], /--privileges belongs to check, not to contract/],
    [['check', '--script='], /--script needs a value/],
    [['serve', '--no-prove'], /--no-prove belongs to check, not to serve/],
    [
      ['user', 'list', '--script', 'a/b'],
      /--script belongs to check and contract and contract diff, not to user list/,
    ],
    [['serve', '--against', 'X'], /--against belongs to check, not to serve/],
    [['check', '--against', ''], /--against needs a value/],
    [['check', '--against', 'X', '--no-prove'], /--no-prove and --against exclude each other/],
    [['contract', 'dif', 'a'], /contract takes flags only, not dif/],
    [['client'], /client needs a word more: typescript/],
    [
      ['client', 'typescript', '--script', 'a/b'],
      /--script belongs to .*contract diff, not to client/,
    ],
    [['client', 'typescript', '--from', ''], /--from needs a value/],
    [
      ['client', 'typescript', '--from', 'a', '--prove', 'full'],
      /--from and --prove exclude each other/,
    ],
    [['contract', '--breaking'], /--breaking belongs to contract diff, not to contract/],
    [['contract', 'diff'], /contract diff needs an OLD/],
    [
      ['contract', 'diff', 'a', 'b', 'c'],
      /contract diff takes one OLD, one NEW and flags only, not c/,
    ],
    [
      ['contract', 'diff', 'a', '--out', 'b'],
      /--out belongs to contract and client typescript, not to contract diff/,
    ],
    [['check', '--jsn'], /unknown flag --jsn; the nearest is --json/],
    [['serve', '--http.prot', '1'], /unknown flag --http\.prot; the nearest is --http\.port/],
    [['serve', '-x'], /unknown flag -x/],
    [['serve', '--config'], /--config needs a value/],
    [['serve', '--config='], /--config needs a value/],
    [['serve', '--config', 'a', '--config', 'b'], /--config is given twice/],
    [['check', '--json=yes'], /--json takes no value/],
    [['serve', '--json'], /--json belongs to top and check/],
  ];
  for (const [i, [args, stderr]] of cases.entries()) {
    const finished = await (i < 3 ? run : runShared)(folder, args);
    t.equal(finished.code, 2, args.join(' '));
    t.match(finished.stderr, stderr);
    t.equal(finished.stdout, '');
  }
});

t.test('version', async (t) => {
  const file = new URL('../../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  for (const args of [['--version'], ['-V'], ['-v'], ['version'], ['serve', '--version']])
    t.strictSame(await run(folder, args), { code: 0, stdout: `${version}\n`, stderr: '' });
});
