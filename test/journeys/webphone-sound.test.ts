/** The bytes of a web phone with sound, through a whole gateway. */
import { once } from 'node:events';
import test from 'ava';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { soundFrame } from '#test/sip/webphone/sounding-phone.ts';

const message = z.looseObject({ type: z.string() });
const loud = 1_000;

test('the agent’s voice comes as frames, what is no frame is refused, and the recording has the sound', async (t) => {
  // Nobody listens there: the call goes on without words.
  const settings = { GW_SIMULATOR_SPEED: '1', GW_RECOGNIZERS: 'vosk', GW_VOSK_URL: 'ws://127.0.0.1:9' };
  const gateway = await testGateway(t, settings);
  const { base_url: base, admin_token: token } = gateway.credentials;
  const address = `${base.replace(/^http/, 'ws')}/api/v1/admin/phone?phone=phone-0001`;
  const socket = new WebSocket(address, ['trunkline.phone', token]);
  t.teardown(() => socket.terminate());
  const told: z.infer<typeof message>[] = [];
  const frames: Buffer[] = [];
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) frames.push(data);
    else told.push(message.parse(JSON.parse(data.toString())));
  });
  await once(socket, 'open');
  const next = (type: string) =>
    until(`the phone is told ${type}`, () => told.find((one) => one.type === type));
  await next('sound_offered');

  for (const garbage of ['', 'x', 'x'.repeat(643), 'x'.repeat(10_000)]) socket.send(Buffer.from(garbage));
  await until(
    'garbage is refused',
    () => told.filter(({ type }) => type === 'refused').length === 4 || undefined,
  );
  t.true(told.every((one) => one.type !== 'refused' || one['code'] === 'invalid_sound'));

  const callId = await gateway.call('01055551234');
  await next('ring');
  socket.send(JSON.stringify({ type: 'answer', call_id: callId, sound: true }));
  t.like(await next('answered'), { call_id: callId, sound: true });
  await next('agent_says');
  t.is(frames.length, 0, 'the phone cannot play yet');

  // As a browser does: it has played all that has come.
  const playedSamples = (): number => frames.reduce((sum, { length }) => sum + length / 2, 0);
  const microphone = setInterval(() => socket.send(soundFrame(playedSamples())), 20);
  t.teardown(() => clearInterval(microphone));
  const isHeard = (frame: Buffer): boolean =>
    Array.from({ length: frame.length / 2 }, (_, index) => Math.abs(frame.readInt16LE(index * 2))).some(
      (sample) => sample > loud,
    );
  await until('the agent is heard', () => frames.some(isHeard) || undefined);
  t.true(frames.every(({ length }) => length > 0 && length <= 640 && length % 2 === 0));

  clearInterval(microphone);
  socket.send(JSON.stringify({ type: 'hang_up' }));
  await gateway.untilStatus(callId, 'completed');
  const recording = await until('the recording is there', async () => {
    const { status, bytes } = await gateway.client.get(`/api/v1/calls/${callId}/recording`);
    return status === 200 ? bytes : undefined;
  });
  t.true(recording.length > 0);
});
