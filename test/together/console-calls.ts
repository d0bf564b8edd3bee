/** Tests of pages of calls in a browser, in one thread. */
import '#test/console/call-list.test.ts';
import '#test/console/call-page.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
