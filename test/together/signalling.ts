/** Tests of SIP over drachtio, in one thread. */
import '#test/contract/drachtio.test.ts';
import '#test/sip/drachtio/calls.test.ts';
import '#test/sip/drachtio/capture.test.ts';
import '#test/sip/drachtio/connection.test.ts';
import '#test/sip/drachtio/doubles.test.ts';
import '#test/sip/drachtio/refer.test.ts';
import '#test/sip/drachtio/session-descriptions.test.ts';
import '#test/sip/drachtio/signalling.test.ts';
import '#test/sip/drachtio/transfers.test.ts';
import '#test/sip/headers.test.ts';
import '#test/sip/hep.test.ts';
import '#test/sip/inbound-access.test.ts';
import '#test/sip/parties.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
