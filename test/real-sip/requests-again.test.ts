/** Requests that arrive by another path, with a lower CSeq, or for an ended gateway, by raw UDP. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { ExecutionContext } from 'ava';
import type { LineEvent } from '#machines/line.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { onRealServers } from './on-real-servers.ts';
import { realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import type { SipServers } from './sip-servers.ts';
import { startDoomedGateway } from './start-doomed.ts';
import { headerIn, startUdpEnd } from './udp-end.ts';

/** A caller whose requests are written by the test. */
const startCaller = async (t: ExecutionContext, { sipPort }: SipServers) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  const { port } = socket.address();
  const answers: string[] = [];
  socket.on('message', (data, from) => {
    const text = data.toString();
    answers.push(text);
    if (text.startsWith('BYE '))
      socket.send(
        ['SIP/2.0 200 OK', ...text.split('\r\n').filter((line) => /^(via|from|to|call-id|cseq):/i.test(line)), 'Content-Length: 0', '', ''].join('\r\n'),
        from.port,
        '127.0.0.1',
      ); // oxfmt-ignore
  });
  const body = [
    'v=0',
    'o=far 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port + 1} RTP/AVP 0`,
    '',
  ].join('\r\n');

  const send = (
    method: string,
    callId: string,
    options: { cseq: number; branch: string; to?: string },
  ): void => {
    const hasBody = method === 'INVITE';
    const request = [
      `${method} sip:07012345678@127.0.0.1:${sipPort} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${callId}${options.branch}`,
      `From: <sip:01012345678@127.0.0.1>;tag=${callId}`,
      `To: ${options.to ?? '<sip:07012345678@127.0.0.1>'}`,
      `Call-ID: ${callId}`,
      `CSeq: ${options.cseq} ${method}`,
      `Contact: <sip:caller@127.0.0.1:${port}>`,
      'Max-Forwards: 70',
      ...(hasBody ? ['Content-Type: application/sdp'] : []),
      `Content-Length: ${hasBody ? Buffer.byteLength(body) : 0}`,
      '',
      hasBody ? body : '',
    ];
    socket.send(request.join('\r\n'), sipPort, '127.0.0.1');
  };
  /** The final response to the request with this branch. */
  const final = async (callId: string, branch: string): Promise<string> => {
    const isIt = (text: string): boolean =>
      /^SIP\/2\.0 [2-6]/.test(text) && headerIn(text, 'Via').includes(`branch=z9hG4bK${callId}${branch}`);
    await until(() => answers.some(isIt));
    return answers.find(isIt) ?? '';
  };
  return { send, final, answers };
};

onRealServers('requests that come again', (servers) => {
  realTimeTest('treats a rejected INVITE that arrives by another path as a new call', async (t) => {
    const lines = await realLines(servers(), 9);
    t.teardown(() => lines.close());
    let arrivals = 0;
    await lines.start(async () => {
      arrivals += 1;
      return { accepted: false, because: 'unknown_number' };
    });
    const { send, final } = await startCaller(t, servers());
    for (const branch of ['a', 'b']) {
      send('INVITE', 'again', { cseq: 1, branch });
      const answer = await final('again', branch);
      t.regex(answer, /^SIP\/2\.0 404 /);
      send('ACK', 'again', { cseq: 1, branch, to: headerIn(answer, 'To') });
    }
    t.is(arrivals, 2);
  });

  realTimeTest('ends the call on a BYE with a lower CSeq, as config/README.md states', async (t) => {
    const lines = await realLines(servers(), 9);
    t.teardown(() => lines.close());
    const events: LineEvent[] = [];
    await lines.start(async ({ callId, from, to }) => {
      setImmediate(() =>
        lines.open(lineInput({ callId, direction: 'inbound', from, to }), (event) => events.push(event)),
      );
      return { accepted: true };
    });
    const { send, final } = await startCaller(t, servers());
    send('INVITE', 'lower', { cseq: 10, branch: 'a' });
    const answer = await final('lower', 'a');
    t.regex(answer, /^SIP\/2\.0 200 /);
    const to = headerIn(answer, 'To');
    send('ACK', 'lower', { cseq: 10, branch: 'b', to });
    await until(() => events.some(({ type }) => type === 'line.answered'));
    send('BYE', 'lower', { cseq: 9, branch: 'c', to });
    // If a server answers 500 here, it lets the call continue: change the page then.
    t.regex(await final('lower', 'c'), /^SIP\/2\.0 200 /);
    await until(() => events.some(({ type }) => type === 'line.ended'));
  });

  realTimeTest(
    'rejects a refresh of a call without a gateway with 481, so that the far end ends it',
    async (t) => {
      const end = await startUdpEnd();
      t.teardown(end.close);
      const { drachtio, freeSwitch, sipPort } = servers();
      const doomed = await startDoomedGateway(t, { drachtio, freeSwitch }, { trunkPort: end.port });
      await doomed.answered();
      await doomed.kill();

      const socket = createSocket('udp4').bind(0, '127.0.0.1');
      await once(socket, 'listening');
      t.teardown(() => socket.close());
      const answers: string[] = [];
      socket.on('message', (data) => answers.push(data.toString()));
      const invite = end.heard.find(({ method }) => method === 'INVITE')?.text ?? '';
      t.is(headerIn(invite, 'Session-Expires'), '1800;refresher=uas');
      const update = [
        `UPDATE ${/<([^>]+)>/.exec(headerIn(invite, 'Contact'))?.[1] ?? ''} SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=z9hG4bKrefresh`,
        `From: ${headerIn(invite, 'To')};tag=far`,
        `To: ${headerIn(invite, 'From')}`,
        `Call-ID: ${headerIn(invite, 'Call-ID')}`,
        'CSeq: 1 UPDATE',
        `Contact: <sip:far@127.0.0.1:${end.port}>`,
        'Session-Expires: 1800;refresher=uac',
        'Max-Forwards: 70',
        'Content-Length: 0',
        '',
        '',
      ];
      socket.send(update.join('\r\n'), sipPort, '127.0.0.1');
      await until(() => answers.some((text) => /^SIP\/2\.0 [2-6]/.test(text)));
      t.regex(answers.at(-1) ?? '', /^SIP\/2\.0 481 /);
    },
  );
});
