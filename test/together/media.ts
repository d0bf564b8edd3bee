/** Tests of media servers, the relay, RTP and web phones, in one thread. */
import '#test/contract/web-phone.test.ts';
import '#test/sip/freeswitch.test.ts';
import '#test/sip/media-servers.test.ts';
import '#test/sip/media-thread.test.ts';
import '#test/sip/relay.test.ts';
import '#test/sip/rtp/direct-endpoint.test.ts';
import '#test/sip/rtp/rtp.test.ts';
import '#test/sip/trunks.test.ts';
import '#test/sip/webphone.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
