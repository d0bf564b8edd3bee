import { readFileSync } from 'node:fs';
import test from 'ava';
import { chartVersionOf, type ReadSource } from '#src/calls/journal/chart-version.ts';

const read: ReadSource = (file) => readFileSync(file, 'utf8');

/** As if these words of a file were others. */
const changed =
  (path: string, from: string, to: string): ReadSource =>
  (file) => {
    const source = read(file);
    if (!file.pathname.endsWith(path)) return source;
    if (!source.includes(from)) throw new Error(`${path} does not say ${from}`);
    return source.replace(from, to);
  };

test('the version of a chart changes with its arrows, its actions, and the functions that they call', (t) => {
  const version = chartVersionOf('conversation');
  t.is(chartVersionOf('conversation', read), version);
  t.regex(version, /^[0-9a-f]{12}$/);
  for (const [path, from, to] of [
    ['machines/conversation.ts', "'call.over'", "'call.gone'"],
    ['machines/conversation-actions.ts', 'at: startedAt', 'at'],
    ['machines/turns.ts', 'unanswered + 1', 'unanswered + 2'],
    ['xstate/package.json', '"version"', '"release"'],
  ] as const)
    t.not(chartVersionOf('conversation', changed(path, from, to)), version, path);
});

test('a call has another version when its conversation or its outcome has', (t) => {
  const version = chartVersionOf('call');
  t.not(chartVersionOf('call', changed('machines/turns.ts', 'unanswered + 1', 'unanswered + 2')), version);
  t.not(chartVersionOf('call', changed('machines/outcome.ts', "'busy'", "'silent'")), version);
});

test('a chart keeps its version when only another one changes', (t) => {
  const version = chartVersionOf('voicemail');
  t.is(chartVersionOf('voicemail', changed('machines/call.ts', 'ringing', 'sounding')), version);
  t.not(version, chartVersionOf('conversation'));
});
