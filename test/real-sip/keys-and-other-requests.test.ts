/** Keys by INFO, and requests that are not done here, in a call and outside of one. */
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { withScriptedCalls } from './scripted-calls.ts';
import { ask, expectAnswer, invite, leave, pause, pickUp, ring } from './scripted-end.ts';

withScriptedCalls('keys and other requests', ({ callTo, callFrom }) => {
  realTimeTest('what is not done in a call is refused', async (t) => {
    const asked: readonly [string, readonly string[], number, string?][] = [
      ['REFER', ['Refer-To: <sip:01000000000@127.0.0.1>'], 603],
      ['MESSAGE', ['Content-Type: text/plain'], 405, 'Allow: INVITE'],
      ['PUBLISH', ['Event: presence'], 405, 'Allow: INVITE'],
      ['NOTIFY', ['Event: refer', 'Subscription-State: active'], 481],
      ['OPTIONS', [], 200, 'Allow: INVITE'],
    ];
    const { line, end, has, count } = await callTo(t, [
      ...ring,
      ...pickUp(),
      pause(300),
      ...asked.flatMap(([method, headers, status, header], index) => [
        ask(method, index + 1, { headers }),
        expectAnswer(status, header === undefined ? {} : { header }),
      ]),
      ...leave,
    ]);
    await has('line.answered');
    await until(async () => /^CSeq: 5 OPTIONS/m.test(await end.messages()));
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    t.is(count('line.failed'), 0);
  });

  realTimeTest('keys come by INFO, and other INFOs do no harm', async (t) => {
    const relay = (signal: string): string =>
      ask('INFO', 1, {
        headers: ['Content-Type: application/dtmf-relay'],
        sdp: `Signal= ${signal}\nDuration= 160`,
      });
    const plain = (signal: string): string =>
      ask('INFO', 1, { headers: ['Content-Type: application/dtmf'], sdp: signal });
    const { line, end, has, events } = await callTo(
      t,
      [
        ...ring,
        ...pickUp(),
        ...[relay('4'), relay('4'), relay('11'), plain('*'), plain('d')].flatMap((sent) => [
          sent,
          expectAnswer(200),
        ]),
        ask('INFO', 1),
        expectAnswer(200),
        ask('INFO', 1, { headers: ['Content-Type: application/media_control+xml'], sdp: '<media_control/>' }),
        expectAnswer(415, { header: 'Accept: application/dtmf-relay' }),
        ...leave,
      ].map((step, index) => step.replace('CSeq: 1 INFO', `CSeq: ${index} INFO`)),
    );
    await has('line.answered');
    await until(async () => /^SIP\/2.0 415/m.test(await end.messages()));
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    await has('line.ended');
    t.deepEqual(
      events.flatMap((event) => (event.type === 'line.digit' ? [event.digit] : [])),
      ['4', '4', '#', '*', 'D'],
    );
  });

  for (const method of ['MESSAGE', 'NOTIFY', 'PUBLISH', 'SUBSCRIBE', 'INFO'])
    realTimeTest(`${method} outside of a call is answered: that is not done here`, async (t) => {
      const headers = {
        NOTIFY: ['Event: refer', 'Subscription-State: active'],
        PUBLISH: ['Event: presence'],
        SUBSCRIBE: ['Event: presence', 'Expires: 60'],
      }[method];
      const { end, callers } = await callFrom(t, [
        invite({ headers: headers ?? [] }).replaceAll('INVITE', method),
        expectAnswer(405, { header: 'Allow: INVITE' }),
      ]);
      await t.notThrowsAsync(end.finished());
      t.is(callers(), 0);
    });
});
