/** Far ends by sipp whose scenario is written by the test, step by step. */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownPort } from './ports.ts';
import { endProcess } from './sip-servers.ts';
import { startSipp } from './start-sipp.ts';

const message = (...lines: string[]): string => `<![CDATA[\n${lines.join('\n')}\n\n]]>`;

const bodyLines = (sdp: string | undefined, headers: readonly string[]): string[] =>
  sdp === undefined
    ? [...headers, 'Content-Length: 0']
    : [
        ...(headers.some((header) => header.startsWith('Content-Type'))
          ? []
          : ['Content-Type: application/sdp']),
        ...headers,
        'Content-Length: [len]',
        '',
        sdp,
      ];

export type Body = { headers?: readonly string[]; sdp?: string };

/** The far end's SDP; its audio is at the port of the key "ear". */
export const soundAt = (...attributes: string[]): string =>
  [
    'v=0',
    'o=far 1 1 IN IP4 [local_ip]',
    's=-',
    'c=IN IP4 [media_ip]',
    't=0 0',
    'm=audio [ear] RTP/AVP 0 101',
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    ...attributes,
  ].join('\n');

/** Like `soundAt`, with an SRTP key. The ear hears encrypted audio as noise. */
export const encryptedSoundAt = (...attributes: string[]): string =>
  soundAt(`a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'A'.repeat(40)}`, ...attributes).replace(
    'RTP/AVP',
    'RTP/SAVP',
  );

/** A body with this SDP before a location (RFC 5621). */
export const besideLocation = (sdp: string): Body => ({
  headers: ['Content-Type: multipart/mixed;boundary="far end"'],
  sdp: [
    ['--far end', 'Content-Type: application/sdp', '', sdp],
    ['--far end', 'Content-Type: application/pidf+xml', '', '<presence/>'],
    ['--far end--'],
  ]
    .flat()
    .join('\n'),
});

const kept = `<action>
  <ereg regexp="sip:[0-9A-Za-z.:@_-]*" search_in="hdr" header="Contact:" assign_to="contact"/>
  <ereg regexp=".*" search_in="hdr" header="From:" assign_to="from"/>
  <ereg regexp=".*" search_in="hdr" header="To:" assign_to="to"/>
  <ereg regexp="m=audio ([0-9]+)" search_in="body" assign_to="media,port"/>
</action>`;

/** Waits for a request; of an INVITE, it stores the data for later requests and the address of our audio. */
export const receive = (method: string): string =>
  method === 'INVITE' ? `<recv request="INVITE">${kept}</recv>` : `<recv request="${method}"/>`;

/** Like `receive('INVITE')`, but it can be answered after another request, by `answerKept`. */
export const receiveAndKeep = (): string =>
  receive('INVITE').replace(
    '</action>',
    ['CSeq', 'Via']
      .map((name) => `<ereg regexp=".*" search_in="hdr" header="${name}:" assign_to="${name}"/>`)
      .join('')
      .concat('</action>'),
  );

export const answerKept = (...given: Parameters<typeof answer>): string =>
  answer(...given)
    .replace('[last_CSeq:]', 'CSeq:[$CSeq]')
    .replace('[last_Via:]', 'Via:[$Via]')
    .replace('[last_To:]', 'To:[$to]');

/** Waits for an INVITE, and jumps to this label if it contains these words. */
export const receiveOrGo = (words: string, label: string): string =>
  `<recv request="INVITE" test="held" next="${label}">${kept.replace(
    '</action>',
    `<ereg regexp="${words}" search_in="msg" assign_to="held"/></action>`,
  )}</recv>`;

export const label = (name: string): string => `<label id="${name}"/>`;

/** Answers the last request; `tag` only in answers to the INVITE that began the call. */
export const answer = (
  status: string,
  { tag = false, headers = [], sdp }: Body & { tag?: boolean | string } = {},
): string =>
  `<send>${message(
    `SIP/2.0 ${status}`,
    '[last_Via:]',
    '[last_From:]',
    `[last_To:]${tag === false ? '' : `;tag=${tag === true ? '[pid]far[call_number]' : tag}`}`,
    '[last_Call-ID:]',
    '[last_CSeq:]',
    'Contact: <sip:[local_ip]:[local_port];transport=[transport]>',
    ...bodyLines(sdp, headers),
  )}</send>`;

/** Sends a request within the call. */
export const ask = (method: string, cseq: number, { headers = [], sdp }: Body = {}): string =>
  `<send>${message(
    `${method} [$contact] SIP/2.0`,
    'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
    'From:[$to];tag=[pid]far[call_number]',
    'To:[$from]',
    '[last_Call-ID:]',
    `CSeq: ${cseq} ${method}`,
    'Contact: <sip:[local_ip]:[local_port];transport=[transport]>',
    'Max-Forwards: 70',
    ...bodyLines(sdp, headers),
  )}</send>`;

/** Waits for a response with this status that matches this expression. */
export const expectAnswer = (status: number, fits?: { header?: string; body?: string }): string => {
  const checks = [
    fits?.header === undefined
      ? ''
      : `<ereg regexp="${fits.header}" search_in="msg" check_it="true" assign_to="checked"/>`,
    fits?.body === undefined
      ? ''
      : `<ereg regexp="${fits.body}" search_in="body" check_it="true" assign_to="checked"/>`,
  ].join('');
  return `<recv response="100" optional="true"/><recv response="${status}">${
    checks === '' ? '' : `<action>${checks}</action>`
  }</recv>`;
};

const called = 'sip:[service]@[remote_ip]:[remote_port]';

/** A caller's INVITE. */
export const invite = ({ headers = [], sdp }: Body): string =>
  `<send>${message(
    `INVITE ${called} SIP/2.0`,
    'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
    'From: <sip:01012345678@[local_ip]:[local_port]>;tag=[pid]far[call_number]',
    `To: <${called}>`,
    'Call-ID: [call_id]',
    'CSeq: 1 INVITE',
    'Contact: <sip:caller@[local_ip]:[local_port]>',
    'Max-Forwards: 70',
    ...bodyLines(sdp, headers),
  )}</send>`;

/** A caller's ACK; `kept` for a rejection, to whose transaction the ACK belongs. */
export const acknowledge = (transaction: 'new' | 'kept' = 'new', { headers = [], sdp }: Body = {}): string =>
  `<send>${message(
    `ACK ${called} SIP/2.0`,
    transaction === 'kept'
      ? '[last_Via:]'
      : 'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
    '[last_From:]',
    '[last_To:]',
    '[last_Call-ID:]',
    'CSeq: 1 ACK',
    'Contact: <sip:caller@[local_ip]:[local_port]>',
    'Max-Forwards: 70',
    ...bodyLines(sdp, headers),
  )}</send>`;

export const pause = (milliseconds: number): string => `<pause milliseconds="${milliseconds}"/>`;

/** Sends the target of the audio to the `EarAndMouth`. */
export const tellTheEar =
  '<nop><action><exec command="bash -c \'echo call [$port] > /dev/udp/127.0.0.1/[ear]\'"/></action></nop>';

/** The usual beginning and end of a call that the far end answers. */
export const ring = [receive('INVITE'), answer('180 Ringing', { tag: true }), pause(100)];
export const pickUp = (body: Body = { sdp: soundAt() }): string[] => [
  answer('200 OK', { tag: true, ...body }),
  receive('ACK'),
];
export const leave = [receive('BYE'), answer('200 OK')];

let count = 0;

export type ScriptedEnd = {
  port: number;
  /** Received and sent messages of the far end. */
  messages(): Promise<string>;
  /** Resolves if the scenario succeeded, and rejects with sipp's message otherwise. */
  finished(): Promise<void>;
  close(): Promise<void>;
};

/** Starts a far end that accepts this many calls, or makes one to `dial`, a port of loopback. */
export const startScripted = async (
  folder: string,
  steps: readonly (string | readonly string[])[],
  {
    ear,
    dial,
    to = '07012345678',
    calls = 1,
    repeats = true,
  }: {
    ear?: number;
    dial?: number;
    to?: string;
    calls?: number;
    /** `false` disables sipp's retransmissions, spontaneous ones and those in response to one. */
    repeats?: boolean;
  } = {},
): Promise<ScriptedEnd> => {
  for (let tries = 1; ; tries += 1) {
    const port = await ownPort();
    const name = join(folder, `scripted-${(count += 1)}`);
    const file = `${name}.xml`;
    const scenario = steps.flat().join('\n');
    const variables = [...scenario.matchAll(/assign_to="([^"]+)"/g)].flatMap(([, names = '']) =>
      names.split(','),
    );
    await writeFile(
      file,
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<scenario name="scripted">',
        scenario,
        // sipp considers an unused variable an error.
        variables.length === 0 ? '' : `<Reference variables="${[...new Set(variables)].join()}"/>`,
        '</scenario>',
      ].join('\n'),
    );
    const child = await startSipp(
      [
        [
          '-sf',
          file,
          '-m',
          String(calls),
          '-timeout',
          '60',
          '-trace_msg',
          '-message_file',
          `${name}.messages`,
        ],
        ['-key', 'ear', String(ear ?? (await ownPort()))],
        repeats ? [] : ['-nr'],
        dial === undefined ? [] : ['-s', to, `127.0.0.1:${dial}`],
      ].flat(),
      { port, rtpPort: await ownPort(4) },
      `${name}.log`,
    );
    if (child.exitCode === null || child.exitCode === 0)
      return {
        port,
        messages: () => readFile(`${name}.messages`, 'utf8').catch(() => ''),
        async finished() {
          if (child.exitCode === null) await once(child, 'exit');
          if (child.exitCode !== 0)
            throw new Error(
              `sipp ended with ${child.exitCode}: ${await readFile(`${name}.log`, 'utf8')} ${await readFile(`${name}.messages`, 'utf8')}`,
            );
        },
        close: () => endProcess(child),
      };
    if (tries === 3) throw new Error(`sipp did not start: ${await readFile(`${name}.log`, 'utf8')}`);
  }
};
