import test from 'ava';
import { createSaidWords } from '#src/agents/langgraph/said-words.ts';

test('what is said of a message grows', (t) => {
  const said = createSaidWords();
  t.is(said.of('a'), '');
  said.add('a', 'Good ');
  said.add('a', 'morning.');
  t.is(said.of('a'), 'Good morning.');
});

test('the same words under another id are a repetition, whatever the space around them', (t) => {
  const said = createSaidWords();
  said.add('a', 'Good morning. ');
  t.true(said.repeats({ id: 'b', text: ' Good morning.' }));
  t.false(said.repeats({ id: 'b', text: 'Good evening.' }));
});

test('a message does not repeat itself, nor does one without an id', (t) => {
  const said = createSaidWords();
  said.add('a', 'Good morning.');
  t.false(said.repeats({ id: 'a', text: 'Good morning.' }));
  t.false(said.repeats({ id: '', text: 'Good morning.' }));
});

test('only whole messages count: what has grown on, or was forgotten, is no longer found by its beginning', (t) => {
  const said = createSaidWords();
  said.add('a', 'Good');
  t.true(said.repeats({ id: 'b', text: 'Good' }));
  said.add('a', ' morning.');
  t.false(said.repeats({ id: 'b', text: 'Good' }));
  t.true(said.repeats({ id: 'b', text: 'Good morning.' }));
  said.remove('a');
  t.false(said.repeats({ id: 'b', text: 'Good morning.' }));
});
