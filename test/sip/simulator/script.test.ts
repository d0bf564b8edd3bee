import test from 'ava';
import * as fc from 'fast-check';
import { maxScriptSteps, parseScript, type Role } from '#sip/simulator/script.ts';

const accepts = test.macro<[script: unknown]>({
  exec(t, script) {
    t.deepEqual(parseScript(script, 'callee'), { script });
  },
  title: (_, script) => `a script may be ${JSON.stringify(script)}`,
});

const refuses = test.macro<[script: unknown, step: number, message: RegExp, role?: Role]>({
  exec(t, script, step, message, role = 'callee') {
    const { errors } = parseScript(script, role);
    t.is(errors?.length, 1);
    t.is(errors?.[0]?.step, step);
    t.regex(errors?.[0]?.message ?? '', message);
  },
  title: (_, script, __, ___, role = 'callee') => `a ${role}'s script cannot be ${JSON.stringify(script)}`,
});

test(accepts, []);
test(accepts, [{ say: 'Hello.' }, { wait_sec: 0.5 }, { interrupt: 'Wait!' }, { hang_up: true }]);
test(accepts, [
  { answer_after_sec: 3 },
  { listen: true },
  { backchannel: 'yeah' },
  { noise_sec: 2 },
  { announce: 'Please leave a message.' },
  { beep: true },
  { digits: '12#' },
  { await_digits: '1' },
]);
test(accepts, [{ busy: true }]);
test(accepts, [{ decline: true }]);
test(accepts, [{ no_answer: true }]);
test(accepts, [{ trunk_error: true }]);

test(refuses, 'hello', 0, /list/);
test(refuses, null, 0, /list/);
test(refuses, [{ say: 'Hello.' }, 'hang_up'], 1, /object with one member/);
test(refuses, [{}], 0, /object with one member/);
test(refuses, [{ say: 'Hello.', wait_sec: 1 }], 0, /object with one member/);
test(refuses, [{ shout: 'Hello.' }], 0, /no such step/);
test(refuses, [{ constructor: true }], 0, /no such step/);
test(refuses, [{ say: ' ' }], 0, /say must be a text/);
test(refuses, [{ say: 5 }], 0, /say must be a text/);
test(refuses, [{ wait_sec: -1 }], 0, /wait_sec must be a number/);
test(refuses, [{ wait_sec: Number.NaN }], 0, /wait_sec must be a number/);
test(refuses, [{ wait_sec: 100_000 }], 0, /wait_sec must be a number/);
test(refuses, [{ hang_up: false }], 0, /hang_up must be true/);
test(refuses, [{ digits: '12x' }], 0, /digits must be/);
test(refuses, [{ say: 'Hello.' }, { answer_after_sec: 1 }], 1, /only be the first step/);
test(refuses, [{ busy: true }, { say: 'Hello.' }], 0, /only be the only step/);
test(refuses, [{ answer_after_sec: 1 }], 0, /is for callees/, 'caller');

test('a script with too many steps is refused', (t) => {
  const script = Array.from({ length: maxScriptSteps + 1 }, () => ({ listen: true }));
  t.is(parseScript(script, 'callee').errors?.length, 1);
});

test('each wrong step is named', (t) => {
  const { errors } = parseScript([{ say: '' }, { say: 'Fine.' }, { jump: 1 }], 'callee');
  t.deepEqual(
    errors?.map(({ step }) => step),
    [0, 2],
  );
});

test('whatever is given is either a script or has errors', (t) => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const { script, errors } = parseScript(value, 'callee');
      return script === undefined ? errors.length > 0 : script === value;
    }),
  );
  t.pass();
});
