/** Trunk checks: whether a trunk is reachable, and advice if it is not. */
import { startLoopingTrunk } from './looping-trunk.ts';
import { pooled, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startBlackHole } from './trunk-ends.ts';
import { account, callee, own, trunkAt, withTrunkLines } from './trunk-lines.ts';

withTrunkLines('checks of trunks', ({ servers, startTrunkFor, linesWith }) => {
  realTimeTest('treats a trunk as reachable with any answer to OPTIONS', async (t) => {
    const far = await startTrunkFor(t, 'trunk-options');
    const { outOfDialog } = await linesWith(t, []);
    const never = new AbortController().signal;
    const askedAt = Date.now();
    const { at } = await outOfDialog.check(trunkAt(far.port), never);
    t.true(at >= askedAt && at <= Date.now());
    await t.throwsAsync(outOfDialog.check(trunkAt(9), never), { message: /^The trunk / });
  });

  realTimeTest('checks registration, OPTIONS and a returning call of a trunk', async (t) => {
    let backTo: number | null = servers().sipPort;
    const far = await startLoopingTrunk(() => backTo);
    t.teardown(far.close);
    const trunk = trunkAt(far.port, { ...account, register: true, inboundAddresses: ['127.0.0.1'] });
    const lines = await linesWith(t, [trunk]);
    const numbers = { from: own, to: own };
    const steps = await lines.tryTrunk(trunk, numbers);
    t.deepEqual(
      steps.map(({ step, result, sentence }) => [step, result, sentence]),
      [
        ['registration', 'ok', 'The trunk took the registration.'],
        ['options', 'ok', 'The trunk answers.'],
        ['call', 'ok', 'The call went out and came back in: both directions work.'],
      ],
    );
    t.deepEqual(
      steps.map(({ ladder }) => ladder.map(({ message }) => message)),
      [
        [`REGISTER sip:127.0.0.1:${far.port}`, '200 OK'],
        [`OPTIONS sip:127.0.0.1:${far.port}`, '200 OK'],
        [`INVITE sip:${own}@127.0.0.1:${far.port}`, '486 Busy Here'],
      ],
    );
    t.deepEqual(lines.arrivals, [], 'nobody was called');

    backTo = null;
    const [, , call] = await lines.tryTrunk(trunk, numbers);
    t.like(call, { result: 'failed' });
    t.regex(call?.sentence ?? '', /does not know the number/);
    await until(async () => (await servers().mediaServers[0]?.channels()) === pooled);
  });

  realTimeTest(
    'shows the challenge of a trunk in a check, and gives advice when the trunk does not respond',
    async (t) => {
      const registrar = await startTrunkFor(t, 'trunk-registrar');
      const lines = await linesWith(t, []);
      const trunk = trunkAt(registrar.port, { ...account, password: 'guess', register: true });
      const [registration] = await lines.tryTrunk(trunk, { from: own, to: callee });
      t.like(registration, { result: 'failed' });
      t.regex(registration?.sentence ?? '', /refuses user name or password/);
      t.deepEqual(
        registration?.ladder.map(({ message }) => message),
        [
          `REGISTER sip:127.0.0.1:${registrar.port}`,
          '401 Unauthorized',
          `REGISTER sip:127.0.0.1:${registrar.port} (with user name and password)`,
          '403 Forbidden',
        ],
      );
      const hole = await startBlackHole();
      t.teardown(hole.close);
      const silent = await lines.tryTrunk(trunkAt(hole.port), { from: own, to: callee });
      t.deepEqual(
        silent.map(({ result }) => result),
        ['skipped', 'failed', 'failed'],
      );
      t.regex(silent[2]?.sentence ?? '', /Nothing came back/);
    },
  );
});
