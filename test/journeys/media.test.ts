/** Web phones and listening in, with real media in real time: media is not simulated by a clock. */
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { listenInAnnouncement } from '#src/domain/listen-in.ts';
import type { FromPhone } from '#src/domain/web-phone.ts';
import { type TestGateway, testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { soundFrame } from '#test/sip/webphone/sounding-phone.ts';
import { oneDatabase, place } from './gateways-of-one-database.ts';
import { hum, openListener, openWebPhone, refusedListener, soundSettings } from './sound-of-a-call.ts';

// Listening in

const person = '01055551234';
const loud = 1_000;
const isHum = ({ counterparty }: { counterparty: number }): boolean => counterparty === hum;
const isAgent = ({ agent }: { agent: number }): boolean => Math.abs(agent) > loud;
const isSound = ({ counterparty, agent }: { counterparty: number; agent: number }): boolean =>
  counterparty !== 0 || agent !== 0;

const placeOf = ({ credentials }: TestGateway) => ({
  url: credentials.base_url,
  token: credentials.admin_token,
});

const auditOf = async ({ admin }: TestGateway, callId: string) => {
  const { body } = await admin.get(`/api/v1/admin/audit?subject=call:${callId}`);
  const entry = z.object({ action: z.string(), actor: z.string(), detail: z.looseObject({}) });
  return z.array(entry).parse(body['entries']).toReversed();
};

/** A call answered by a person, of a number with these settings. */
const talk = async (t: ExecutionContext, settings: object) => {
  const gateway = await testGateway(t, soundSettings);
  // Both parties are silent, and the call lasts as long as a test may take.
  const patched = await gateway.admin.patch(gateway.numberPath, { silence_timeout_sec: 600, ...settings });
  t.is(patched.status, 200);
  const phone = await openWebPhone(t, placeOf(gateway));
  const callId = await gateway.call(person);
  await phone.answer(callId);
  await gateway.untilStatus(callId, 'active');
  return { gateway, phone, callId, path: `/api/v1/calls/${callId}`, place: placeOf(gateway) };
};

test.serial(
  "streams both parties' audio from a gateway that does not own the call, until its end",
  async (t) => {
    const { start } = await oneDatabase(t);
    const holder = await start('holder', soundSettings);
    const other = await start('other', { GW_LINES: 'none' });
    const { body } = await holder.admin.get('/api/v1/admin/numbers');
    const [number] = z.array(z.object({ id: z.string() })).parse(body['numbers']);
    await holder.admin.patch(`/api/v1/admin/numbers/${number?.id}`, { listen_in: 'silent' });
    const phone = await openWebPhone(t, { url: holder.url, token: holder.adminToken });
    const callId = await place(holder, person);
    await phone.answer(callId);
    const listener = await openListener(t, { url: other.url, token: other.adminToken }, callId);
    await listener.untilHeard('the other party', isHum);
    await holder.client.post(`/api/v1/calls/${callId}/say`, { text: 'One moment, please.', interrupt: true });
    await listener.untilHeard('the agent', isAgent);
    t.true(listener.states.includes('on'));
    phone.send({ type: 'hang_up' });
    t.is(await listener.closed, 1000, 'the call is over');
  },
);

test.serial('rejects monitoring if the number forbids it and records each attempt', async (t) => {
  const { gateway, callId, place: here, phone } = await talk(t, {});
  t.is(await refusedListener(here, callId), 403, 'the number says nothing, so it is off');
  t.is(await refusedListener(here, crypto.randomUUID()), 404);
  t.is(await refusedListener(here, 'x'), 400);
  const viewer = await gateway.admin.post('/api/v1/admin/tokens', { name: 'reader', role: 'viewer' });
  await gateway.admin.patch(gateway.numberPath, { listen_in: 'silent' });
  const reader = { ...here, token: z.string().parse(viewer.body['token']) };
  t.is(await refusedListener(reader, callId), 403);
  t.deepEqual(await auditOf(gateway, callId), []);

  const listener = await openListener(t, here, callId);
  await listener.untilHeard('the other party', isHum);
  t.like((await auditOf(gateway, callId))[0], {
    action: 'call.listening_began',
    detail: { announced: false },
  });
  listener.leave();
  const ended = await until('the end is written down', async () => (await auditOf(gateway, callId))[1]);
  t.is(ended.action, 'call.listening_ended');
  t.regex(ended.actor, /^admin:/);
  phone.send({ type: 'hang_up' });
  await gateway.untilStatus(callId, 'completed');
  t.is(await refusedListener(here, callId), 404, 'the call is over');
});

test.serial('notifies the other party of monitoring before sending any audio', async (t) => {
  const { gateway, callId, place: here } = await talk(t, { listen_in: 'announced' });
  const listener = await openListener(t, here, callId);
  await listener.untilState('on');
  t.is(listener.states.at(0), 'announcing');
  // Listeners hear of it first, and the transcript is written after.
  await until('the announcement is stored', async () => {
    const turns = await gateway.transcript(callId);
    return turns.some(({ text }) => text.includes(listenInAnnouncement.ko)) || undefined;
  });
  await listener.untilHeard('the other party', isHum);
  const second = await openListener(t, here, callId);
  await second.untilState('on');
  t.deepEqual(second.states, ['on'], 'it was told once');
});

test.serial('masks the same audio for listeners as in a recording', async (t) => {
  const { gateway, callId, path, place: here } = await talk(t, { listen_in: 'silent' });
  const listener = await openListener(t, here, callId);
  await listener.untilHeard('the other party', isHum);
  await gateway.client.post(`${path}/recording/pause`);
  await listener.untilState('paused');
  listener.forget();
  await until('silence comes', () => listener.sound().length > 16_000 || undefined);
  t.false(listener.sound().some(isSound));
  await gateway.client.post(`${path}/recording/resume`);
  await listener.untilHeard('the other party', isHum);

  const collected = await gateway.client.post(`${path}/collect`, { max_digits: 4, secret: true });
  t.is(collected.status, 202);
  await listener.untilState('paused');
  listener.forget();
  await until('silence comes again', () => listener.sound().length > 16_000 || undefined);
  t.false(listener.sound().some(isSound));
});

test.serial('masks secret digits for listeners of an unrecorded call', async (t) => {
  const {
    gateway,
    callId,
    path,
    place: here,
  } = await talk(t, {
    listen_in: 'silent',
    recording_enabled: false,
  });
  const listener = await openListener(t, here, callId);
  await listener.untilHeard('the other party', isHum);
  t.is((await gateway.client.post(`${path}/collect`, { max_digits: 4, secret: true })).status, 202);
  await listener.untilState('paused');
  listener.forget();
  await until('silence comes', () => listener.sound().length > 16_000 || undefined);
  t.false(listener.sound().some(isSound));
});

test.serial("sends listeners no audio before the other party's consent", async (t) => {
  const {
    callId,
    phone,
    place: here,
  } = await talk(t, {
    listen_in: 'silent',
    consent: { announce: '이 통화는 녹음됩니다. 1번을 눌러 주세요.', require: 'key' },
  });
  const listener = await openListener(t, here, callId);
  await listener.untilState('awaiting_consent');
  const agree = setInterval(() => phone.send({ type: 'digit', digit: '1' }), 500);
  t.teardown(() => clearInterval(agree));
  await listener.untilState('on');
  t.is(listener.heardBefore('on'), 0);
  await listener.untilHeard('the other party', isHum);
});

// Web phones

const message = z.looseObject({
  type: z.string(),
  call_id: z.string().optional(),
  text: z.string().optional(),
});
type Message = z.infer<typeof message>;

const addressOf = ({ credentials }: TestGateway, query: Record<string, string>): string =>
  `${credentials.base_url.replace(/^http/, 'ws')}/api/v1/admin/phone?${new URLSearchParams(query).toString()}`;

/** The response status that refuses the connection. */
const refusal = async (address: string): Promise<number> => {
  const [error] = await once(new WebSocket(address), 'error').catch((reason: unknown) => [reason]);
  return Number(/(\d{3})$/.exec(String(error))?.[1]);
};

const openPhone = async (t: ExecutionContext, gateway: TestGateway, name = 'phone-0001') => {
  const { admin_token: token } = gateway.credentials;
  const socket = new WebSocket(addressOf(gateway, { phone: name }), ['trunkline.phone', token]);
  const told: Message[] = [];
  socket.on('message', (data: Buffer) => void told.push(message.parse(JSON.parse(data.toString()))));
  t.teardown(() => socket.terminate());
  await once(socket, 'open');
  let read = 0;
  return {
    socket,
    told,
    send: (sent: FromPhone) => socket.send(JSON.stringify(sent)),
    /** The next message of this type after those that were awaited before. */
    next: (type: string): Promise<Message> =>
      until(`the phone is told ${type}`, () => {
        const index = told.findIndex((one, at) => at >= read && one.type === type);
        if (index === -1) return undefined;
        read = index + 1;
        return told[index];
      }),
  };
};

test.serial('shows the headers of the INVITE on a ringing web phone', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '8' });
  await gateway.admin.post('/api/v1/admin/trunks', {
    name: 'carrier',
    host: 'sip.example.com',
    headers_out: ['X-Ticket'],
  });
  const phone = await openPhone(t, gateway);
  const place = (more: object) => gateway.client.post('/api/v1/calls', { to: '01055551234', ...more });
  await place({ sip_headers: { 'X-Ticket': '1042' } });
  t.like(await phone.next('ring'), { sip_headers: { 'X-Ticket': '1042' } });
  await place({});
  t.false('sip_headers' in (await phone.next('ring')));
});

test.serial('rings in the browser for any number, answers there and records the conversation', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '8' });
  const phone = await openPhone(t, gateway);
  const other = await openPhone(t, gateway, 'phone-0002');
  const callId = await gateway.call('01055551234', '내일 오후 3시 예약을 확인해 주세요');
  t.like(await phone.next('ring'), { call_id: callId, to: '01055551234', direction: 'outbound' });
  t.like(await other.next('ring'), { call_id: callId });
  phone.send({ type: 'answer', call_id: callId });
  await phone.next('answered');
  t.like(await other.next('ended'), { reason: 'answered_elsewhere' });

  const first = await phone.next('agent_says');
  t.true((first.text ?? '').length > 0);
  phone.send({ type: 'say', text: '네, 오후 3시 좋습니다.' });
  await until('what was typed is heard', async () =>
    (await gateway.transcript(callId)).find(({ role, text }) => role === 'user' && text.includes('좋습니다')),
  );
  await phone.next('agent_says');
  phone.send({ type: 'digit', digit: '5' });
  phone.send({ type: 'hang_up' });
  t.like(await phone.next('ended'), { reason: 'hung_up' });
  const call = await gateway.untilStatus(callId, 'completed');
  t.is(call['end_reason'], 'counterparty_hangup');
  await until('the recording is there', async () => {
    const { status } = await gateway.client.get(`/api/v1/calls/${callId}/recording`);
    return status === 200 || undefined;
  });
  t.false(gateway.logged.some((line) => line.includes('좋습니다') || line.includes('01055551234')));
});

test.serial('declines a call on the web phone, and rings until the ring time-out without one', async (t) => {
  const gateway = await testGateway(t);
  await gateway.admin.patch(gateway.numberPath, { ring_timeout_sec: 10 });
  const alone = await gateway.call('01055551234');
  t.is((await gateway.untilStatus(alone, 'no_answer'))['end_reason'], 'no_answer');

  const phone = await openPhone(t, gateway);
  const callId = await gateway.call('01055551234');
  await phone.next('ring');
  phone.send({ type: 'decline', call_id: callId });
  t.is((await gateway.untilStatus(callId, 'no_answer'))['end_reason'], 'declined');
});

test.serial(
  'a reconnecting web phone returns to its call; one that does not reconnect hangs up',
  async (t) => {
    const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '2' });
    const phone = await openPhone(t, gateway);
    const callId = await gateway.call('01055551234');
    await phone.next('ring');
    phone.send({ type: 'answer', call_id: callId });
    await phone.next('answered');
    phone.socket.terminate();
    const back = await openPhone(t, gateway);
    t.like(await back.next('answered'), { call_id: callId });
    back.socket.terminate();
    t.is((await gateway.untilStatus(callId, 'completed'))['end_reason'], 'counterparty_hangup');
  },
);

test.serial('dials a number of the workspace from the web phone', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '8' });
  const phone = await openPhone(t, gateway);
  phone.send({ type: 'dial', to: '070-9999-9999' });
  t.like(await phone.next('refused'), { code: 'number_not_found' });
  phone.send({ type: 'dial', to: gateway.credentials.number });
  const { call_id: callId = '' } = await phone.next('answered');
  t.true(((await phone.next('agent_says')).text ?? '').length > 0, 'the greeting is heard');
  phone.send({ type: 'say', text: '문의드릴 것이 있습니다.' });
  await phone.next('agent_says');
  phone.send({ type: 'hang_up' });
  const call = await gateway.untilStatus(callId, 'completed');
  t.is(call['direction'], 'inbound');
  t.is(call['from'], '01055559999');
});

test.serial(
  'rejects web phone connections without token or name, and ignores invalid messages',
  async (t) => {
    const gateway = await testGateway(t);
    const { admin_token: token, number_key } = gateway.credentials;
    t.is(await refusal(addressOf(gateway, { phone: 'phone-0001' })), 401);
    t.is(await refusal(addressOf(gateway, { phone: 'phone-0001', token: number_key })), 401);
    t.is(await refusal(addressOf(gateway, { phone: '', token })), 400);
    t.is(await refusal(addressOf(gateway, { phone: 'phone-0001', token }).replace('/phone', '/fax')), 404);
    const phone = await openPhone(t, gateway);
    phone.socket.send('hello');
    t.like(await phone.next('refused'), { code: 'invalid_message' });
    phone.send({ type: 'hang_up' });
    phone.socket.send('x'.repeat(20_000));
    const [code] = await once(phone.socket, 'close');
    t.is(code, 1009);
    t.false(gateway.logged.some((line) => line.includes(token)));
  },
);

// Media of web phones

const anyMessage = z.looseObject({ type: z.string() });

test.serial(
  'sends the agent’s audio to the web phone in frames, rejects invalid frames, and records the audio',
  async (t) => {
    // No recognizer is available in these gateways: the call continues without words.
    const settings = { GW_SIMULATOR_SPEED: '1', GW_RECOGNIZERS: 'vosk', GW_VOSK_URL: 'ws://127.0.0.1:9' };
    const gateway = await testGateway(t, settings);
    const { base_url: base, admin_token: token } = gateway.credentials;
    const address = `${base.replace(/^http/, 'ws')}/api/v1/admin/phone?phone=phone-0001`;
    const socket = new WebSocket(address, ['trunkline.phone', token]);
    t.teardown(() => socket.terminate());
    const told: z.infer<typeof anyMessage>[] = [];
    const frames: Buffer[] = [];
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) frames.push(data);
      else told.push(anyMessage.parse(JSON.parse(data.toString())));
    });
    await once(socket, 'open');
    const next = (type: string) =>
      until(`the phone is told ${type}`, () => told.find((one) => one.type === type));
    await next('sound_offered');

    for (const garbage of ['', 'x', 'x'.repeat(643), 'x'.repeat(10_000)]) socket.send(Buffer.from(garbage));
    await until(
      'garbage is refused',
      () => told.filter(({ type }) => type === 'refused').length === 4 || undefined,
    );
    t.true(told.every((one) => one.type !== 'refused' || one['code'] === 'invalid_sound'));

    const callId = await gateway.call('01055551234');
    await next('ring');
    socket.send(JSON.stringify({ type: 'answer', call_id: callId, sound: true }));
    t.like(await next('answered'), { call_id: callId, sound: true });
    await next('agent_says');
    t.is(frames.length, 0, 'the phone cannot play yet');

    // Like a browser that has played all received audio.
    const playedSamples = (): number => frames.reduce((sum, { length }) => sum + length / 2, 0);
    const microphone = setInterval(() => socket.send(soundFrame(playedSamples())), 20);
    t.teardown(() => clearInterval(microphone));
    const isHeard = (frame: Buffer): boolean =>
      Array.from({ length: frame.length / 2 }, (_, index) => Math.abs(frame.readInt16LE(index * 2))).some(
        (sample) => sample > loud,
      );
    await until('the agent is heard', () => frames.some(isHeard) || undefined);
    t.true(frames.every(({ length }) => length > 0 && length <= 640 && length % 2 === 0));

    clearInterval(microphone);
    socket.send(JSON.stringify({ type: 'hang_up' }));
    await gateway.untilStatus(callId, 'completed');
    const recording = await until('the recording is there', async () => {
      const { status, bytes } = await gateway.client.get(`/api/v1/calls/${callId}/recording`);
      return status === 200 ? bytes : undefined;
    });
    t.true(recording.length > 0);
  },
);
