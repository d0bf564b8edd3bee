import test from 'ava';
import { briefingOf } from '#src/calls/in-call/briefing.ts';

const turns = [
  { role: 'user', text: 'Where is my order?' },
  { role: 'assistant', text: 'I connect you.' },
] as const;

test('what is given is said, and how to take the call', (t) => {
  const given = 'It is about an order.';
  t.is(briefingOf({ language: 'en', given, acceptKey: null, turns }), given);
  t.is(briefingOf({ language: 'en', given, acceptKey: '1', turns }), `${given} To take the call, press 1.`);
  t.true(briefingOf({ language: 'en', given, acceptKey: '#', turns }).endsWith('press hash.'));
});

test('where nothing is given, what is known of the call is said', (t) => {
  const known = briefingOf({ language: 'en-US', given: null, acceptKey: null, turns });
  t.true(known.endsWith('other party: Where is my order?'));
  t.false(briefingOf({ language: 'en', given: null, acceptKey: null, turns: [] }).includes('other party'));
});

test('in the language of the call', (t) => {
  t.regex(briefingOf({ language: 'ko', given: null, acceptKey: '*', turns }), /별표 버튼을 눌러 주세요/);
  t.regex(briefingOf({ language: 'ja', given: null, acceptKey: '1', turns }), /1を押してください/);
});
