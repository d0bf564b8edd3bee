/** Tests of inbound calls through a whole gateway, and ends of calls, in one thread. */
import '#test/journeys/ends.test.ts';
import '#test/journeys/inbound.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
