/** Tests of calls in progress and their continuation, in one thread. */
import '#test/calls/fleet.test.ts';
import '#test/calls/in-call.test.ts';
import '#test/calls/journal.test.ts';
import '#test/calls/live.test.ts';
import '#test/calls/replay.test.ts';
import '#test/calls/setup.test.ts';
import '#test/calls/setup/directions.test.ts';
import '#test/calls/summaries.test.ts';
import '#test/continuity/continuity.test.ts';
import '#test/continuity/nodes.test.ts';
import '#test/inspector/inspector.test.ts';
import '#test/telemetry/metrics.test.ts';
import '#test/trunks/trunks.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
