/** Tests of events, outgoing requests and recordings, in one thread. */
import '#test/events/deliveries.test.ts';
import '#test/events/endpoints.test.ts';
import '#test/outgoing/endpoint-client.test.ts';
import '#test/outgoing/targets.test.ts';
import '#test/recordings/recorder.test.ts';
import '#test/recordings/stored-parts.test.ts';
import '#test/recordings/stores.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
