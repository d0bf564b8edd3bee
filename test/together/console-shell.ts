/** Tests of the console's shell, its reference and the administration in a browser, in one thread. */
import '#test/console/administration.test.ts';
import '#test/console/page.test.ts';
import '#test/console/reference.test.ts';
import '#test/console/sign-in.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
