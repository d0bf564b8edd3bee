/**
 * Session descriptions in SIP messages, as ladders: in multipart bodies, with several media, and changed before the
 * answer.
 */
import test, { type ExecutionContext } from 'ava';
import { bodyProblem, descriptionIn } from '#sip/drachtio/dialog/message-body.ts';
import type { TrunkMedia, TrunkSrtp } from '#src/domain/trunk.ts';
import type { FarCall } from '#test/doubles/far-end.ts';
import { describeSound, directionIn, formatsIn } from '#test/doubles/session-description.ts';
import { ownNumber, type SipEdge, startSipEdge, trunkAddress } from '#test/doubles/sip-edge.ts';
import { headerOf, type MessageParts, mustHave, type SipMessage } from '#test/doubles/sip-parser.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { callee, sdp, unanswered } from './outgoing-call.ts';

const carriers = ['freeswitch', 'direct'] as const;

const startOver = (
  t: ExecutionContext,
  media: TrunkMedia,
  srtp: TrunkSrtp = 'off',
  username?: string,
): Promise<SipEdge> => {
  const [host = '', port = ''] = trunkAddress.split(':');
  const at = { host, port: Number(port), inboundAddresses: [host] };
  const account = username === undefined ? {} : { username, password: 'secret' };
  return startSipEdge(t, { trunks: directoryOf([someTrunk({ ...at, ...account, media, srtp })]) });
};

const lines = (...all: readonly string[]): string => all.join('\r\n');

const location = lines('Content-Type: application/pidf+xml', '', '<presence/>', '');

const sdpPart = (description: string, ...headers: readonly string[]): string =>
  lines('Content-Type: application/sdp', ...headers, '', description);

const multipart = (parts: readonly string[], type = 'multipart/mixed;boundary=b'): MessageParts => ({
  headers: { 'Content-Type': type },
  body: lines(...parts.map((part) => `--b\r\n${part}`), '--b--', ''),
});

const withLocation = (description: string): MessageParts => multipart([sdpPart(description), location]);

/** An answered outbound call. */
const dialled = async (edge: SipEdge, answer: MessageParts = { sdp }) => {
  const line = edge.call(callee);
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(200, answer);
  await farCall.receives('ACK');
  await edge.said([line], 'line.answered');
  return { line, farCall };
};

// Message bodies

const message = (type: string, body: string, headers: Record<string, string> = {}) => {
  const all: Record<string, string> = { ...(type === '' ? {} : { 'Content-Type': type }), ...headers };
  return { has: (name: string) => name in all, get: (name: string) => all[name] ?? '', body };
};

const mixed = (...parts: readonly string[]): string => multipart(parts).body ?? '';

const isup = lines(
  'Content-Type: application/ISUP;version=itu-t92+',
  'Content-Disposition: signal;handling=optional',
  '',
  '\u0001\u0011H\u0000\ufffd\ufffd',
);
const other = sdp.replace('30000', '31000');

const described: readonly [string, ReturnType<typeof message>, string?][] = [
  ['alone', message('application/sdp', sdp)],
  ['with a parameter and in capital letters', message('Application/SDP ; charset="utf-8"', sdp)],
  ['without Content-Type', message('', sdp)],
  ['the first of two parts', message('multipart/mixed;boundary=b', mixed(sdpPart(sdp), location))],
  ['the second of two parts', message('multipart/mixed;boundary=b', mixed(isup, sdpPart(sdp)))],
  ['one part only', message('multipart/mixed; boundary=b', mixed(sdpPart(sdp)))],
  ['a quoted boundary', message('multipart/mixed; charset=x; boundary="b"', mixed(sdpPart(sdp), location))],
  [
    'a preamble and an epilogue',
    message(
      'multipart/mixed;boundary=b',
      `--not\r\n${sdpPart(other)}\r\n${mixed(sdpPart(sdp))}--b\r\n${sdpPart(other)}`,
    ),
  ],
  [
    'line breaks without CR',
    message('multipart/mixed;boundary=b', mixed(sdpPart(sdp)).replaceAll('\r', '')),
    `${sdp.replaceAll('\r', '').trimEnd()}\r\n`,
  ],
  [
    'spaces after the boundary',
    message('multipart/mixed;boundary=b', mixed(sdpPart(sdp)).replaceAll('--b\r', '--b \t\r')),
  ],
  ['no last boundary', message('multipart/mixed;boundary=b', mixed(sdpPart(sdp)).replace('--b--\r\n', ''))],
  [
    'a header in two lines',
    message('multipart/mixed;boundary=b', mixed(sdpPart(sdp).replace(': ', ':\r\n '))),
  ],
  [
    'nested parts',
    message(
      'multipart/mixed;boundary=b',
      mixed(
        location,
        lines('Content-Type: multipart/related;boundary=bb', '', '--bb', sdpPart(sdp), '--bb--', ''),
      ),
    ),
  ],
  [
    'the last of alternatives',
    message('multipart/alternative;boundary=b', mixed(sdpPart(other), sdpPart(sdp), location)),
  ],
  ['the first of mixed parts', message('multipart/mixed;boundary=b', mixed(sdpPart(sdp), sdpPart(other)))],
  [
    'skips the part of an early session',
    message(
      'multipart/mixed;boundary=b',
      mixed(
        sdpPart(other, 'Content-Disposition: early-session'),
        sdpPart(sdp, 'Content-Disposition: session'),
      ),
    ),
  ],
  [
    'in Base64',
    message(
      'multipart/mixed;boundary=b',
      mixed(sdpPart(Buffer.from(sdp).toString('base64'), 'Content-Transfer-Encoding: base64')),
    ),
  ],
  [
    'quoted-printable',
    message(
      'multipart/mixed;boundary=b',
      mixed(
        sdpPart(
          sdp.replaceAll('=', '=3D').replace('IP4', 'IP=\r\n4'),
          'Content-Transfer-Encoding: Quoted-Printable',
        ),
      ),
    ),
  ],
];
for (const [what, carrying, expected = sdp] of described)
  test(`finds the SDP in a message: ${what}`, (t) => {
    t.is(descriptionIn(carrying), expected);
    t.is(bodyProblem(carrying), undefined);
  });

const required = 'Content-Type: application/x-fare\r\nContent-Disposition: fare;handling=required\r\n\r\n1';

const unsupported: readonly [string, ReturnType<typeof message>][] = [
  ['text', message('text/plain', 'hello')],
  ['no Content-Type', message('', 'hello')],
  ['only Content-Location', message('multipart/mixed;boundary=b', mixed(location))],
  ['parts without a boundary', message('multipart/mixed', mixed(sdpPart(sdp)))],
  ['parts that never begin', message('multipart/mixed;boundary=c', mixed(sdpPart(sdp)))],
  ['a part with handling=required', message('multipart/mixed;boundary=b', mixed(sdpPart(sdp), required))],
  ['Content-Encoding', message('application/sdp', 'x', { 'Content-Encoding': 'gzip' })],
  ['Content-Encoding in short form', message('application/sdp', 'x', { 'Contact-Encoding': 'gzip' })],
  [
    'too deeply nested parts',
    message('multipart/mixed;boundary=b', mixed('Content-Type: multipart/mixed;boundary=b').repeat(9)),
  ],
];
for (const [what, carrying] of unsupported)
  test(`reports an unsupported body: ${what}`, (t) => {
    t.like(bodyProblem(carrying), { status: 415, headers: { Accept: 'application/sdp' } });
  });

const nothing: readonly [string, ReturnType<typeof message>][] = [
  ['no body', message('', '')],
  [
    'an optional body',
    message('text/plain', 'hello', { 'Content-Disposition': 'render; handling=optional' }),
  ],
  ['optional parts', message('multipart/mixed;boundary=b', mixed(isup))],
  [
    'a required alternative beside a known one',
    message('multipart/alternative;boundary=b', mixed(required, isup), {
      'Content-Disposition': 'x;handling=optional',
    }),
  ],
];
for (const [what, carrying] of nothing)
  test(`accepts a message without SDP: ${what}`, (t) => {
    t.is(descriptionIn(carrying), undefined);
    t.is(bodyProblem(carrying), undefined);
  });

test('ignores an unknown alternative beside a known one', (t) => {
  const carrying = message('multipart/alternative;boundary=b', mixed(required, sdpPart(sdp)));
  t.is(descriptionIn(carrying), sdp);
  t.is(bodyProblem(carrying), undefined);
});

for (const media of carriers) {
  test.serial(`${media}: answers a caller whose offer is one of several parts`, async (t) => {
    const { trunk, inbound, said } = await startOver(t, media);
    const farCall = trunk.calls(ownNumber, withLocation(sdp));
    t.deepEqual(formatsIn((await farCall.receives(200)).body), [0, 101]);
    farCall.sends('ACK');
    await said(inbound, 'line.answered');
  });

  test.serial(`${media}: accepts an answer with several parts, and its next offer`, async (t) => {
    const edge = await startOver(t, media);
    const { line, farCall } = await dialled(edge, withLocation(sdp));
    for (const method of ['INVITE', 'UPDATE']) {
      farCall.sends(method, withLocation(describeSound({ direction: 'sendonly' })));
      t.is(directionIn((await farCall.receives(200)).body), 'recvonly');
      if (method === 'INVITE') farCall.sends('ACK');
      await edge.said([line], 'line.held');
      farCall.sends('UPDATE', { sdp });
      await farCall.receives(200);
      await edge.until(() => line.story().at(-1) === 'line.resumed');
    }
    farCall.sends('INVITE');
    await farCall.receives(200);
    farCall.sends('ACK', withLocation(describeSound({ direction: 'inactive' })));
    await edge.until(() => line.story().at(-1) === 'line.held');
    t.deepEqual(line.breaches, []);
  });

  test.serial(`${media}: accepts an SDP answer in an ACK with several parts`, async (t) => {
    const { trunk, inbound, said } = await startOver(t, media);
    const farCall = trunk.calls(ownNumber);
    await farCall.receives(200);
    farCall.sends('ACK', withLocation(sdp));
    await t.notThrowsAsync(said(inbound, 'line.answered'));
  });
}

test.serial('uses the SDP answer of a multipart reliable 183 if the 200 has none', async (t) => {
  const { trunk, call, said, freeSwitches } = await startSipEdge(t);
  const line = call(callee);
  const farCall = await trunk.receives('INVITE');
  const { headers, ...body } = withLocation(describeSound({ port: 31_000 }));
  farCall.answers(183, { ...body, headers: { ...headers, Require: '100rel', RSeq: '7' } });
  await farCall.receives('PRACK');
  farCall.answers(200, { to: 'PRACK' });
  farCall.answers(200, { to: 'INVITE' });
  await farCall.receives('ACK');
  await said([line], 'line.answered');
  t.regex(freeSwitches[0]?.channels()[0]?.remoteSdp ?? '', /^m=audio 31000 /m);
});

const text = { headers: { 'Content-Type': 'text/plain' }, body: 'hello' };

test.serial(
  'rejects with 415 a request whose only body is unsupported, and continues the call',
  async (t) => {
    const edge = await startSipEdge(t);
    t.is(headerOf(await edge.trunk.calls(ownNumber, text).receives(415), 'Accept'), 'application/sdp');
    t.deepEqual(edge.arrivals, []);
    const { line, farCall } = await dialled(edge);
    for (const method of ['INVITE', 'UPDATE']) {
      farCall.sends(method, text);
      t.is(headerOf(await farCall.receives(415), 'Accept'), 'application/sdp');
    }
    farCall.sends('UPDATE', { sdp });
    await farCall.receives(200);
    t.deepEqual(line.story(), ['line.answered']);
  },
);

test.serial('sends BYE after an answer with only an unsupported body', async (t) => {
  const edge = await startSipEdge(t);
  const line = edge.call(callee);
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(200, text);
  await farCall.receives('ACK');
  await farCall.receives('BYE');
  farCall.answers(200);
  t.like(await unanswered(edge, line), { cause: 'media_error', sip: { status: 200 } });
});

test.serial('reports a DTMF digit by INFO within several parts and rejects any other body', async (t) => {
  const edge = await startSipEdge(t);
  const { line, farCall } = await dialled(edge);
  farCall.sends('INFO', multipart([location, 'Content-Type: application/dtmf-relay\r\n\r\nSignal=5\r\n']));
  await farCall.receives(200);
  await edge.said([line], 'line.digit');
  t.like(line.all('line.digit')[0], { digit: '5' });
  farCall.sends('INFO', multipart([location]));
  t.regex(mustHave(await farCall.receives(415), 'Accept'), /^application\/dtmf-relay, /);
});

test.serial('reads an adversarial Content-Type in linear time', async (t) => {
  const { trunk } = await startSipEdge(t);
  const { body = '' } = multipart([sdpPart(sdp)]);
  const type = `multipart/mixed${';boundary=b'.repeat(2_000)};x="\u2028"`;
  const farCall = trunk.calls(ownNumber, { headers: { 'Content-Type': type }, body });
  await t.notThrowsAsync(farCall.receives(200));
});

// Several media

const head = ['v=0', 'o=far 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'];
const describing = (...media: readonly string[]): string => lines(...head, ...media, '');

const key = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'A'.repeat(40)}`;
const optional = describing('m=audio 18000 RTP/SAVP 0', key, 'm=audio 18002 RTP/AVP 0');

const mediaLines = ({ body }: Pick<SipMessage, 'body'>): string[] =>
  [...body.matchAll(/^m=(\S+) (\d+) (\S+)/gm)].map(
    ([, kind, port, protocol]) => `${kind} ${port === '0' ? 'refused' : 'taken'} ${protocol}`,
  );

const choices: readonly [TrunkSrtp, string, string[]][] = [
  ['off', optional, ['audio refused RTP/SAVP', 'audio taken RTP/AVP']],
  ['optional', optional, ['audio taken RTP/SAVP', 'audio refused RTP/AVP']],
  ['required', optional, ['audio taken RTP/SAVP', 'audio refused RTP/AVP']],
  [
    'off',
    describing('m=audio 0 RTP/AVP 0', 'm=audio 18002 RTP/AVP 8'),
    ['audio refused RTP/AVP', 'audio taken RTP/AVP'],
  ],
  [
    'off',
    describing('m=audio 18000 RTP/AVP 18', 'm=audio 18002 RTP/AVP 8'),
    ['audio refused RTP/AVP', 'audio taken RTP/AVP'],
  ],
  [
    'off',
    describing('m=video 18004 RTP/AVP 96', 'm=audio 18000 RTP/AVP 0', 'm=image 18006 udptl t38'),
    ['video refused RTP/AVP', 'audio taken RTP/AVP', 'image refused udptl'],
  ],
];
for (const media of carriers)
  for (const [srtp, offer, answered] of choices) {
    // The double of FreeSWITCH does not support encryption.
    if (media === 'freeswitch' && srtp !== 'off') continue;
    test.serial(
      `${media}, srtp ${srtp}: answers ${JSON.stringify(offer.slice(62))} with ${answered.join(', ')}`,
      async (t) => {
        const { trunk, inbound, said, freeSwitches } = await startOver(t, media, srtp);
        const farCall = trunk.calls(ownNumber, { sdp: offer });
        const answer = await farCall.receives(200);
        t.deepEqual(mediaLines(answer), answered);
        farCall.sends('ACK');
        await said(inbound, 'line.answered');
        const [channel] = freeSwitches[0]?.channels() ?? [];
        if (channel !== undefined) t.is(channel.remoteSdp.match(/^m=/gm)?.length, 1);
        farCall.sends('INVITE', { sdp: offer });
        t.is((await farCall.receives(200)).body, answer.body, 'the same offer has the same answer');
        farCall.sends('ACK');
        farCall.sends('INVITE');
        t.deepEqual(mediaLines(await farCall.receives(200)), answered, 'our own offer keeps the media');
        farCall.sends('ACK');
      },
    );
  }

const heard: readonly [string, string[], string][] = [
  [
    'a rejected video is inactive',
    ['m=audio 18000 RTP/AVP 0', 'm=video 0 RTP/AVP 96', 'a=inactive'],
    'sendrecv',
  ],
  ['everything but audio is inactive', ['a=inactive', 'm=audio 18000 RTP/AVP 0', 'a=sendrecv'], 'sendrecv'],
  ['video is sendonly', ['m=audio 18000 RTP/AVP 0', 'm=video 18002 RTP/AVP 96', 'a=sendonly'], 'sendrecv'],
  [
    'a second audio is inactive',
    ['m=audio 18000 RTP/AVP 0', 'm=audio 18002 RTP/AVP 0', 'a=inactive'],
    'sendrecv',
  ],
  [
    'the selected one of two audios is sendonly',
    ['m=audio 18000 RTP/SAVP 0', key, 'm=audio 18002 RTP/AVP 0', 'a=sendonly'],
    'recvonly',
  ],
  ['the session is sendonly', ['a=sendonly', 'm=audio 18000 RTP/AVP 0'], 'recvonly'],
];
for (const media of carriers)
  for (const [what, offered, ours] of heard)
    test.serial(`${media}: the answer is ${ours} if in the offer ${what}`, async (t) => {
      const edge = await startOver(t, media);
      const { line, farCall } = await dialled(edge);
      farCall.sends('UPDATE', { sdp: describing(...offered) });
      t.is(directionIn((await farCall.receives(200)).body), ours);
      if (ours === 'recvonly') await edge.said([line], 'line.held');
      farCall.sends('OPTIONS');
      await farCall.receives(200);
      t.is(line.saw('line.held'), ours === 'recvonly');
    });

for (const media of carriers)
  test.serial(`${media}: rejects an IPv6 offer without IPv6, before and within a call`, async (t) => {
    const edge = await startOver(t, media);
    const other = sdp.replace('c=IN IP4 127.0.0.1', 'c=IN IP6 2001:db8::1');
    const warning = async (farCall: FarCall) => headerOf(await farCall.receives(488), 'Warning') ?? '';
    t.regex(await warning(edge.trunk.calls(ownNumber, { sdp: other })), /^300 trunkline "/);
    t.deepEqual(edge.arrivals, []);
    const { farCall } = await dialled(edge);
    farCall.sends('UPDATE', { sdp: other });
    t.regex(await warning(farCall), /^300 trunkline "/);
  });

// A re-INVITE without an offer

const originIn = ({ body }: Pick<SipMessage, 'body'>) => {
  const [, session, version] = /^o=(\S+ \S+) (\d+) /m.exec(body) ?? [];
  return { session, version: Number(version) };
};
const withoutOrigin = ({ body }: Pick<SipMessage, 'body'>): string => body.replace(/^o=.*\r\n/m, '');

for (const media of carriers) {
  test.serial(
    `${media}: offers audio in both directions during a hold, which the answer may end`,
    async (t) => {
      const edge = await startOver(t, media);
      const { line, farCall } = await dialled(edge);
      farCall.sends('INVITE', { sdp: describeSound({ direction: 'inactive' }) });
      const held = await farCall.receives(200);
      farCall.sends('ACK');
      await edge.said([line], 'line.held');

      farCall.sends('INVITE');
      const offer = await farCall.receives(200);
      t.is(withoutOrigin(offer), withoutOrigin(held).replace('a=inactive', 'a=sendrecv'));
      const { session, version } = originIn(held);
      t.deepEqual(originIn(offer), { session, version: version + 1 });
      farCall.sends('ACK', { sdp: describeSound({ direction: 'sendonly' }) });
      farCall.sends('OPTIONS');
      await farCall.receives(200);
      farCall.sends('INVITE');
      t.is((await farCall.receives(200)).body, offer.body, 'the same offer has the same version');
      t.deepEqual(line.story(), ['line.answered', 'line.held']);
      farCall.sends('ACK', { sdp });
      await edge.said([line], 'line.resumed');

      farCall.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
      const heldAgain = await farCall.receives(200);
      t.is(directionIn(heldAgain.body), 'recvonly');
      t.deepEqual(originIn(heldAgain), { session, version: version + 2 });
      farCall.sends('ACK');
      await edge.until(() => line.all('line.held').length === 2);
      t.deepEqual(line.story(), ['line.answered', 'line.held', 'line.resumed', 'line.held']);
    },
  );

  test.serial(`${media}: repeats the offer of its INVITE in an unchanged session`, async (t) => {
    const [host = '', port = ''] = trunkAddress.split(':');
    const trunk = someTrunk({ host, port: Number(port), media, codecs: ['PCMA'] });
    const edge = await startSipEdge(t, { trunks: directoryOf([trunk]) });
    const { farCall } = await dialled(edge, { sdp: describeSound({ formats: [8, 101] }) });
    farCall.sends('INVITE');
    t.is((await farCall.receives(200)).body, farCall.last('INVITE').body);
    farCall.sends('ACK', { sdp: describeSound({ formats: [8, 101] }) });
  });
}

// Offers that cross

test.serial(
  'rejects an offer during another one with 500, and during an offer of the gateway with 491',
  async (t) => {
    const edge = await startSipEdge(t);
    const { farCall, line } = await dialled(edge);
    farCall.sends('UPDATE', { sdp: describeSound({ port: 31_000 }) });
    farCall.sends('UPDATE', { sdp: describeSound({ port: 32_000 }) });
    t.regex(mustHave(await farCall.receives(500), 'Retry-After'), /^(?:\d|10)$/);
    await farCall.receives(200);
    t.regex(edge.freeSwitches[0]?.channels()[0]?.remoteSdp ?? '', /^m=audio 31000 /m);
    farCall.sends('INVITE');
    await farCall.receives(200);
    farCall.sends('UPDATE', { sdp });
    await farCall.receives(491);
    farCall.sends('ACK', { sdp });
    farCall.sends('UPDATE', { sdp });
    await farCall.receives(200);
    t.deepEqual(line.story(), ['line.answered']);
  },
);

test.serial('answers an offer that arrives at the same time as the answer of its call', async (t) => {
  const edge = await startSipEdge(t);
  const line = edge.call(callee);
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(200, { sdp });
  farCall.sends('UPDATE', { sdp: describeSound({ port: 32_000, formats: [8, 0, 101] }) });
  await farCall.receives('ACK');
  t.deepEqual(formatsIn((await farCall.receives(200)).body), [8, 101]);
  await edge.said([line], 'line.answered');
  t.regex(edge.freeSwitches[0]?.channels()[0]?.remoteSdp ?? '', /^m=audio 32000 /m);
});

// Changes before the answer

const reliable = (description: string): MessageParts => ({
  sdp: description,
  headers: { Require: '100rel', RSeq: '1' },
});

/** The callee has sent its SDP in a reliable 183. */
const ringingBack = async (farCall: FarCall): Promise<void> => {
  farCall.answers(183, reliable(describeSound({ port: 31_000, formats: [0, 8, 101] })));
  await farCall.receives('PRACK');
  farCall.answers(200, { to: 'PRACK' });
};

const challenge = { 'Proxy-Authenticate': 'Digest realm="t", nonce="n1", qop="auth"' };

for (const media of carriers)
  for (const isChallenged of [false, true])
    test.serial(
      `${media}: answers UPDATE before the answer and uses its SDP for the call${isChallenged ? ', after a challenge, too' : ''}`,
      async (t) => {
        const edge = await startOver(t, media, 'off', isChallenged ? 'gateway' : undefined);
        const line = edge.call(callee);
        const farCall = await edge.trunk.receives('INVITE');
        if (isChallenged) {
          farCall.answers(407, { headers: challenge });
          await farCall.receives('INVITE');
        }
        await ringingBack(farCall);
        farCall.sends('UPDATE', { sdp: describeSound({ port: 32_000, formats: [8, 0, 101] }) });
        const answer = await farCall.receives(200);
        t.deepEqual(formatsIn(answer.body), [8, 101], 'one codec');
        t.regex(answer.body, /^o=\S+ \S+ \d+ /m);
        farCall.sends('UPDATE');
        t.is((await farCall.receives(200)).body, '');
        farCall.answers(200, { to: 'INVITE' });
        await farCall.receives('ACK');
        await edge.said([line], 'line.answered');
        const [channel] = edge.freeSwitches[0]?.channels() ?? [];
        if (channel !== undefined) t.regex(channel.remoteSdp, /^m=audio 32000 RTP\/AVP 8 101\r$/m);
        farCall.sends('INVITE');
        t.is((await farCall.receives(200)).body, answer.body, 'ours is what was agreed on');
        farCall.sends('ACK');
        line.tell({ type: 'hangUp' });
        await farCall.receives('BYE');
        farCall.answers(200);
        await edge.said([line], 'line.ended');
        if (media === 'direct') t.regex(line.all('line.ended')[0]?.sound?.remoteAddress ?? '', /:32000$/);
      },
    );

test.serial('keeps the session unchanged after an unacceptable early UPDATE', async (t) => {
  const { trunk, call, said, freeSwitches } = await startSipEdge(t);
  const line = call(callee);
  const farCall = await trunk.receives('INVITE');
  await ringingBack(farCall);
  farCall.sends('UPDATE', { sdp: describeSound({ formats: [18, 101] }) });
  t.regex(mustHave(await farCall.receives(488), 'Warning'), /^399 trunkline "/);
  farCall.sends('UPDATE', text);
  await farCall.receives(415);
  farCall.answers(200, { to: 'INVITE' });
  await farCall.receives('ACK');
  await said([line], 'line.answered');
  t.regex(freeSwitches[0]?.channels()[0]?.remoteSdp ?? '', /^m=audio 31000 /m);
});

test.serial(
  'rejects UPDATE while an offer of the gateway is unanswered or another UPDATE is being answered',
  async (t) => {
    const { trunk, call } = await startSipEdge(t);
    call(callee);
    const farCall = await trunk.receives('INVITE');
    farCall.answers(180, { headers: { Require: '100rel', RSeq: '1' } });
    await farCall.receives('PRACK');
    farCall.answers(200, { to: 'PRACK' });
    farCall.sends('UPDATE', { sdp });
    await farCall.receives(491);
    farCall.answers(183, { ...reliable(sdp), to: 'INVITE' });
    await farCall.receives('PRACK');
    farCall.answers(200, { to: 'PRACK' });
    farCall.sends('UPDATE', { sdp: describeSound({ port: 32_000 }) });
    farCall.sends('UPDATE', { sdp: describeSound({ port: 33_000 }) });
    t.regex(mustHave(await farCall.receives(500), 'Retry-After'), /^(?:\d|10)$/);
    t.regex((await farCall.receives(200)).body, /^m=audio /m);
  },
);

test.serial('uses the changed session for a call that is answered during an UPDATE', async (t) => {
  const { trunk, call, said, freeSwitches } = await startSipEdge(t);
  const line = call(callee);
  const farCall = await trunk.receives('INVITE');
  await ringingBack(farCall);
  farCall.sends('UPDATE', { sdp: describeSound({ port: 32_000 }) });
  farCall.answers(200, { to: 'INVITE', sdp: describeSound({ port: 31_000 }) });
  await farCall.receives('ACK');
  await farCall.receives(200);
  await said([line], 'line.answered');
  t.regex(freeSwitches[0]?.channels()[0]?.remoteSdp ?? '', /^m=audio 32000 /m);
});
