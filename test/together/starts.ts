/** Tests of steps of a start, in one thread. */
import '#test/start/folder-and-secrets.test.ts';
import '#test/start/module-resolution.test.ts';
import '#test/start/patiently.test.ts';
import '#test/start/taking-calls.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
