import test from 'ava';
import { createRtpPorts } from '#sip/media/rtp/ports.ts';
import { createRtpSession } from '#sip/media/rtp/rtp-session.ts';
import type { RtpAgreement } from '#sip/media/thread/sound-thread-messages.ts';

const agreement: RtpAgreement = {
  remote: { address: '127.0.0.1', port: 9 },
  remoteReports: { address: '127.0.0.1', port: 9 },
  codec: 'PCMU',
  payloadType: 0,
  keysPayloadType: null,
  keys: null,
  isSending: true,
};

test('sound is missed from the agreement on, and not while the call is on hold', async (t) => {
  const ports = await createRtpPorts({ from: 23_000, to: 23_398 }).take('127.0.0.1');
  const session = createRtpSession(ports, { read: () => 0 }, { onSound() {}, onKey() {} });
  t.teardown(session.close);
  t.is(session.figures().silentMs, null);
  session.agree(agreement);
  t.is(typeof session.figures().silentMs, 'number');
  session.agree({ ...agreement, isSending: false });
  t.is(session.figures().silentMs, null);
  session.agree(agreement);
  t.is(typeof session.figures().silentMs, 'number');
});
