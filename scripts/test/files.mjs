/**
 * The test files: which there are, which of them run, and which share a process. A file named `*.long.test.ts` runs with
 * `npm run test:full` only.
 */
import fs from 'node:fs';
import path from 'node:path';
import { compiledName } from './import-graph.mjs';

/** What a file cannot do that shares its process with others: change the process, or measure it. */
const ALONE =
  /\bprocess\.(env(\.\w+|\[[^\]]*\]) = |env = |argv = |chdir\(|exit\(|exitCode = |on\(|once\(|off\(|umask\(|memoryUsage|cpuUsage|resourceUsage|getActive|threadCpu)|\bdelete process\.env|node:v8|\bgc\(|\bgc!/;

export const isLong = (file) => file.endsWith('.long.test.ts');

/** shortName is how a file is named in the output: `http/framing`. */
export const shortName = (file) => file.replace(/^test\//, '').replace(/\.test\.ts$/, '');

/** testFiles lists all test files of a project, as `test/http/framing.test.ts`. */
export function testFiles(project) {
  return fs
    .readdirSync(path.join(project, 'test'), { recursive: true })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => path.join('test', name))
    .sort();
}

/**
 * choose splits files into those that run and those left out. `parts` are parts of their paths, `mode` is `short`, `full`
 * or `rest` (what `short` leaves out). Parts that match only long files choose these.
 */
export function choose(files, parts, mode) {
  const matching = files.filter(
    (file) => parts.length === 0 || parts.some((part) => file.includes(part)),
  );
  const long = matching.filter(isLong);
  const short = matching.filter((file) => !isLong(file));
  if (mode === 'full' || (parts.length > 0 && short.length === 0)) return [matching, []];
  return mode === 'rest' ? [long, []] : [short, long];
}

/** Seconds that the files of one process take together at most: so many places can share the work. */
const LONGEST_GROUP = 20;

/**
 * grouped puts the files of a folder that can share a process together: a start costs more than most of them. `seconds` is
 * how long a file is thought to take. Returns lists of files, each for one process, the longest first.
 */
export function grouped(files, graph, project, seconds) {
  const groups = [];
  const open = new Map();
  for (const file of files) {
    const folder = canShare(file, graph, project) ? path.dirname(file) : file;
    let group = open.get(folder);
    if (group === undefined || group.seconds + seconds(file) > LONGEST_GROUP) {
      group = { files: [], seconds: 0 };
      groups.push(group);
      open.set(folder, group);
    }
    group.files.push(file);
    group.seconds += seconds(file);
  }
  return groups.sort((a, b) => b.seconds - a.seconds).map((group) => group.files);
}

function canShare(file, graph, project) {
  const ofTests = (name) => name.startsWith('dist-test/') && name.endsWith('.js');
  const modules = [...graph.reached(compiledName(file), ofTests)].filter(ofTests);
  return modules.every((name) => !ALONE.test(fs.readFileSync(path.join(project, name), 'utf8')));
}
