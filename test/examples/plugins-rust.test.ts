import { testExample } from './plugin-example.js';

testExample('rust', 'rustc');
