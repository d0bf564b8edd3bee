/** Tests of the API of calls, numbers and the fleet, in one thread. */
import '#test/api/call-events.test.ts';
import '#test/api/calls.test.ts';
import '#test/api/fleet.test.ts';
import '#test/api/mcp.test.ts';
import '#test/api/numbers.test.ts';
import '#test/api/openapi.test.ts';
import '#test/api/overview.test.ts';
import '#test/api/recordings.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
