/** Tests of calls in progress in a browser: phone, fleet and inspector, in one thread. */
import '#test/console/fleet.test.ts';
import '#test/console/inspector.test.ts';
import '#test/console/phone-state.test.ts';
import '#test/console/phone.test.ts';
import '#test/console/walk.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
