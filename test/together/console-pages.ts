/** Tests of the pages of numbers, connections and the workspace in a browser, in one thread. */
import '#test/console/connections.test.ts';
import '#test/console/numbers.test.ts';
import '#test/console/overview.test.ts';
import '#test/console/rehearsals.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
