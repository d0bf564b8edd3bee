import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { NotConnected, type SendCommand } from '#sip/drachtio/signalling/end-leg.ts';
import { createLegTracker } from '#sip/drachtio/signalling/leg-tracker.ts';
import { createBackgroundTasks } from '#sip/drachtio/background-tasks.ts';
import { noSipCapture } from '#sip/drachtio/capture/sip-capture.ts';
import type { MediaChannel, SipLeg } from '#src/domain/sip-leg.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const leg = (state: SipLeg['state'], change: Partial<SipLeg> = {}): SipLeg => ({
  state,
  transactionId: 'transaction',
  dialogId: 'dialog',
  sipCallId: 'call@x',
  local: '<sip:us@gateway>;tag=us',
  remote: '<sip:them@far>;tag=them',
  target: 'sip:them@192.0.2.1',
  nextHop: null,
  channel: { server: 'media', uuid: 'channel' },
  dialog: null,
  ...change,
});

/** drachtio-server that takes what begins so, and says no to the rest; `null`: there is no connection. */
const world = (takes: readonly string[] | null) => {
  const clock = createOrderedClock();
  const logger = pino({ level: 'silent' });
  const sent: string[] = [];
  const kept = new Map<string, string>();
  const channels: MediaChannel[] = [];
  const drachtio = { takes };
  const send: SendCommand = async ({ transactionId, dialogId, nextHop, sip }) => {
    if (drachtio.takes === null) throw new NotConnected('it is not connected.');
    const words = [sip.split(/ sip:| SIP\/2.0\r/)[0], transactionId, dialogId, nextHop].filter(
      (word) => word,
    );
    sent.push(words.join(' '));
    if (!drachtio.takes.some((begin) => words.join(' ').startsWith(begin))) throw new Error('no');
  };
  const legTracker = createLegTracker({
    store: {
      keep: (id, held) => void kept.set(id, held.leg.state),
      remove: (id) => void kept.delete(id),
      orphans: async () => [],
    },
    send,
    endChannel: async (channel) => void channels.push(channel),
    sipCapture: noSipCapture,
    clock,
    backgroundTasks: createBackgroundTasks(clock, logger),
    logger,
  });
  const settle = async (): Promise<void> => {
    for (let times = 0; times < 20; times += 1) {
      clock.advance(100);
      await turn();
    }
  };
  return { legTracker, sent, kept, channels, drachtio, settle };
};

const orphaned = test.macro<[SipLeg, string[], string[]]>({
  async exec(t, orphan, takes, expected) {
    const { legTracker, sent, settle } = world(takes);
    legTracker.connected();
    legTracker.endOrphans([{ id: 'one', callId: null, leg: orphan }]);
    await settle();
    t.deepEqual(sent, expected);
    legTracker.lost(new Set());
    legTracker.connected();
    await settle();
    t.deepEqual(sent, expected, 'and once only');
  },
  title: (_, orphan, takes) =>
    `a far end that is ${orphan.state} is ended where drachtio-server takes ${takes.join(', ') || 'nothing'}`,
});

test(orphaned, leg('standing'), ['BYE dialog'], ['BYE dialog']);
test(orphaned, leg('standing', { nextHop: 'sip:proxy' }), ['BYE sip:proxy'], ['BYE dialog', 'BYE sip:proxy']);
test(orphaned, leg('standing'), [], ['BYE dialog', 'BYE']);
test(orphaned, leg('inviting'), ['CANCEL transaction'], ['CANCEL transaction', 'ACK dialog']);
test(
  orphaned,
  leg('inviting'),
  ['CANCEL transaction', 'ACK dialog', 'BYE dialog'],
  ['CANCEL transaction', 'ACK dialog', 'BYE dialog'],
);
test(orphaned, leg('inviting'), [], ['CANCEL transaction', 'ACK dialog']);
test(
  orphaned,
  leg('arriving'),
  ['SIP/2.0 480'],
  ['SIP/2.0 480 Temporarily Unavailable\r\nContent-Length: 0\r\n\r\n transaction'],
);
test(
  orphaned,
  leg('arriving'),
  ['BYE dialog'],
  ['SIP/2.0 480 Temporarily Unavailable\r\nContent-Length: 0\r\n\r\n transaction', 'BYE dialog'],
);

test('a BYE of its own says what was kept, with a higher number', async (t) => {
  const { legTracker, settle } = world([]);
  const texts: string[] = [];
  legTracker.connected();
  const spying = createLegTracker({
    store: { keep() {}, remove() {}, orphans: async () => [] },
    async send({ dialogId, sip }) {
      if (dialogId !== undefined) throw new Error('no');
      texts.push(sip);
    },
    endChannel: async () => {},
    sipCapture: noSipCapture,
    clock: { now: () => 1_790_000_000_000, setTimeout: () => undefined, clearTimeout: () => {} },
    backgroundTasks: createBackgroundTasks(createOrderedClock(), pino({ level: 'silent' })),
    logger: pino({ level: 'silent' }),
  });
  spying.connected();
  spying.endOrphans([{ id: 'one', callId: null, leg: leg('standing') }]);
  await settle();
  t.deepEqual(texts[0]?.split('\r\n'), [
    'BYE sip:them@192.0.2.1 SIP/2.0',
    'From: <sip:us@gateway>;tag=us',
    'To: <sip:them@far>;tag=them',
    'Call-ID: call@x',
    'CSeq: 1790000000 BYE',
    'Content-Length: 0',
    '',
    '',
  ]);
});

test('a far end is kept from its INVITE to its end, and then forgotten', async (t) => {
  const { legTracker, kept, sent, settle } = world(['BYE dialog']);
  legTracker.connected();
  const trackedLeg = legTracker.track('call');
  trackedLeg.update(leg('inviting'));
  t.deepEqual([...kept.values()], ['inviting']);
  trackedLeg.update(leg('standing'));
  t.deepEqual([...kept.values()], ['standing']);
  trackedLeg.ended();
  t.is(kept.size, 0);
  legTracker.lost(new Set());
  legTracker.connected();
  await settle();
  t.deepEqual(sent, []);
});

test('what stood when the connection was lost is ended when it is back', async (t) => {
  const { legTracker, kept, sent, drachtio, settle } = world(['BYE dialog']);
  legTracker.connected();
  const trackedLeg = legTracker.track('call');
  trackedLeg.update(leg('standing'));
  legTracker.lost(new Set());
  trackedLeg.ended();
  t.is(kept.size, 1, 'a hang-up without a connection ends nothing');
  drachtio.takes = null;
  legTracker.connected();
  legTracker.lost(new Set());
  await settle();
  t.is(kept.size, 1);
  drachtio.takes = ['BYE dialog'];
  legTracker.connected();
  await settle();
  t.deepEqual(sent, ['BYE dialog']);
  t.is(kept.size, 0);
});

test('the channels of orphans are ended', async (t) => {
  const { legTracker, channels, settle } = world([]);
  legTracker.endChannels([{ leg: leg('standing') }, { leg: leg('arriving', { channel: null }) }]);
  await settle();
  t.deepEqual(channels, [{ server: 'media', uuid: 'channel' }]);
});
