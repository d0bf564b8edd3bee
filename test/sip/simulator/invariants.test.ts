import assert from 'node:assert/strict';
import test from 'ava';
import * as fc from 'fast-check';
import type { Script, ScriptStep } from '#sip/simulator/script.ts';
import type { WatchedLine } from '#test/contract/watched-line.ts';
import { createNetwork, scriptedNumber } from './network.ts';

const words = fc.constantFrom(
  'Hello?',
  'Wait a moment, please.',
  'uh-huh',
  'Yes.',
  'mm',
  '…',
  'I would like to know more.',
);
const seconds = fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10);

const talking: fc.Arbitrary<ScriptStep> = fc.oneof(
  words.map((say) => ({ say })),
  words.map((interrupt) => ({ interrupt })),
  words.map((backchannel) => ({ backchannel })),
  seconds.map((wait_sec) => ({ wait_sec })),
  seconds.map((noise_sec) => ({ noise_sec })),
  fc.constant({ listen: true as const }),
  fc.constant({ digits: '1#' }),
  fc.constant({ hang_up: true as const }),
);

const script: fc.Arbitrary<Script> = fc.oneof(
  { weight: 8, arbitrary: fc.array(talking, { maxLength: 8 }) },
  {
    weight: 2,
    arbitrary: fc.array(talking, { maxLength: 4 }).map((steps) => [{ answer_after_sec: 0 }, ...steps]),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Script>([{ busy: true }], [{ decline: true }], [{ no_answer: true }]),
  },
);

const number = fc.oneof(
  { weight: 3, arbitrary: fc.constant(scriptedNumber) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map((digit) => `0100000000${digit}`) },
);

type Act = (line: WatchedLine) => void;

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: words.map(
      (text): Act =>
        (line) =>
          void line.say(text),
    ),
  },
  { weight: 3, arbitrary: fc.constant<Act>((line) => line.tell({ type: 'stopTalking' })) },
  { weight: 2, arbitrary: fc.constant<Act>((line) => line.tell({ type: 'expectHangup' })) },
  { weight: 1, arbitrary: fc.constant<Act>((line) => line.tell({ type: 'hangUp' })) },
);

const commands = fc.array(fc.record({ act, afterMs: fc.oneof(fc.constant(0), fc.nat(3_000)) }), {
  maxLength: 25,
});

/** What the call does inside its first events, one act an event. */
const reactions = fc.array(fc.option(act, { nil: null }), { maxLength: 12 });

test('whatever the script and the commands, a line keeps its contract', (t) => {
  fc.assert(
    fc.property(number, script, commands, reactions, fc.boolean(), (to, steps, told, reacts, isClosed) => {
      const { clock, lines, reach } = createNetwork();
      lines.defineCallee(scriptedNumber, steps);
      let events = 0;
      const line = reach({ to }, (_event, it) => {
        reacts[events]?.(it);
        events += 1;
      });
      for (const { act, afterMs } of told) {
        clock.advance(afterMs);
        act(line);
      }
      if (isClosed) line.close();
      else line.tell({ type: 'hangUp' });
      clock.advance(60_000);
      assert.deepEqual(line.finish(), []);
      assert.equal(clock.pending(), 0);
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('a line that nothing is said on any more comes to rest', (t) => {
  fc.assert(
    fc.property(script, (steps) => {
      const { clock, reachScript } = createNetwork();
      const line = reachScript(steps);
      clock.advance(600_000);
      assert.deepEqual(line.breaches, []);
      assert.equal(clock.pending(), 0);
    }),
  );
  t.pass();
});
