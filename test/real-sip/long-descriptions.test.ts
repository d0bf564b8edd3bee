/** Session descriptions longer than drachtio-server can hold: they are refused, and later calls work. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { LineEvent } from '#machines/line.ts';
import { stopping } from '#test/helpers/usual-barge-in.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { usualSpeech } from '#test/helpers/usual-speech.ts';
import { realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { headerIn, startUdpEnd } from './udp-end.ts';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`long session descriptions on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) =>
    t.pass());
} else {
  let servers: SipServers;
  test.before(async () => {
    servers = await startServers();
  });
  test.after.always(() => servers.close());

  const padding = (bytes: number): string => `a=x:${'x'.repeat(75)}\r\n`.repeat(Math.ceil(bytes / 80));

  realTimeTest('session descriptions of any length keep the control connection usable', async (t) => {
    const end = await startUdpEnd();
    t.teardown(end.close);
    const lines = await realLines(servers, end.port);
    const events: LineEvent[][] = [];
    const open = (direction: 'inbound' | 'outbound', callId: string = randomUUID()): LineEvent[] => {
      const one: LineEvent[] = [];
      events.push(one);
      const [from, to] = ['07012345678', '01099991111'];
      const usual = {
        language: 'en',
        speech: usualSpeech,
        bargeIn: stopping,
        turnEnd: byPauses,
        recording: false,
      };
      lines.open({ callId, direction, from, to, ...usual }, (event) => one.push(event));
      return one;
    };
    await lines.start(async ({ callId }) => {
      setImmediate(() => open('inbound', callId));
      return { accepted: true };
    });
    t.teardown(() => lines.close());
    const statusOf = async (callId: string): Promise<string> => {
      const isFinal = (text: string): boolean =>
        headerIn(text, 'Call-ID') === callId && !text.startsWith('SIP/2.0 1');
      await until(() => end.answers.some(isFinal));
      return end.answers.find(isFinal)?.slice(8, 11) ?? '';
    };

    for (const [bytes, status] of [
      [13_000, '488'],
      [50_000, '488'],
      [7_000, '200'],
      [0, '200'],
    ] as const) {
      end.pad(padding(bytes));
      end.call(servers.sipPort, '07012345678', `caller-${bytes}`);
      t.is(await statusOf(`caller-${bytes}`), status, `a caller with ${bytes} bytes more`);
    }
    for (const [bytes, outcome] of [
      [13_000, 'line.unanswered'],
      [7_000, 'line.answered'],
      [0, 'line.answered'],
    ] as const) {
      end.pad(padding(bytes));
      const call = open('outbound');
      const words: LineEvent['type'][] = ['line.answered', 'line.unanswered'];
      await until(() => call.some(({ type }) => words.includes(type)));
      t.true(
        call.some(({ type }) => type === outcome),
        `a callee with ${bytes} bytes more: ${JSON.stringify(call)}`,
      );
    }
    await until(() => end.count('BYE') === 1);
    t.deepEqual(lines.health(), { ready: true });
  });
}
