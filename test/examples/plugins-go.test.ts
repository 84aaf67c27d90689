import { testExample } from './plugin-example.js';

testExample('go', 'go');
