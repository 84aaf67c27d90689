/** A ring between two threads, for as long as their steps meet in every order. */
import t from 'tap';
import { threadsTest } from './ring-threads.js';

threadsTest(t, 300_000);
