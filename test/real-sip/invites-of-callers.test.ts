/** Inbound calls: codecs, unacceptable offers, retransmissions. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Trunk, TrunkSrtp } from '#src/domain/trunk.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startEar, withScriptedCalls } from './scripted-calls.ts';
import {
  acknowledge,
  besideLocation,
  expectAnswer,
  invite,
  leave,
  pause,
  soundAt,
  tellTheEar,
  type Body,
} from './scripted-end.ts';

const allowing = (terms: Partial<Trunk>) => ({
  trunk: null,
  trunks: directoryOf([someTrunk({ host: '127.0.0.1', inboundAddresses: ['127.0.0.1'], ...terms })]),
});

/** The offered codecs, those of the trunk, and the chosen one. */
const voices: readonly [string, Trunk['codecs'], number][] = [
  ['8 0', null, 8],
  ['0 8', null, 0],
  ['0 8', ['PCMA'], 8],
  ['18 8 0', ['PCMU', 'PCMA'], 0],
  ['18 0 8', ['PCMA', 'PCMU'], 8],
];

withScriptedCalls('INVITEs of callers', ({ callFrom }) => {
  for (const [formats, codecs, voice] of voices)
    realTimeTest(
      `answers with ${voice} and sends it: offer of ${formats}, trunk with ${codecs?.join() ?? 'all codecs'}`,
      async (t) => {
        const ear = await startEar(t);
        const sdp = soundAt('a=rtpmap:8 PCMA/8000', 'a=rtpmap:18 G729/8000').replace(
          'RTP/AVP 0 101',
          `RTP/AVP ${formats} 101`,
        );
        const { line, end, has } = await callFrom(
          t,
          [
            invite({ sdp }),
            '<recv response="100" optional="true"/>',
            `<recv response="200"><action>
              <ereg regexp="m=audio ([0-9]+) RTP/AVP ${voice} 101[^0-9 ]" search_in="body" check_it="true" assign_to="media,port"/>
            </action></recv>`,
            acknowledge(),
            tellTheEar,
            ...leave,
          ],
          { ear, ...allowing({ codecs }) },
        );
        await has('line.answered');
        line.tell({ type: 'say', utterance: 1, text: 'Which codec is this said in?' });
        await until(() => ear.payloadTypes().size > 0);
        await delay(500);
        t.deepEqual([...ear.payloadTypes()], [voice]);
        line.tell({ type: 'hangUp' });
        await t.notThrowsAsync(end.finished());
      },
    );

  const key = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'A'.repeat(40)}`;
  const bothWays = { sdp: soundAt().replace('m=audio', `m=audio 9 RTP/SAVP 0\n${key}\nm=audio`) };
  const inClear = 'm=audio 0 RTP/SAVP 0.*m=audio [1-9][0-9]* RTP/AVP 0 101';
  const encrypted = 'm=audio [1-9][0-9]* RTP/SAVP 0.*a=crypto:1 .*m=audio 0 RTP/AVP 0 101';
  const taken: readonly [string, TrunkSrtp, Body, string][] = [
    ['one part of a body', 'off', besideLocation(soundAt()), 'm=audio [1-9][0-9]* RTP/AVP 0 101'],
    ['of encrypted audio, and of the same in clear', 'off', bothWays, inClear],
    ['of encrypted audio, and of the same in clear', 'optional', bothWays, encrypted],
    ['of encrypted audio, and of the same in clear', 'required', bothWays, encrypted],
    [
      'of a video that is inactive',
      'off',
      { sdp: soundAt('m=video 0 RTP/AVP 96', 'a=inactive') },
      'm=audio [1-9][0-9]* RTP/AVP 0 101.*m=video 0',
    ],
  ];
  for (const media of ['freeswitch', 'direct'] as const)
    for (const [what, srtp, body, fits] of taken)
      realTimeTest(`${media}, srtp ${srtp}: answers an offer that is ${what}`, async (t) => {
        const { line, end, has } = await callFrom(
          t,
          [invite(body), expectAnswer(200, { body: fits }), acknowledge(), ...leave],
          allowing({ media, srtp }),
        );
        await has('line.answered');
        line.tell({ type: 'hangUp' });
        await t.notThrowsAsync(end.finished());
      });

  const problems: readonly [string, string[], number, string?, string?][] = [
    ['requires what is not known', ['Require: timer, foo'], 420, 'Unsupported: foo'],
    ['has no hop left', ['Max-Forwards: 0'], 483],
    ['carries no description', ['Content-Type: text/plain'], 415, 'Accept: application/sdp'],
    ['offers IPv6', [], 488, 'Warning: 300 ', soundAt().replace('IP4 [media_ip]', 'IP6 2001:db8::1')],
  ];
  for (const [what, headers, status, header, sdp = soundAt()] of problems)
    realTimeTest(`rejects with ${status} a call that ${what}`, async (t) => {
      const asked = invite({ headers, sdp });
      const { end, callers } = await callFrom(t, [
        status === 483 ? asked.replace('Max-Forwards: 70\n', '') : asked,
        expectAnswer(status, header === undefined ? {} : { header }),
        acknowledge('kept'),
      ]);
      await t.notThrowsAsync(end.finished());
      t.is(callers(), 0);
    });

  realTimeTest('treats a retransmitted INVITE as one call', async (t) => {
    const same = invite({ sdp: soundAt() }).replace('branch=[branch]', 'branch=z9hG4bKsame[pid]');
    const { line, end, has, count, callers } = await callFrom(t, [
      same,
      '<recv response="100"/>',
      same,
      expectAnswer(200),
      pause(1_200),
      acknowledge(),
      ...leave,
    ]);
    await has('line.answered');
    await delay(2_000);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    t.is(callers(), 1);
    t.is(count('line.answered'), 1);
    t.true(
      ((await end.messages()).match(/^SIP\/2.0 200 OK/gm) ?? []).length >= 2,
      'the answer is sent again',
    );
  });
});
