/** Loops over values that are costly to use end soon too: each use counts as many steps as it is worth. */
import t from 'tap';
import { checkCases, type Case } from './limit-cases.js';

const CASES: Case[] = [
  [
    'measuring in a loop',
    /limit of 1000000 steps/,
    '{{range 1000000}}{{$y := len $.x}}{{end}}',
    { x: 'é'.repeat(30_000) },
  ],
  [
    'decoding in a loop',
    /limit of 1000000 steps/,
    '{{range 100000}}{{$y := unEscape $.x}}{{end}}',
    { x: '%41'.repeat(21_000) },
  ],
  [
    'cutting in a loop',
    /limit of 1000000 steps/,
    '{{range 300000}}{{$y := slice $.x 1 3}}{{end}}',
    { x: 'é'.repeat(30_000) },
  ],
  [
    'many variables looked up from the bottom',
    /limit of 1000000 steps/,
    `${'{{$a := 1}}'.repeat(60_000)}{{range 100000}}{{$}}{{end}}`,
  ],
];

await checkCases(t, CASES);
