/** A gateway with simulated lines that has one of everything, so that no page of the console is empty. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { until } from '#test/helpers/until.ts';
import { startGatewayProcess } from '../gateway-process.ts';

export type PictureLanguage = 'en' | 'ko';

const talks = {
  en: {
    callee: '01055550001',
    task: 'Confirm the reservation of tomorrow at three',
    replies: [
      'Good morning, I call about your reservation.',
      'Does tomorrow at three still suit you?',
      'Then we see you at three. Thank you.',
    ],
    answers: ['Yes, please go ahead.', 'Yes, three is fine.'],
  },
  ko: {
    callee: '01055550002',
    task: '내일 오후 3시 예약을 확인해 주세요',
    replies: [
      '안녕하세요, 예약을 확인하려고 전화드렸습니다.',
      '내일 오후 세 시 그대로 괜찮으신가요?',
      '그럼 세 시에 뵙겠습니다. 감사합니다.',
    ],
    answers: ['네, 말씀하세요.', '네, 세 시 좋습니다.'],
  },
} as const;

const withId = z.object({ id: z.string() });
const withNumber = z.object({ number: z.string() });
const withKey = z.object({ key: z.string() });
const placed = z.object({ call_id: z.string() });
const withTurns = z.object({ transcript: z.array(z.unknown()) });
const asCall = z.object({ status: z.string() });
const withToken = z.object({ token: z.string() });
const withAdminToken = z.object({ admin_token: z.string() });

/** Silent for longer than the pictures of a language take. Silence would end the call, so a hold interrupts it. */
const longSilence = Array.from({ length: 4 }, () => [{ wait_sec: 500 }, { hold_sec: 1 }]).flat();

const lastingSuite = `cases:
  - name: holds
    caller: [{ says: Hello. }, { holds_sec: 600 }, { holds_sec: 600 }]
`;

/** A callee that never answers, and a person who does not answer a transfer. */
const absent = '01000000002';
const absentPerson = '01000000013';
/** A number that rings on the web phones. */
const webPhoneNumber = '01055551234';

const adminCommand = fileURLToPath(new URL('../../src/commands/admin.ts', import.meta.url));

/** Creates a workspace that has nothing yet. Resolves to its admin token. */
const addWorkspace = async (dataFolder: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [adminCommand, 'workspaces', 'create', 'New', '--json'],
    { env: { ...process.env, GW_DATA_DIR: dataFolder } },
  );
  return withAdminToken.parse(JSON.parse(stdout)).admin_token;
};

export type FurnishedGateway = {
  url: string;
  /** Admin tokens: of an admin and of a viewer of this workspace, and of an admin of a workspace without anything. */
  tokens: Readonly<Record<'admin' | 'viewer' | 'newcomer', string>>;
  numberId: Readonly<Record<PictureLanguage, string>>;
  /** A call that has ended, with a transcript. */
  finishedCall: Readonly<Record<PictureLanguage, string>>;
  failedCall: string;
  /** A run of a suite with a failed case. */
  rehearsal: Readonly<Record<PictureLanguage, string>>;
  webhookId: string;
  trunkId: string;
  /** Places a call that lasts until it is ended. */
  placeLastingCall(language: PictureLanguage): Promise<string>;
  endCall(language: PictureLanguage, callId: string): Promise<void>;
  /** Places a call that nobody answers. */
  placeRingingCall(language: PictureLanguage): Promise<string>;
  /** Places a call that rings on the web phones. */
  placePhoneCall(language: PictureLanguage): Promise<string>;
  cancelCall(language: PictureLanguage, callId: string): Promise<void>;
  /** Begins the transfer of a call to a person who does not answer. */
  startTransfer(language: PictureLanguage, callId: string): Promise<void>;
  takeTransferBack(language: PictureLanguage, callId: string): Promise<void>;
  /** Returns a call as a file. */
  exportCall(callId: string): Promise<Buffer>;
  /** Starts a run that lasts until it is cancelled. */
  startLastingRehearsal(language: PictureLanguage): Promise<string>;
  cancelRehearsal(id: string): Promise<void>;
};

/** Starts the gateway; it ends with `started`. */
export const startFurnishedGateway = async (started: AsyncDisposableStack): Promise<FurnishedGateway> => {
  const gateway = await startGatewayProcess(started, {
    settings: {
      GW_INSPECT: '1',
      GW_SIMULATOR_SPEED: '1',
      GW_AGENT_ALLOW_LOOPBACK: '1',
      GW_LOG_LEVEL: 'warn',
      GW_RECORDINGS_FORMAT: 'ogg',
    },
  });
  const { url, admin } = gateway;
  const keys: Record<string, string> = {};
  const numberIds: Record<PictureLanguage, string> = { ko: gateway.numberId, en: '' };

  const request = async (language: PictureLanguage, method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${keys[language] ?? ''}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };

  const created = await admin('POST', '/numbers', { number: '07011112222', language: 'en' });
  numberIds.en = withId.parse(created).id;
  for (const language of ['ko', 'en'] as const) {
    const { replies } = talks[language];
    // Each call asks for every reply once.
    let asked = 0;
    const agent = await startAgentServer((...exchange) => {
      const reply = replies[asked % replies.length] ?? '';
      asked += 1;
      return sendReply(reply)(...exchange);
    });
    started.defer(() => agent.close());
    const id = numberIds[language];
    keys[language] = withKey.parse(await admin('POST', `/numbers/${id}/key`, {})).key;
    await admin('PATCH', `/numbers/${id}`, {
      silence_timeout_sec: 600,
      ring_timeout_sec: 180,
      listen_in: 'announced',
      transfer_to: ['0100000001*', '0212345678'],
    });
    await admin('PUT', `/numbers/${id}/agents/outbound`, {
      agent: 'endpoint',
      agent_type: 'webhook',
      chat_url: agent.url,
    });
  }
  const placeTo = async (language: PictureLanguage, to: string, more: object = {}): Promise<string> =>
    placed.parse(
      await request(language, 'POST', '/calls', { to, instruction: talks[language].task, ...more }),
    ).call_id;
  const untilStatus = (language: PictureLanguage, callId: string, ...statuses: string[]) =>
    until(`call ${callId} is ${statuses.join(' or ')}`, async () => {
      const { status } = asCall.parse(await request(language, 'GET', `/calls/${callId}`));
      return statuses.includes(status) || undefined;
    });
  const follow = (language: PictureLanguage, ...end: readonly object[]) => {
    const { callee, answers } = talks[language];
    const script = [{ listen: true }, ...answers.flatMap((say) => [{ say }, { listen: true }]), ...end];
    return admin('PUT', `/simulator/callees/${callee}`, { script });
  };

  const read = async (path: string): Promise<unknown> =>
    (await fetch(`${url}/api/v1/admin${path}`, { headers: gateway.adminHeaders })).json();
  const numberOf = async (language: PictureLanguage): Promise<string> =>
    withNumber.parse(await read(`/numbers/${numberIds[language]}`)).number;

  /** Runs a suite with the built-in agent of calls that come in; one case fails, another gets better in the second run. */
  const rehearse = async (language: PictureLanguage): Promise<string> => {
    const [says, hears] = talks[language].answers;
    const number = await numberOf(language);
    const run = async (wanted: string): Promise<string> => {
      const suite = [
        'cases:',
        '  - name: answers',
        `    caller: [{ says: "${says}" }, { hears: /./ }, { hangs_up: true }]`,
        '    expect: { end_reason: counterparty_hangup }',
        '  - name: confirms',
        `    caller: [{ says: "${hears}" }, { hears: /./ }, { hangs_up: true }]`,
        '    expect: { says: [xyzzy] }',
        `  - name: is busy\n    callee: [{ is_busy: true }]\n    expect: { end_reason: ${wanted} }\n`,
      ].join('\n');
      const { id } = withId.parse(
        await admin('POST', '/rehearsals', { suite, name: 'bookings.yaml', number, parallel: 3 }),
      );
      await until('the suite was run', async () => {
        const { status } = asCall.parse(await read(`/rehearsals/${id}`));
        return status === 'failed' || undefined;
      });
      return id;
    };
    await run('declined');
    return run('busy');
  };

  const webhookId = withId.parse(await admin('POST', '/webhooks', { url: 'http://127.0.0.1:9/events' })).id;
  const trunkId = withId.parse(
    await admin('POST', '/trunks', { name: 'carrier', host: 'sip.example.com' }),
  ).id;
  const viewer = withToken.parse(await admin('POST', '/tokens', { name: 'reader', role: 'viewer' })).token;
  const newcomer = await addWorkspace(gateway.dataFolder);

  const finishedCall = { ko: '', en: '' };
  for (const language of ['ko', 'en'] as const) {
    await follow(language, { hang_up: true });
    finishedCall[language] = await placeTo(language, talks[language].callee, {
      metadata: { order: 'A-1042' },
    });
  }
  const failedCall = await placeTo('en', '01000000003');
  for (const language of ['ko', 'en'] as const)
    await untilStatus(language, finishedCall[language], 'completed');
  await untilStatus('en', failedCall, 'no_answer', 'failed');
  const rehearsal = { ko: '', en: '' };
  for (const language of ['ko', 'en'] as const) rehearsal[language] = await rehearse(language);
  for (const language of ['ko', 'en'] as const) await follow(language, ...longSilence);

  return {
    url,
    tokens: { admin: gateway.adminHeaders['authorization']?.replace('Bearer ', '') ?? '', viewer, newcomer },
    numberId: numberIds,
    finishedCall,
    failedCall,
    rehearsal,
    webhookId,
    trunkId,
    async placeLastingCall(language) {
      const callId = await placeTo(language, talks[language].callee, { max_duration_sec: 1_800 });
      await untilStatus(language, callId, 'active');
      const { replies, answers } = talks[language];
      await until('all words of the script are spoken', async () => {
        const { transcript } = withTurns.parse(await request(language, 'GET', `/calls/${callId}/transcript`));
        return transcript.length >= replies.length + answers.length || undefined;
      });
      return callId;
    },
    async endCall(language, callId) {
      await request(language, 'POST', `/calls/${callId}/hangup`, { immediate: true });
    },
    placeRingingCall: (language) => placeTo(language, absent),
    placePhoneCall: (language) => placeTo(language, webPhoneNumber),
    async cancelCall(language, callId) {
      await request(language, 'POST', `/calls/${callId}/cancel`);
    },
    async startTransfer(language, callId) {
      const wanted = { to: absentPerson, mode: 'warm', ring_timeout_sec: 120 };
      await request(language, 'POST', `/calls/${callId}/transfer`, wanted);
    },
    async takeTransferBack(language, callId) {
      await request(language, 'POST', `/calls/${callId}/transfer/cancel`);
    },
    async exportCall(callId) {
      const path = `/api/v1/admin/calls/${callId}/export?masked=1`;
      const response = await fetch(`${url}${path}`, { headers: gateway.adminHeaders });
      if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
      return Buffer.from(await response.arrayBuffer());
    },
    async startLastingRehearsal(language) {
      const number = await numberOf(language);
      return withId.parse(
        await admin('POST', '/rehearsals', { suite: lastingSuite, name: 'lasting.yaml', number }),
      ).id;
    },
    async cancelRehearsal(id) {
      await admin('POST', `/rehearsals/${id}/cancel`, {});
    },
  };
};
