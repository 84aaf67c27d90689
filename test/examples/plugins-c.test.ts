import { testExample } from './plugin-example.js';

testExample('c', 'cc');
