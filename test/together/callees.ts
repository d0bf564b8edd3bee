/** Tests of outbound calls and transfers through a whole gateway, in one thread. */
import '#test/journeys/outbound.test.ts';
import '#test/journeys/transfer.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
