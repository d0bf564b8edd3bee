/** Tests of requests of every kind, and the API of a workspace, in one thread. */
import '#test/api/requests.test.ts';
import '#test/api/search-calls.test.ts';
import '#test/api/sign-in.test.ts';
import '#test/api/sip.test.ts';
import '#test/api/trunks.test.ts';
import '#test/api/webhooks.test.ts';
import '#test/api/workspace.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
