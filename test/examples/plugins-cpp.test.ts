import { testExample } from './plugin-example.js';

testExample('cpp', 'c++');
