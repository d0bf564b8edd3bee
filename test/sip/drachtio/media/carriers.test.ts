/**
 * The carrier of a call's sound, as its trunk says: seen in what the trunk is answered, and in what FreeSWITCH has to
 * do.
 */
import test from 'ava';
import { describeSound, directionIn, formatsIn } from '#test/doubles/session-description.ts';
import { ownNumber, startSipEdge, trunkAddress } from '#test/doubles/sip-edge.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';

const portIn = (sdp: string): string | undefined => /^m=audio (\d+)/m.exec(sdp)?.[1];

const over = (media: TrunkMedia) => ({ trunk: { address: trunkAddress, media } });

for (const [media, channels] of [
  ['freeswitch', 1],
  ['auto', 0],
  ['direct', 0],
] as const) {
  test(`${media}: a caller is answered with ${channels} channels of FreeSWITCH`, async (t) => {
    const { trunk, inbound, said, freeSwitches } = await startSipEdge(t, over(media));
    const call = trunk.calls(ownNumber, { sdp: describeSound() });
    const answer = await call.receives(200);
    t.regex(answer.body, /^m=audio \d+ RTP\/AVP 0 101\r$/m);
    call.sends('ACK');
    await said(inbound, 'line.answered');
    t.is(freeSwitches[0]?.channels().length, channels);
    call.sends('BYE');
    await call.receives(200);
    await said(inbound, 'line.ended');
    await freeSwitches[0]?.untilChannels(0);
  });

  test(`${media}: a call goes out with ${channels} channels of FreeSWITCH`, async (t) => {
    const { trunk, call, said, freeSwitches } = await startSipEdge(t, over(media));
    const line = call();
    const farCall = await trunk.receives('INVITE');
    t.deepEqual(formatsIn(farCall.last('INVITE').body), [0, 8, 101]);
    t.is(freeSwitches[0]?.channels().length, channels);
    farCall.answers(200, { sdp: describeSound() });
    await farCall.receives('ACK');
    await said([line], 'line.answered');
    line.tell({ type: 'hangUp' });
    await farCall.receives('BYE');
    farCall.answers(200);
    await said([line], 'line.ended');
  });
}

test('auto: FreeSWITCH has the calls of a trunk that lists a codec which it alone has', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t, {
    trunk: { address: trunkAddress, media: 'auto', codecs: ['G722', 'PCMU'] },
  });
  const call = trunk.calls(ownNumber, { sdp: describeSound() });
  await call.receives(200);
  call.sends('ACK');
  await said(inbound, 'line.answered');
  t.is(freeSwitches[0]?.channels().length, 1);
  call.sends('BYE');
  await call.receives(200);
  await said(inbound, 'line.ended');
});

test('a call with direct sound is held, taken back and refused what it cannot have', async (t) => {
  const { trunk, inbound, said } = await startSipEdge(t, over('direct'));
  const call = trunk.calls(ownNumber, { sdp: describeSound({ formats: [8, 0, 101] }) });
  const answer = await call.receives(200);
  t.deepEqual(formatsIn(answer.body), [8, 101]);
  call.sends('ACK');
  await said(inbound, 'line.answered');
  call.sends('INVITE', { sdp: describeSound({ formats: [8, 101], direction: 'sendonly' }) });
  t.is(directionIn((await call.receives(200)).body), 'recvonly');
  call.sends('ACK');
  await said(inbound, 'line.held');
  call.sends('INVITE', { sdp: describeSound({ formats: [18] }) });
  await call.receives(488);
  call.sends('INVITE', { sdp: describeSound({ formats: [8, 101] }) });
  const resumed = await call.receives(200);
  t.is(directionIn(resumed.body), 'sendrecv');
  call.sends('ACK');
  await said(inbound, 'line.resumed');
  t.is(portIn(resumed.body), portIn(answer.body), 'it stays where it is');
});
