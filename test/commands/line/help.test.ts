/** The help of the program and of each command, and the man page, which has the same. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { COMMAND_LIST, flagsOf, synopsisOf } from '#app/commands/line/commands.js';
import { FLAGS } from '#app/commands/line/flags.js';
import { flagForm, helpText } from '#app/commands/line/help.js';
import { manPage } from '#app/commands/line/man-page.js';
import { makeFolder, run } from '../program.js';

/** The longest line that the help may have; examples are not broken. */
const WIDTH = 100;

t.test('every way to ask for help', async (t) => {
  const folder = makeFolder(t);
  const cases: [args: string[], words: string][] = [
    [['--help'], ''],
    [['-h'], ''],
    [['help'], ''],
    [['help', '--help'], ''],
    [['user', '--help'], 'user'],
    [['help', 'plugin', 'new'], 'plugin new'],
    [['serve', '-h'], 'serve'],
    [['help', 'contract'], 'contract'],
    [['help', 'contract', 'diff'], 'contract diff'],
    [['user', 'add', 'ann', '--help'], 'user add'],
    [['check', '--help', '--version'], 'check'],
    [['serve', '--http.port', 'none', '--help'], 'serve'],
  ];
  for (const [args, words] of cases)
    t.strictSame(await run(folder, args), { code: 0, stdout: helpText(words), stderr: '' });
});

t.test('the program: every command', (t) => {
  for (const [, command] of COMMAND_LIST)
    t.match(helpText(''), `\n  ${synopsisOf(command)} `, synopsisOf(command));
  t.match(helpText('user'), /^Usage: sql-rest-service user COMMAND \[FLAGS\]\n/);
  t.notMatch(helpText('user'), 'serve');
  t.end();
});

for (const [name, command] of COMMAND_LIST)
  t.test(name, (t) => {
    const text = helpText(name);
    t.match(text, `Usage: sql-rest-service ${synopsisOf(command)} [FLAGS]\n`);
    t.match(text, command.summary.slice(0, 60));
    for (const [flag] of flagsOf(command)) t.match(text, `\n  ${flagForm(flag)} `);
    t.equal(text.includes('--KEY VALUE'), command.keys !== false);
    t.match(text, /\nExit status: 0 /);
    t.match(text, /\nExamples?:\n {2}sql-rest-service /);
    for (const line of text.split('\n'))
      if (!line.startsWith('  sql-rest-service')) t.ok(line.length <= WIDTH, line);
    for (const [line] of command.examples) t.ok(line.startsWith(command.words.join(' ')), line);
    t.end();
  });

t.test('every flag belongs to a command', (t) => {
  const used = new Set(COMMAND_LIST.flatMap(([, command]) => flagsOf(command).map(([one]) => one)));
  t.strictSame([...used].sort(), Object.keys(FLAGS).sort());
  t.end();
});

t.test('the man page of the package: `npm run docs:man` makes it', (t) => {
  const project = new URL('../../../../', import.meta.url);
  const { man } = JSON.parse(readFileSync(new URL('package.json', project), 'utf8')) as { man: string }; // prettier-ignore
  t.equal(readFileSync(new URL(man, project), 'utf8'), manPage());
  for (const [, command] of COMMAND_LIST) t.match(manPage(), `.SS ${escaped(synopsisOf(command))}`);
  t.notMatch(manPage(), /^\.(?!TH|SH|SS|B|I|PP|TP|nf|fi)/m, 'no text begins a request');
  t.end();
});

function escaped(text: string): string {
  return text.replaceAll('-', '\\-');
}
