import test from 'ava';
import { createActor, fromPromise, SimulatedClock } from 'xstate';
import { trunkMachine, type TrunkInput } from '#machines/trunk-life.ts';

const times = { checkMs: 30_000, recheckMs: 5_000, retryFirstMs: 2_000, retryLongestMs: 300_000 };

type Answer<Output> = { output: Output } | { error: string } | 'silence';

/** One life; `asked` says what it did at which second, the answers are what the trunk says from now on. */
const life = (input: Partial<TrunkInput> = {}) => {
  const clock = new SimulatedClock();
  const asked: string[] = [];
  const answers: { register: Answer<{ expiresSec: number }>; check: boolean } = {
    register: { output: { expiresSec: 600 } },
    check: true,
  };
  const actor = createActor(
    trunkMachine.provide({
      actors: {
        register: fromPromise(({ signal }) => {
          asked.push(`register ${clock.now() / 1_000}`);
          const answer = answers.register;
          if (answer === 'silence')
            return new Promise((_, reject) =>
              signal.addEventListener('abort', () => {
                asked.push('given up');
                reject(new Error('It was given up.'));
              }),
            );
          return 'output' in answer
            ? Promise.resolve({ at: clock.now(), ...answer.output })
            : Promise.reject(new Error(answer.error));
        }),
        check: fromPromise(() => {
          asked.push(`check ${clock.now() / 1_000}`);
          return answers.check
            ? Promise.resolve({ at: clock.now() })
            : Promise.reject(new Error('The trunk does not answer.'));
        }),
      },
    }),
    {
      clock,
      input: { trunkId: 'one', isEnabled: true, registers: false, isChecked: false, times, ...input },
    },
  );
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
  };
  return {
    actor,
    asked,
    answers,
    is: (state: 'disabled' | 'registering' | 'unregistered' | 'serving' | 'unreachable') =>
      actor.getSnapshot().matches(state),
    context: () => actor.getSnapshot().context,
    async start() {
      actor.start();
      clock.increment(0);
      await settle();
    },
    async pass(seconds: number) {
      for (let passed = 0; passed < seconds; passed += 1) {
        clock.increment(1_000);
        await settle();
      }
    },
  };
};

test('a trunk that is switched off does nothing', async (t) => {
  const { start, pass, is, asked } = life({ isEnabled: false, registers: true, isChecked: true });
  await start();
  await pass(100);
  t.true(is('disabled'));
  t.deepEqual(asked, []);
});

test('a trunk that needs nothing serves from the beginning', async (t) => {
  const { start, pass, is, asked } = life();
  await start();
  t.true(is('serving'));
  await pass(1_000);
  t.true(is('serving'));
  t.deepEqual(asked, []);
});

test('a registration is refreshed before it expires, and the trunk serves meanwhile', async (t) => {
  const { start, pass, is, asked, answers } = life({ registers: true });
  answers.register = { output: { expiresSec: 100 } };
  await start();
  t.true(is('serving'));
  await pass(79);
  t.deepEqual(asked, ['register 0']);
  answers.register = 'silence';
  await pass(1);
  t.deepEqual(asked, ['register 0', 'register 80']);
  t.true(is('serving'));
});

test('a refused registration is tried again, later each time, and says why', async (t) => {
  const { start, pass, is, asked, answers, context } = life({ registers: true });
  answers.register = { error: 'The trunk refuses the password.' };
  await start();
  t.true(is('unregistered'));
  t.is(context().detail, 'The trunk refuses the password.');
  await pass(14);
  t.deepEqual(asked, ['register 0', 'register 2', 'register 6', 'register 14']);
  await pass(2_000);
  const [last, before] = asked.toReversed().map((line) => Number(line.split(' ')[1]));
  t.is((last ?? 0) - (before ?? 0), 300, 'never later than five minutes');
  answers.register = { output: { expiresSec: 600 } };
  await pass(300);
  t.true(is('serving'));
  t.is(context().detail, null);
  t.is(context().refusals, 0);
});

test('a refresh that fails ends the service, and begins the retries', async (t) => {
  const { start, pass, is, answers, asked } = life({ registers: true });
  await start();
  answers.register = { error: 'The trunk answers 503.' };
  await pass(480);
  t.true(is('unregistered'));
  answers.register = { output: { expiresSec: 600 } };
  await pass(2);
  t.true(is('serving'));
  t.deepEqual(asked, ['register 0', 'register 480', 'register 482']);
});

test('three unanswered questions in a row give a trunk up, two answers bring it back', async (t) => {
  const { start, pass, is, answers, asked, context } = life({ isChecked: true });
  await start();
  t.deepEqual(asked, ['check 0']);
  answers.check = false;
  await pass(35);
  t.true(is('serving'), 'twice is not enough');
  await pass(5);
  t.true(is('unreachable'));
  t.deepEqual(asked, ['check 0', 'check 30', 'check 35', 'check 40']);
  t.is(context().detail, 'The trunk does not answer.');
  t.is(context().lastSeenAt, 0);
  answers.check = true;
  await pass(5);
  t.true(is('unreachable'), 'once is not enough');
  t.is(context().lastSeenAt, 45_000);
  answers.check = false;
  await pass(5);
  answers.check = true;
  await pass(9);
  t.true(is('unreachable'), 'in a row');
  await pass(1);
  t.true(is('serving'));
});

test('a bad minute does not make a trunk go', async (t) => {
  const { start, pass, is, answers, context } = life({ isChecked: true });
  await start();
  answers.check = false;
  await pass(35);
  answers.check = true;
  await pass(5);
  t.is(context().failures, 0);
  answers.check = false;
  await pass(35);
  t.true(is('serving'));
});

test('a trunk that comes back registers anew', async (t) => {
  const { start, pass, is, answers, asked } = life({ registers: true, isChecked: true });
  answers.check = false;
  await start();
  await pass(11);
  t.true(is('unreachable'));
  answers.check = true;
  await pass(10);
  t.true(is('serving'));
  t.deepEqual(
    asked.filter((line) => line.startsWith('register')),
    ['register 0', 'register 21'],
  );
});

test('a life that ends gives up what it asks', async (t) => {
  const { start, actor, answers, asked } = life({ registers: true });
  answers.register = 'silence';
  await start();
  actor.stop();
  t.deepEqual(asked, ['register 0', 'given up']);
});
