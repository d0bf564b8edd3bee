/** Trunks and callers by sipp, and the messages that they accept and send. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownPort } from './ports.ts';
import { endProcess, start } from './sip-servers.ts';
import { startSipp } from './start-sipp.ts';

/** One file in `far-ends` each; `silent` and `busy` are ordinary callees, which do not challenge. */
export type TrunkEnd =
  | 'trunk-challenging'
  | 'trunk-unavailable'
  | 'trunk-registrar'
  | 'trunk-options'
  | 'silent'
  | 'busy'
  | 'unattended';

let count = 0;

const logFileIn = (folder: string, name: string): string => join(folder, `${name}-${(count += 1)}.log`);

/** A trunk for any number of calls. `messages` are its received and sent messages, as text. */
export const startTrunk = async (
  end: TrunkEnd,
  folder: string,
  { port, transport = 'udp' }: { port?: number; transport?: 'udp' | 'tcp' } = {},
) => {
  const file = fileURLToPath(new URL(`far-ends/${end}.xml`, import.meta.url));
  for (let tries = 1; ; tries += 1) {
    const own = port ?? (await ownPort());
    const logFile = logFileIn(folder, end);
    const messageFile = `${logFile}.messages`;
    const child = await startSipp(
      ['-sf', file, '-t', transport === 'tcp' ? 't1' : 'u1', '-trace_msg', '-message_file', messageFile],
      { port: own, rtpPort: await ownPort(4), transport },
      logFile,
    );
    if (child.exitCode === null)
      return {
        port: own,
        messages: () => readFile(messageFile, 'utf8').catch(() => ''),
        close: () => endProcess(child),
      };
    if (tries === 3) throw new Error(`sipp did not start: ${await readFile(logFile, 'utf8')}`);
  }
};

/** A port that accepts packets and never responds. */
export const startBlackHole = async () => {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => void socket.close() };
};

const media = (line: string): string =>
  ['v=0', 'o=far 1 1 IN IP4 [local_ip]', 's=-', 'c=IN IP4 [media_ip]', 't=0 0', line].join('\n');

export const offers = {
  good: media('m=audio [auto_media_port] RTP/AVP 0 8'),
  video: media('m=video [auto_media_port] RTP/AVP 99'),
  'G.729 alone': media('m=audio [auto_media_port] RTP/AVP 18'),
  encrypted: [
    media('m=audio [auto_media_port] RTP/SAVP 0 8'),
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'A'.repeat(40)}`,
  ].join('\n'),
  malformed: 'v=0\nnonsense',
} as const;

const message = (...lines: string[]): string => `<send><![CDATA[\n${lines.join('\n')}\n\n]]></send>`;

const request = (method: string, cseq: number, to: string, ...more: string[]): string =>
  message(
    `${method} sip:[service]@[remote_ip]:[remote_port] SIP/2.0`,
    method === 'ACK' ? '[last_Via:]' : 'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
    'From: <sip:01012345678@[local_ip]:[local_port]>;tag=[pid]far[call_number]',
    to,
    'Call-ID: [call_id]',
    `CSeq: ${cseq} ${method}`,
    'Contact: <sip:caller@[local_ip]:[local_port]>',
    'Max-Forwards: 70',
    ...more,
  );

/** A caller that expects the response `status`; `password` is that of the account `gw`, for a challenge. */
const scenario = (
  status: number,
  offer: string,
  { password, headers = [] }: { password?: string; headers?: readonly string[] },
): string => {
  const stranger = 'To: <sip:[service]@[remote_ip]:[remote_port]>';
  const known = '[last_To:]';
  const invite = (cseq: number, ...more: string[]): string =>
    request(
      'INVITE',
      cseq,
      stranger,
      ...more,
      ...headers,
      'Content-Type: application/sdp',
      'Content-Length: [len]',
      '',
      offer,
    );
  const without = (method: string, cseq: number): string => request(method, cseq, known, 'Content-Length: 0');
  const last = password === undefined ? 1 : 2;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<scenario name="caller">',
    invite(1),
    '<recv response="100" optional="true"/>',
    ...(password === undefined
      ? []
      : [
          '<recv response="401" auth="true"/>',
          without('ACK', 1),
          invite(2, `[authentication username=gw password=${password}]`),
          '<recv response="100" optional="true"/>',
        ]),
    `<recv response="${status}"/>`,
    without('ACK', last),
    ...(status === 200
      ? ['<pause milliseconds="300"/>', without('BYE', last + 1), '<recv response="200"/>']
      : []),
    '</scenario>',
  ].join('\n');
};

/** Calls once. Resolves to whether all went as expected, the messages, and the duration. */
export const callIn = async (
  folder: string,
  options: {
    sipPort: number;
    to: string;
    expect: number;
    offer?: string;
    password?: string;
    headers?: readonly string[];
  },
): Promise<{ asExpected: boolean; messages: string; tookMs: number }> => {
  const logFile = logFileIn(folder, 'caller');
  const file = `${logFile}.xml`;
  await writeFile(file, scenario(options.expect, options.offer ?? offers.good, options));
  const begun = Date.now();
  const child = start(
    'sipp',
    [
      ['-sf', file, '-i', '127.0.0.1', '-p', String(await ownPort()), '-mp', String(await ownPort(4))],
      ['-m', '1', '-s', options.to, '-nostdin', '-timeout', '15', '-trace_msg'],
      ['-message_file', `${logFile}.messages`, `127.0.0.1:${options.sipPort}`],
    ].flat(),
    logFile,
  );
  await once(child, 'exit');
  return {
    asExpected: child.exitCode === 0,
    messages: await readFile(`${logFile}.messages`, 'utf8').catch(() => ''),
    tookMs: Date.now() - begun,
  };
};
