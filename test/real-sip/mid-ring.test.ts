/** A server that dies while a call rings: the call ends, and everything of it is released. */
import test, { type ExecutionContext } from 'ava';
import type { LineEvent } from '#machines/line.ts';
import { emptyDirectory } from '#sip/trunks/directory.ts';
import { someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { startUdpEnd } from './udp-end.ts';

const ringing = '01099992222';
const answering = '01099991111';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`servers that die while a call rings: NOT RUN, ${missing.join(', ')} not installed`, (t) =>
    t.pass());
} else {
  let servers: SipServers;
  test.beforeEach(async () => {
    servers = await startServers();
  });
  test.afterEach.always(() => servers.close());

  /** Lines with one trunk, which carries one call at a time. */
  const startLines = async (t: ExecutionContext) => {
    const end = await startUdpEnd({ ringing: [ringing] });
    t.teardown(end.close);
    const trunk = someTrunk({ host: '127.0.0.1', port: end.port, maxChannels: 1, workspaceId: null });
    const lines = await realLines(servers, end.port, {
      trunk: null,
      trunks: { ...emptyDirectory, all: () => [trunk], isUsable: () => true },
    });
    await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
    t.teardown(() => lines.close());
    const call = (to: string): LineEvent[] => {
      const events: LineEvent[] = [];
      lines.open(lineInput({ from: '07012345678', to }), (event) => events.push(event));
      return events;
    };
    const has = (events: readonly LineEvent[], type: LineEvent['type']): boolean =>
      events.some((event) => event.type === type);
    return { lines, end, call, has };
  };

  realTimeTest('fails a ringing call and releases its channels when drachtio-server dies', async (t) => {
    const { lines, call, has } = await startLines(t);
    const events = call(ringing);
    await until(() => has(events, 'line.ringing'));
    await servers.killDrachtio();
    await until(() => has(events, 'line.unanswered'));
    t.like(events.at(-1), { type: 'line.unanswered', cause: 'trunk_error' });
    await until(async () => (await servers.mediaServers[0]?.channels()) === 0);
    await servers.restartDrachtio();
    await until(() => lines.health().ready);
    const next = call(answering);
    await until(() => has(next, 'line.answered') || has(next, 'line.unanswered'));
    t.true(has(next, 'line.answered'), `the trunk's one channel is free: ${JSON.stringify(next)}`);
  });

  realTimeTest('cancels a ringing telephone at once when FreeSWITCH dies', async (t) => {
    const { end, call, has } = await startLines(t);
    const events = call(ringing);
    await until(() => has(events, 'line.ringing'));
    await servers.killFreeSwitch();
    await until(() => end.count('CANCEL') === 1);
    await until(() => has(events, 'line.unanswered'));
    t.like(events.at(-1), { type: 'line.unanswered', cause: 'media_error' });
  });
}
