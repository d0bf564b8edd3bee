/** A language that the agent writes in its reply: when it holds, for the ear and for the voice. */
import test from 'ava';
import type { Control } from '#machines/control.ts';
import { takenOver } from '#test/helpers/taken-over-call.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { phrases } from '#src/domain/phrases.ts';
import { asked, reprompt, type World } from './stages.ts';

const change = (language: string): Control => ({ act: 'change_language', language });

const write = (world: World, ...reply: (string | Control)[]): void => {
  for (const part of reply)
    world.onReply(
      typeof part === 'string'
        ? { type: 'reply.sentence', text: part }
        : { type: 'reply.control', control: part },
    );
};

/** What the line was told of the language, and what it was told to say. */
const told = (world: World): string[] =>
  world.commands.flatMap((command) => {
    if (command.type === 'changeLanguage') return [`change to ${command.language}`];
    return command.type === 'say' ? [`${command.text} (${command.language ?? 'as it is'})`] : [];
  });

const changed = (world: World): string[] =>
  world.facts.flatMap((fact) => (fact.type === 'language.changed' ? [fact.language] : []));

test('it holds when what stands before it was heard; what stands behind it is spoken in it already', (t) => {
  const world = asked();
  const before = told(world).length;
  write(world, 'One moment.', change('ko'), '안녕하세요.');
  world.onReply({ type: 'reply.finished' });
  t.deepEqual(told(world).slice(before), ['One moment. (as it is)', '안녕하세요. (ko)']);
  t.deepEqual(changed(world), []);
  world.play();
  t.deepEqual(told(world).slice(before + 2), ['change to ko']);
  t.deepEqual(changed(world), ['ko']);
  world.play();
  world.hear('네.');
  write(world, '네.');
  t.deepEqual(told(world).slice(before + 3), ['네. (as it is)']);
});

test('with nothing before it, it holds at once', (t) => {
  const world = asked();
  write(world, change('ja'), change('ko'), '안녕하세요.');
  t.deepEqual(told(world).slice(-3), ['change to ja', 'change to ko', '안녕하세요. (as it is)']);
  t.deepEqual(changed(world), ['ja', 'ko']);
});

test('of an interrupted reply it changes nothing', (t) => {
  const world = asked();
  write(world, 'One moment.', change('ko'), '안녕하세요.');
  world.onLine({ type: 'line.speech' });
  world.play('One');
  world.play('');
  world.onLine({ type: 'line.heard', text: 'No.', backchannel: false });
  t.deepEqual(changed(world), []);
  world.replyAndPlay('As you like.');
  t.is(told(world).at(-1), 'As you like. (as it is)');
});

test('the sentences of the gateway are in it, and in the old one where there are none in it', (t) => {
  const inKorean = asked({ phrasesIn: phrases });
  write(inKorean, 'One moment.', change('ko'));
  inKorean.onReply({ type: 'reply.failed', failure: 'connection_failed' });
  t.is(told(inKorean).at(-1), `${phrases.ko.brokenOff} (ko)`);
  inKorean.play();
  inKorean.play();
  inKorean.clock.increment(30_000);
  t.is(told(inKorean).at(-1), `${phrases.ko.reprompt} (as it is)`);

  const inNone = asked({ phrasesIn: {} });
  write(inNone, 'Eins.', change('de'));
  inNone.onReply({ type: 'reply.finished' });
  inNone.play();
  inNone.clock.increment(30_000);
  t.is(told(inNone).at(-1), `${reprompt} (as it is)`);
});

test('who takes the call over goes on in it, and with what was to be said behind one that has not come', (t) => {
  const left = takenOver({
    resumesAs: 'saying',
    language: 'ja',
    unsaid: ['はい。', '안녕하세요.'],
    controls: [{ behind: 1, control: change('ko') }],
  });
  const world = createCallWorld({ takenOver: left });
  world.onLine({ type: 'line.adopted' });
  t.deepEqual(told(world), ['change to ja', 'はい。 (as it is)', '안녕하세요. (ko)']);
  world.play();
  t.is(told(world).at(-1), 'change to ko');
});
