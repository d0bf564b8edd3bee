/** Callers that leave the offer to us, as telephone systems do: ours comes with 200, their answer with ACK. */
import test from 'ava';
import { describeSound, formatsIn } from '#test/doubles/session-description.ts';
import { ownNumber, startSipEdge, trunkAddress, type SipEdgeOptions } from '#test/doubles/sip-edge.ts';
import { until } from '#test/helpers/until.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';

const over = (media: TrunkMedia): SipEdgeOptions => ({ trunk: { address: trunkAddress, media } });

for (const media of ['freeswitch', 'direct'] as const) {
  test(`${media}: the answer of the ACK is taken, and the call stands`, async (t) => {
    const { trunk, inbound, said, freeSwitches } = await startSipEdge(t, over(media));
    const call = trunk.calls(ownNumber);
    t.deepEqual(formatsIn((await call.receives(200)).body), [0, 8, 101]);
    t.deepEqual(inbound[0]?.story(), [], 'nothing is said before its answer is known');
    call.sends('ACK', { sdp: describeSound({ port: 31_000, formats: [8, 101] }) });
    await said(inbound, 'line.answered');
    if (media === 'freeswitch') t.regex(freeSwitches[0]?.channels()[0]?.remoteSdp ?? '', /^m=audio 31000 /m);
    call.sends('BYE');
    await call.receives(200);
    await said(inbound, 'line.ended');
    await freeSwitches[0]?.untilChannels(0);
  });

  for (const [what, sdp] of [
    ['no answer', undefined],
    ['an answer without a codec of ours', describeSound({ formats: [18, 101] })],
    ['an answer that refuses the sound', describeSound({ port: 0 })],
  ] as const)
    test(`${media}: with ${what} in the ACK the call is hung up`, async (t) => {
      const { drachtio, trunk, inbound, said, freeSwitches } = await startSipEdge(t, over(media));
      const call = trunk.calls(ownNumber);
      await call.receives(200);
      call.sends('ACK', sdp === undefined ? {} : { sdp });
      await call.receives('BYE');
      call.answers(200);
      await said(inbound, 'line.unanswered');
      t.like(inbound[0]?.all('line.unanswered')[0], { cause: 'media_error', sip: { status: 200 } });
      await freeSwitches[0]?.untilChannels(0);
      await until('no dialog is left', () => drachtio.dialogs().length === 0 || undefined);
      t.pass();
    });
}

test('only what the trunk allows is offered, in its order', async (t) => {
  const trunk = someTrunk({ codecs: ['PCMA'], media: 'direct', inboundAddresses: ['127.0.0.1'] });
  const edge = await startSipEdge(t, { trunks: directoryOf([trunk]) });
  t.deepEqual(formatsIn((await edge.trunk.calls(ownNumber).receives(200)).body), [8, 101]);
});

test('a caller whose ACK never comes is gone, and holds nothing', async (t) => {
  const { drachtio, trunk, inbound, said, freeSwitches } = await startSipEdge(t, over('freeswitch'));
  const call = trunk.calls(ownNumber);
  await call.receives(200);
  drachtio.giveUp(call.callId, 'ACK timeout');
  await said(inbound, 'line.unanswered');
  t.is(inbound[0]?.all('line.unanswered')[0]?.cause, 'cancelled');
  await call.receives('BYE');
  await freeSwitches[0]?.untilChannels(0);
});

test('a caller that leaves before its answer is gone, and one that stays silent is hung up', async (t) => {
  const { trunk, inbound, said, clock, ...edge } = await startSipEdge(t, over('direct'));
  const leaving = trunk.calls(ownNumber);
  await leaving.receives(200);
  leaving.sends('BYE');
  await leaving.receives(200);
  await said(inbound, 'line.unanswered');
  const silent = trunk.calls(ownNumber);
  await silent.receives(200);
  await until('nothing is waited for any more', () => {
    clock.advance(1_000);
    return silent.unread().includes('BYE') || undefined;
  });
  await silent.receives('BYE');
  silent.answers(200);
  await edge.until(() => inbound[1]?.saw('line.unanswered') === true);
  t.deepEqual(
    inbound.map((line) => line.all('line.unanswered')[0]?.cause),
    ['cancelled', 'media_error'],
  );
});

test('a call that is ended while its answer is awaited is hung up when the answer comes', async (t) => {
  const { trunk, inbound } = await startSipEdge(t, over('direct'));
  const call = trunk.calls(ownNumber);
  await call.receives(200);
  inbound[0]?.tell({ type: 'hangUp' });
  call.sends('ACK', { sdp: describeSound() });
  await t.notThrowsAsync(call.receives('BYE'));
});
