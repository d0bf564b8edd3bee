/** A stranger sends audio to the port of a call that the gateway carries itself. */
import { createSocket } from 'node:dgram';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startEar, withScriptedCalls } from './scripted-calls.ts';
import { leave, pickUp, ring, tellTheEar } from './scripted-end.ts';

/** Loud audio in the codec of the call, as anyone can send it. */
const shout = (sequence: number): Buffer => {
  const packet = Buffer.alloc(172);
  packet.writeUInt8(0x80, 0);
  packet.writeUInt16BE(sequence & 0xffff, 2);
  packet.writeUInt32BE(160 * sequence, 4);
  packet.writeUInt32BE(666, 8);
  for (let at = 12; at < packet.length; at += 1) packet.writeUInt8(at % 8 < 4 ? 0x80 : 0x00, at);
  return packet;
};

withScriptedCalls('strangers', ({ callTo }) => {
  realTimeTest('ignores packets from a stranger to the port of a call, and sends it no audio', async (t) => {
    const ear = await startEar(t);
    const { line, end, has, count, events } = await callTo(t, [...ring, ...pickUp(), tellTheEar, ...leave], {
      ear,
      media: 'direct',
    });
    await has('line.answered');
    line.tell({ type: 'say', utterance: 1, text: 'You can hear me whatever strangers do.' });
    await ear.untilSpokenTo(300);
    const port = Number(/^m=audio (\d+)/m.exec(await end.messages())?.[1]);
    const stranger = createSocket('udp4');
    let heardByStranger = 0;
    stranger.on('message', () => (heardByStranger += 1));
    let sequence = 0;
    const shouting = setInterval(() => stranger.send(shout((sequence += 1)), port, '127.0.0.1'), 5);
    t.teardown(() => {
      clearInterval(shouting);
      stranger.close();
    });
    await has('line.played');
    const shouted = sequence;
    await until(() => sequence > shouted + 100);
    t.is(count('line.speech'), 0, 'nothing of it is a voice');
    await ear.say('Hello?');
    await has('line.heard');
    t.like(
      events.find(({ type }) => type === 'line.heard'),
      { text: 'Hello?' },
    );
    line.tell({ type: 'say', utterance: 2, text: 'And you are still heard.' });
    await ear.untilSpokenTo(300);
    t.true(sequence > 100);
    t.is(heardByStranger, 0);
    t.is(count('line.failed'), 0);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
  });
});
