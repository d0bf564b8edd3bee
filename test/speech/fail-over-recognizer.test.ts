import test from 'ava';
import * as fc from 'fast-check';
import type { EngineEvent } from '#src/speech/recognition-engine.ts';
import { nth, setUp } from './doubles/failing-engines.ts';
import { listen, numbered } from './doubles/heard-events.ts';

test('an engine that works is heard, and what is its own business is not', (t) => {
  const { engines, recognizer } = setUp('a', 'b');
  t.is(recognizer.name, 'a, b');
  const { events, recognition } = listen(recognizer);
  const { emit } = nth(engines, 0).last();
  const heard: EngineEvent[] = [
    { type: 'partial', text: '안' },
    { type: 'final', text: '안녕' },
    { type: 'turn-complete' },
  ];
  for (const event of heard) emit(event);
  emit({ type: 'settled', samples: 1 });
  t.deepEqual(events, heard);
  recognition.close();
  emit({ type: 'final', text: '늦은 말' });
  t.is(events.length, 3);
  t.true(nth(engines, 0).last().isClosed);
});

test('in mid-call the next engine gets the unfinished sentence, from its beginning', (t) => {
  const { engines, recognizer, warnings, lines } = setUp('a', 'b');
  const [a, b] = [nth(engines, 0), nth(engines, 1)];
  const { events, recognition } = listen(recognizer);
  recognition.write(numbered(1_000));
  recognition.speechBegan();
  recognition.write(numbered(1_000, 1_000));
  recognition.speechEnded();
  recognition.write(numbered(1_000, 2_000));
  a.last().emit({ type: 'final', text: 'a secret' });
  a.last().emit({ type: 'settled', samples: 2_000 });
  recognition.speechBegan();
  recognition.write(numbered(1_000, 3_000));
  a.fail();
  recognition.write(numbered(1_000, 4_000));
  recognition.speechEnded();
  t.deepEqual(
    b.last().given.map((entry) => (typeof entry === 'string' ? entry : [entry[0], entry.length])),
    [[-28_000, 1_000], 'began', [-27_000, 1_000], [-26_000, 1_000], 'ended'],
  );
  b.last().emit({ type: 'final', text: 'b' });
  a.last().emit({ type: 'final', text: 'late' });
  t.deepEqual(
    events.map((event) => (event.type === 'final' ? event.text : event.type)),
    ['a secret', 'b'],
  );
  t.deepEqual(
    warnings().map(({ msg, engine: name }) => [msg, name]),
    [['a recognizer failed', 'a']],
  );
  t.notRegex(lines.join(''), /secret/);
});

test('what an engine settled counts from where it was opened', (t) => {
  const { engines, recognizer } = setUp('a', 'b', 'c');
  const { recognition } = listen(recognizer);
  recognition.write(numbered(1_000));
  nth(engines, 0).last().emit({ type: 'settled', samples: 600 });
  nth(engines, 0).fail();
  engines[1]?.last().emit({ type: 'settled', samples: 300 });
  engines[1]?.fail();
  t.deepEqual(engines[2]?.sound(), [...numbered(100, 900)]);
});

test('the kept sound is bounded, and the newest of it is kept', (t) => {
  const { engines, recognizer } = setUp('a', 'b');
  const { recognition } = listen(recognizer);
  recognition.speechBegan();
  for (let second = 0; second < 6; second += 1) recognition.write(numbered(8_000, second * 8_000));
  nth(engines, 0).fail();
  t.deepEqual(engines[1]?.sound(), [...numbered(16_000, 32_000)]);
  t.is(engines[1]?.last().given[0], 'began');
});

test('the caller may use its buffer again', (t) => {
  const { engines, recognizer } = setUp('a', 'b');
  const { recognition } = listen(recognizer);
  const buffer = numbered(3);
  recognition.write(buffer);
  buffer.fill(0);
  nth(engines, 0).fail();
  t.deepEqual(nth(engines, 1).sound(), [...numbered(3)]);
});

test('what is given up while nobody answers is counted, and told once to the log', (t) => {
  const { engines, recognizer, clock, warnings, unheardSeconds } = setUp('a');
  const { recognition } = listen(recognizer);
  const say = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) recognition.write(numbered(8_000));
  };
  const told = (): number => warnings().filter(({ msg }) => msg.includes('is given up')).length;

  // It answers, whatever it settles: it has heard what is not kept for another.
  nth(engines, 0).last().emit({ type: 'partial', text: 'so far' });
  say(5);
  t.is(unheardSeconds(), 0);
  nth(engines, 0).last().emit({ type: 'settled', samples: 40_000 });
  nth(engines, 0).fail();
  say(2);
  t.deepEqual([unheardSeconds(), told()], [0, 0]);
  say(3);
  t.deepEqual([unheardSeconds(), told()], [3, 1]);

  // The next one connects and never answers: until it is given up itself, it may have heard.
  clock.increment(5_000);
  say(4);
  t.is(unheardSeconds(), 3);
  nth(engines, 0).fail();
  t.deepEqual([unheardSeconds(), told()], [7, 1]);

  clock.increment(10_000);
  say(1);
  nth(engines, 0).last().emit({ type: 'partial', text: 'here' });
  nth(engines, 0).fail();
  t.is(unheardSeconds(), 7);
});

test('a failed engine cools down for all calls, longer each time, and is tried again by one of them', (t) => {
  const { engines, recognizer, clock } = setUp('a', 'b');
  const [a, b] = [nth(engines, 0), nth(engines, 1)];
  const open = () => listen(recognizer);
  open();
  open();
  // Both calls lose it in one outage.
  for (const { emit } of a.opened) emit({ type: 'failed', error: new Error('gone') });
  t.deepEqual([a.opened.length, b.opened.length], [2, 2]);
  clock.increment(4_999);
  open();
  t.deepEqual([a.opened.length, b.opened.length], [2, 3]);
  clock.increment(1);
  open();
  open();
  t.deepEqual([a.opened.length, b.opened.length], [3, 4]);
  a.fail();
  clock.increment(9_999);
  open();
  t.deepEqual([a.opened.length, b.opened.length], [3, 6]);
  clock.increment(1);
  open();
  a.last().emit({ type: 'partial', text: 'it works' });
  open();
  t.deepEqual([a.opened.length, b.opened.length], [5, 6]);
});

test('an engine that was steady is opened again at once, and goes when that does not last', (t) => {
  const { engines, recognizer, clock } = setUp('a', 'b');
  const { recognition } = listen(recognizer);
  clock.increment(10_000);
  recognition.write(numbered(100));
  nth(engines, 0).fail();
  t.is(nth(engines, 0).opened.length, 2);
  t.deepEqual(nth(engines, 0).sound(), [...numbered(100)]);
  clock.increment(9_999);
  nth(engines, 0).fail();
  t.deepEqual(engines[1]?.sound(), [...numbered(100)]);
});

test('a call that has no engine left waits for the first that may be tried, and keeps listening', (t) => {
  const { engines, recognizer, clock, warnings } = setUp('a');
  const { recognition, events } = listen(recognizer);
  nth(engines, 0).fail();
  recognition.write(numbered(100));
  clock.increment(5_000);
  t.deepEqual(nth(engines, 0).sound(), [...numbered(100)]);
  nth(engines, 0).fail();
  clock.increment(9_999);
  t.is(nth(engines, 0).opened.length, 2);
  clock.increment(1);
  t.is(nth(engines, 0).opened.length, 3);
  nth(engines, 0).last().emit({ type: 'final', text: '네' });
  t.deepEqual(events, [{ type: 'final', text: '네' }]);
  t.is(warnings().length, 4);
  nth(engines, 0).fail();
  recognition.close();
  clock.increment(600_000);
  t.is(nth(engines, 0).opened.length, 3);
});

test('wherever an engine fails, no sound is lost and none that was settled comes again', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(200), { maxLength: 30 }),
      fc.array(fc.record({ at: fc.nat(30), settled: fc.double({ min: 0, max: 1, noNaN: true }) }), {
        maxLength: 5,
      }),
      (sizes, failures) => {
        const { engines, recognizer } = setUp('a', 'b', 'c', 'd', 'e', 'f');
        const { recognition } = listen(recognizer);
        let written = 0;
        let settled = 0;
        let index = 0;
        for (const [step, size] of sizes.entries()) {
          recognition.write(numbered(size, written));
          written += size;
          for (const failure of failures.filter(({ at }) => at === step)) {
            const current = engines[index];
            const more = Math.floor((written - settled) * failure.settled);
            current?.last().emit({ type: 'settled', samples: more });
            settled += more;
            current?.fail();
            index += 1;
            t.deepEqual(engines[index]?.sound(), [...numbered(written - settled, settled)]);
          }
        }
      },
    ),
  );
});
