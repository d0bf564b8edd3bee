/** A person hears what a call is about before they are connected, the other party that one is rung; and every way back. */
import test from 'ava';
import type { TransferRequest } from '#machines/transfer.ts';
import { asked, ringing, type World } from './asked-transfer.ts';

const { transferId, to, briefing } = asked;
const inTransfer = 'active.talking.transferring';

const requested = (changes: Partial<TransferRequest> = {}): World =>
  ringing(600, { mode: 'warm', ...changes });

/** The person has answered and is told what the call is about. */
const briefed = (changes: Partial<TransferRequest> = {}): World => {
  const world = requested(changes);
  world.clock.increment(20_000);
  world.onLine({ type: 'line.transfer_answered' });
  return world;
};

const reasonOf = (world: World): unknown =>
  world.facts.flatMap((fact) => (fact.type === 'call.transfer_failed' ? [fact.reason] : [])).at(-1);

const isBack = (world: World): boolean => world.state() === 'active.talking.conversing';

test('who answers is told what the call is about, and the agent is silent', (t) => {
  const world = requested();
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to, mode: 'warm' });
  world.clock.increment(20_000);
  world.onLine({ type: 'line.transfer_answered' });
  t.is(world.state(), `${inTransfer}.briefing`);
  t.deepEqual(world.commands.at(-1), { type: 'brief', text: briefing, acceptKey: null });
  t.like(world.facts.at(-1), { type: 'call.transfer_answered', transferId });
  const requests = world.requests.length;
  world.onLine({ type: 'line.heard', text: 'I wait.', backchannel: false });
  // How long it may ring does not bound it.
  world.clock.increment(60_000);
  t.is(world.state(), `${inTransfer}.briefing`);
  t.is(world.requests.length, requests);
});

test('without a key both are connected at the end of the briefing', (t) => {
  const world = briefed();
  world.onLine({ type: 'line.briefed' });
  t.is(world.state(), `${inTransfer}.connecting`);
  t.deepEqual(world.commands.at(-1), { type: 'connect' });
  world.onLine({ type: 'line.transferred' });
  t.is(world.state(), 'active.bridged');
  t.like(world.facts.at(-1), { type: 'call.transfer_connected', transferId });
});

for (const when of ['before', 'behind'])
  test(`with a key they are connected when it is pressed, ${when} the end of the briefing`, (t) => {
    const world = briefed({ acceptKey: '1' });
    t.deepEqual(world.commands.at(-1), { type: 'brief', text: briefing, acceptKey: '1' });
    if (when === 'behind') {
      world.onLine({ type: 'line.briefed' });
      t.is(world.state(), `${inTransfer}.briefed`);
      world.clock.increment(14_999);
    }
    t.false(world.commands.some(({ type }) => type === 'connect'));
    world.onLine({ type: 'line.accepted' });
    t.deepEqual(world.commands.at(-1), { type: 'connect' });
    world.onLine({ type: 'line.transferred' });
    t.is(world.state(), 'active.bridged');
  });

test('who does not press it in time has not accepted', (t) => {
  const world = briefed({ acceptKey: '1' });
  world.onLine({ type: 'line.briefed' });
  world.clock.increment(15_000);
  t.is(world.state(), `${inTransfer}.recalling`);
  t.deepEqual(world.commands.at(-1), { type: 'cancelTransfer' });
  world.onLine({ type: 'line.transfer_failed', cause: 'cancelled' });
  t.true(isBack(world));
  t.is(reasonOf(world), 'not_accepted');
  t.regex(world.requests.at(-1)?.messages.at(-1)?.content ?? '', /^\[transfer failed: not_accepted\]/);
});

test('a line that never tells the end of a briefing is not waited for', (t) => {
  const world = briefed();
  world.clock.increment(180_000);
  t.deepEqual(world.commands.at(-1), { type: 'cancelTransfer' });
  world.onLine({ type: 'line.transfer_failed', cause: 'cancelled' });
  t.is(reasonOf(world), 'not_accepted');
});

test('a line that never tells that it has connected them is ended', (t) => {
  const world = briefed();
  world.onLine({ type: 'line.briefed' });
  world.clock.increment(9_999);
  t.is(world.state(), `${inTransfer}.connecting`);
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.facts.at(-1), { type: 'call.ended', reason: 'media_error' });
});

test('a line that never tells that nobody is rung any more is ended', (t) => {
  const world = requested();
  world.ask({ type: 'transfer.taken_back' });
  world.clock.increment(44_999);
  t.is(world.state(), `${inTransfer}.recalling`);
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
});

for (const cause of ['declined', 'trunk_error'] as const)
  for (const onFailure of ['resume', 'hang_up'] as const)
    test(`${cause} while the person is told: ${onFailure}`, (t) => {
      const world = briefed({ onFailure });
      world.onLine({ type: 'line.transfer_failed', cause });
      t.is(reasonOf(world), cause);
      t.is(world.state(), onFailure === 'resume' ? 'active.talking.conversing' : 'active.ending');
    });

for (const { at, enter } of [
  { at: 'briefing', enter: () => briefed({ acceptKey: '1' }) },
  {
    at: 'briefed',
    enter: () => {
      const world = briefed({ acceptKey: '1' });
      world.onLine({ type: 'line.briefed' });
      return world;
    },
  },
]) {
  test(`taken back in ${at}: the person is let go of, and the agent goes on`, (t) => {
    const world = enter();
    t.is(world.state(), `${inTransfer}.${at}`);
    world.ask({ type: 'transfer.taken_back' });
    t.deepEqual(world.commands.at(-1), { type: 'cancelTransfer' });
    world.onLine({ type: 'line.transfer_failed', cause: 'cancelled' });
    t.true(isBack(world));
    t.like(world.facts.at(-1), { type: 'call.transfer_returned', transferId });
  });

  test(`hung up in ${at}, by the other party, the agent or a shutdown: the call ends`, (t) => {
    const left = enter();
    left.onLine({ type: 'line.ended', by: 'counterparty' });
    t.like(left.end(), { reason: 'counterparty_hangup' });
    const ended = enter();
    ended.ask({ type: 'hangup.requested', immediate: false });
    t.deepEqual(ended.commands.at(-1), { type: 'hangUp' });
    const closing = enter();
    closing.ask({ type: 'gateway.closing' });
    t.deepEqual(closing.commands.at(-1), { type: 'hangUp' });
  });
}

const announced = { mode: 'cold', sentences: ['One moment.', 'I connect you.'] } as const;

test('what is said to the other party is heard before the person is rung', (t) => {
  const world = requested(announced);
  t.is(world.state(), `${inTransfer}.announcing`);
  t.like(world.facts.at(-1), { type: 'call.transfer_requested', announced: true });
  t.deepEqual(world.said().slice(-2), announced.sentences);
  world.onLine({ type: 'line.speech' });
  t.false(world.commands.some(({ type }) => type === 'transfer' || type === 'stopTalking'));
  world.play();
  t.is(world.state(), `${inTransfer}.announcing`);
  world.play();
  t.is(world.state(), `${inTransfer}.consulting`);
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to, mode: 'cold' });
  t.true(world.facts.some(({ type }) => type === 'call.transfer_ringing'));
  t.is(world.turns().at(-1), 'assistant: One moment. I connect you.');
  // It has rung for no second yet.
  world.clock.increment(24_999);
  t.is(world.state(), `${inTransfer}.consulting`);
});

test('taken back while that is said, nobody was rung', (t) => {
  const world = requested(announced);
  world.ask({ type: 'transfer.taken_back' });
  t.true(isBack(world));
  t.like(world.facts.at(-1), { type: 'call.transfer_returned', transferId });
  t.false(world.commands.some(({ type }) => type === 'transfer' || type === 'cancelTransfer'));
  world.play();
  world.play();
  t.regex(world.requests.at(-1)?.messages.at(-1)?.content ?? '', /^\[transfer failed: cancelled\]/);
});

test('a line that does not tell the end of it is not waited for', (t) => {
  const world = requested(announced);
  world.clock.increment(120_000);
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to, mode: 'cold' });
});
