import test from 'ava';
import { withoutRepeatedPartials } from '#src/speech/without-repeated-partials.ts';
import type { EngineEvent } from '#src/speech/recognition-engine.ts';

const reported = (events: readonly EngineEvent[]): EngineEvent[] => {
  const heard: EngineEvent[] = [];
  const report = withoutRepeatedPartials((event) => heard.push(event));
  for (const event of events) report(event);
  return heard;
};

const partial = (text: string): EngineEvent => ({ type: 'partial', text });
const final = (text: string): EngineEvent => ({ type: 'final', text });

test('partial words are reported where they change', (t) => {
  t.deepEqual(reported([partial(''), partial('good'), partial('good'), partial('good morning')]), [
    partial('good'),
    partial('good morning'),
  ]);
});

test('a final without words takes back what was thought to be heard, and is nothing where nothing was', (t) => {
  t.deepEqual(reported([partial('good'), final(''), final('')]), [partial('good'), partial('')]);
});

test('after a final the same words are new words', (t) => {
  const events = [partial('yes'), final('Yes.'), partial('yes')];
  t.deepEqual(reported(events), events);
});

test('everything else is reported as it is', (t) => {
  const events: EngineEvent[] = [{ type: 'settled', samples: 7 }, { type: 'turn-complete' }];
  t.deepEqual(reported(events), events);
});
