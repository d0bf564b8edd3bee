/** A transfer that the agent writes in its reply: when it is asked for, and what becomes of the reply where it may not be. */
import test from 'ava';
import type { Control } from '#machines/control.ts';
import { asked, history, listening, type World } from './stages.ts';
import { asked as allowed, wanted } from '../call/asked-transfer.ts';

const { to } = allowed;
const transfer: Control = { act: 'transfer', transfer: wanted };

const write = (world: World, ...reply: (string | Control)[]): void => {
  for (const part of reply)
    world.onReply(
      typeof part === 'string'
        ? { type: 'reply.sentence', text: part }
        : { type: 'reply.control', control: part },
    );
};
const finish = (world: World): void => world.onReply({ type: 'reply.finished' });

const refusedTurn = (reason: string): string =>
  `user: [transfer failed: ${reason}] The other party is still on the line. You speak first.\n[to] ${to}`;

test('it is asked for when what stands before it was heard, and nothing is rung before it may be', (t) => {
  const world = asked();
  write(world, 'One moment.', 'I connect you.', transfer);
  finish(world);
  world.play();
  t.deepEqual(world.wantedTransfers, []);
  world.play();
  t.deepEqual(world.wantedTransfers, [wanted]);
  t.is(world.state(), 'active.talking.conversing');
  t.false(world.commands.some(({ type }) => type === 'transfer'));
  world.ask({ ...allowed, mode: 'warm' });
  t.is(world.state(), 'active.talking.transferring.consulting');
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to, mode: 'warm' });
});

test('behind words that were not heard it is not asked for', (t) => {
  const world = asked();
  write(world, 'One moment.', transfer);
  finish(world);
  world.onLine({ type: 'line.speech' });
  world.play('One');
  world.onLine({ type: 'line.heard', text: 'No.', backchannel: false });
  world.replyAndPlay('As you like.');
  t.deepEqual(world.wantedTransfers, []);

  const held = asked();
  write(held, 'One moment.', transfer);
  held.onLine({ type: 'line.held' });
  held.play('');
  held.onLine({ type: 'line.resumed' });
  t.deepEqual(held.wantedTransfers, []);
});

test('one that is refused is told to the agent, and all that it says is said before', (t) => {
  const world = asked();
  write(world, transfer, 'One moment.');
  world.refuseTransfer(to);
  const [requests, aborted] = [world.requests.length, world.counts.repliesAborted];
  write(world, 'I connect you.');
  t.deepEqual(world.said().slice(-2), ['One moment.', 'I connect you.']);
  t.is(world.counts.repliesAborted, aborted);
  finish(world);
  world.play();
  t.is(world.requests.length, requests);
  world.play();
  t.is(world.requests.length, requests + 1);
  t.deepEqual(history(world).slice(-2), [
    'assistant: One moment. I connect you.',
    refusedTurn('not_allowed'),
  ]);
  world.replyAndPlay('I cannot connect you.');
  t.is(world.said().at(-1), 'I cannot connect you.');
  t.is(world.state(), 'active.talking.conversing');
  t.false(world.story().some((type) => type.startsWith('call.transfer')));
});

test('one that is refused behind the whole reply is answered at once', (t) => {
  const world = asked();
  write(world, 'One moment.', transfer);
  finish(world);
  world.play();
  const requests = world.requests.length;
  world.refuseTransfer(to, 'invalid_number');
  t.is(world.requests.length, requests + 1);
  t.is(history(world).at(-1), refusedTurn('invalid_number'));
});

test('on hold it is answered when the other party is back', (t) => {
  const world = asked();
  write(world, transfer);
  finish(world);
  world.onLine({ type: 'line.held' });
  const requests = world.requests.length;
  world.refuseTransfer(to);
  t.is(world.requests.length, requests);
  world.onLine({ type: 'line.resumed' });
  t.is(world.requests.length, requests + 1);
});

test('once the call is being ended, or somebody is rung, a refusal changes nothing', (t) => {
  const ending = asked();
  write(ending, transfer, { act: 'hang_up' }, 'Goodbye.');
  finish(ending);
  ending.refuseTransfer(to);
  ending.play();
  t.is(ending.state(), 'active.ending');

  const ringing = asked();
  write(ringing, transfer);
  finish(ringing);
  ringing.ask(allowed);
  ringing.refuseTransfer(to, 'unavailable');
  t.is(ringing.state(), 'active.talking.transferring.consulting');
  ringing.onLine({ type: 'line.transfer_failed', cause: 'busy' });
  t.is(history(ringing).filter((message) => message.includes('[transfer failed')).length, 1);
});

test('an agent that answers each refusal with the next transfer comes to rest', (t) => {
  const world = asked();
  const writeTransfer = (): void => {
    write(world, transfer);
    finish(world);
  };
  for (let times = 1; times <= 3; times += 1) {
    writeTransfer();
    t.is(world.wantedTransfers.length, times);
    world.refuseTransfer(to);
  }
  writeTransfer();
  t.is(world.wantedTransfers.length, 3);
  t.is(world.conversationState(), 'listening.silent');
  world.hear('Hello?');
  writeTransfer();
  t.is(world.wantedTransfers.length, 4);
});

test('a first reply may be a transfer', (t) => {
  const world = listening({ direction: 'inbound', kickoff: null, greeting: 'Good morning.' });
  world.hear('A person, please.');
  write(world, transfer);
  t.deepEqual(world.wantedTransfers, [wanted]);
});
