/** Requests to a call that talks, besides to hang up: keys and pauses of its recording. */
import test from 'ava';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { sayingFarewell } from './stages.ts';

test('keys that the agent presses go to the line, and change nothing else', (t) => {
  const world = sayingFarewell();
  world.actor.send({ type: 'keys.requested', keys: '1w#' });
  t.is(world.state(), 'active.talking.hangup-pending');
  t.deepEqual(world.commands.at(-1), { type: 'press', keys: '1w#' });
  t.deepEqual(world.facts.at(-1), { type: 'keys.pressed', keys: '1w#' });
});

test('a recording is paused and resumed, each once however often it is asked for', (t) => {
  const world = createCallWorld({ recording: true });
  world.answer();
  const begun = world.commands.length;
  for (const type of ['resume', 'pause', 'pause', 'resume', 'resume', 'pause'] as const)
    world.ask({ type: `recording.${type}_requested` });
  t.deepEqual(
    world.commands.slice(begun).map(({ type }) => type),
    ['pauseRecording', 'resumeRecording', 'pauseRecording'],
  );
  t.deepEqual(
    world.story().filter((type) => type.startsWith('recording.')),
    ['recording.paused', 'recording.resumed', 'recording.paused'],
  );
  t.is(world.state(), 'active.talking.conversing');
});

test('a recording can be paused in a farewell, which goes on', (t) => {
  const world = createCallWorld({ recording: true });
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Goodbye.' });
  world.ask({ type: 'hangup.requested', immediate: false });
  world.ask({ type: 'recording.pause_requested' });
  t.is(world.state(), 'active.talking.hangup-pending');
  t.is(world.commands.at(-1)?.type, 'pauseRecording');
});

test('there is nothing to pause in a call that is not recorded, or not answered', (t) => {
  const unrecorded = createCallWorld({ recording: false });
  unrecorded.answer();
  unrecorded.ask({ type: 'recording.pause_requested' });
  const ringing = createCallWorld({ recording: true });
  ringing.ask({ type: 'recording.pause_requested' });
  ringing.answer();
  for (const { commands, facts } of [unrecorded, ringing]) {
    t.false(commands.some(({ type }) => type === 'pauseRecording'));
    t.false(facts.some(({ type }) => type === 'recording.paused'));
  }
});
