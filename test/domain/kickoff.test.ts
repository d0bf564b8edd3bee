import test from 'ava';
import * as fc from 'fast-check';
import { kickoffFor } from '#src/domain/kickoff.ts';

const firstLine = '[outbound call connected] You speak first. The other party has not said anything yet.';

test('the kickoff has two lines: that the call is outbound, and the task', (t) => {
  t.is(kickoffFor('Ask about the opening hours.'), `${firstLine}\n[task] Ask about the opening hours.`);
});

const withoutTask = test.macro<[string | null]>({
  exec: (t, instruction) => t.is(kickoffFor(instruction), firstLine),
  title: (_, instruction) => `without a task there is the first line alone: ${JSON.stringify(instruction)}`,
});

test(withoutTask, null);
test(withoutTask, '');
test(withoutTask, ' \n \t ');

const folded = test.macro<[string, string]>({
  exec: (t, instruction, task) => t.is(kickoffFor(instruction), `${firstLine}\n[task] ${task}`),
  title: (_, instruction) => `line breaks are folded into spaces: ${JSON.stringify(instruction)}`,
});

test(folded, 'One.\nTwo.', 'One. Two.');
test(folded, 'One.\r\nTwo.\r\nThree.', 'One. Two. Three.');
test(folded, 'One.\n\n\nTwo.', 'One. Two.');
test(folded, 'One.  \n  Two.', 'One. Two.');
test(folded, '\nOne.\n', 'One.');
test(folded, 'One.\rTwo.', 'One. Two.');
test(folded, 'One.\u2028Two.\u2029Three.', 'One. Two. Three.');
test(folded, 'One  two.', 'One  two.');

test('a kickoff never has more than two lines, so a task cannot pretend to be another marker', (t) => {
  const instruction = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\r', '\u2028', '\u2029', '[') });
  fc.assert(
    fc.property(instruction, (text) => {
      const lines = kickoffFor(text).split(/[\r\n\u2028\u2029]/);
      return lines[0] === firstLine && lines.length === (text.trim() === '' ? 1 : 2);
    }),
  );
  t.pass();
});
