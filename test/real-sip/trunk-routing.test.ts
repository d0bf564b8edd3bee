/** Where calls out go: what a trunk refuses another one carries, and where a trunk sends a call on to. */
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { answer, receive, startScripted } from './scripted-end.ts';
import { call, callee, trunkAt, withTrunkLines } from './trunk-lines.ts';

withTrunkLines('the routing of calls out', ({ servers, startTrunkFor, linesWith }) => {
  /** Answers one call with this. */
  const answersWith = (status: string, headers: string[] = []) =>
    startScripted(servers().folder, [
      receive('INVITE'),
      answer(status, { tag: true, headers }),
      receive('ACK'),
    ]);

  realTimeTest('a trunk that forbids the call, or gets too many, hands it to the next', async (t) => {
    const forbidding = await answersWith('403 Forbidden');
    t.teardown(forbidding.close);
    const busy = await answersWith('429 Too Many Requests', ['Retry-After: 60']);
    t.teardown(busy.close);
    const far = await startTrunkFor(t, 'silent');
    const lines = await linesWith(t, [
      trunkAt(forbidding.port, { name: 'forbidding', priority: 1 }),
      trunkAt(busy.port, { name: 'busy', priority: 2 }),
      trunkAt(far.port, { name: 'last', priority: 3 }),
    ]);
    t.like(await call(lines), { type: 'line.answered' });
    await t.notThrowsAsync(forbidding.finished());
    await t.notThrowsAsync(busy.finished());
    t.like(await call(lines), { type: 'line.answered' });
    t.is((await busy.messages()).match(/^INVITE sip:/gm)?.length, 1, 'it has asked to be left alone');
  });

  realTimeTest('a call goes where the trunk sends it on to, and stands there', async (t) => {
    const far = await startTrunkFor(t, 'silent');
    const sending = await answersWith('302 Moved Temporarily', [
      `Contact: <sip:${callee}@127.0.0.1:9>;q=0.1, <sip:${callee}@127.0.0.1:${far.port}>;q=0.9`,
    ]);
    t.teardown(sending.close);
    const lines = await linesWith(t, [trunkAt(sending.port, { redirects: 'same_host' })]);
    t.like(await call(lines), { type: 'line.answered', sip: { status: 200 } });
    await until(async () => /^BYE sip:/m.test(await far.messages()), 10_000);
    await t.notThrowsAsync(sending.finished());
  });

  realTimeTest('a redirect that the trunk does not allow ends the call', async (t) => {
    const far = await startTrunkFor(t, 'silent');
    const sending = await answersWith('302 Moved Temporarily', [
      `Contact: <sip:${callee}@127.0.0.1:${far.port}>`,
    ]);
    t.teardown(sending.close);
    const lines = await linesWith(t, [trunkAt(sending.port)]);
    t.like(await call(lines), { type: 'line.unanswered', cause: 'trunk_error', sip: { status: 302 } });
    t.notRegex(await far.messages(), /INVITE/);
  });
});
