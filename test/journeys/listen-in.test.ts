/** Admins listen to calls in progress, where the number allows it. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { listenInAnnouncement } from '#src/domain/listen-in.ts';
import { testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { oneDatabase, place } from './gateways-of-one-database.ts';
import { hum, openListener, openWebPhone, refusedListener, soundSettings } from './sound-of-a-call.ts';

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

/** A call that a person has answered, of a number that is set like this. */
const talk = async (t: ExecutionContext, settings: object) => {
  const gateway = await testGateway(t, soundSettings);
  // Nobody says a word, and the call goes on for as long as a test may take.
  const patched = await gateway.admin.patch(gateway.numberPath, { silence_timeout_sec: 600, ...settings });
  t.is(patched.status, 200);
  const phone = await openWebPhone(t, placeOf(gateway));
  const callId = await gateway.call(person);
  await phone.answer(callId);
  await gateway.untilStatus(callId, 'active');
  return { gateway, phone, callId, path: `/api/v1/calls/${callId}`, place: placeOf(gateway) };
};

test('both parties are heard at a gateway that does not hold the call, until its end', async (t) => {
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
});

test('nobody listens where the number does not allow it, and every time is written down', async (t) => {
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

test('the other party is told before anything is heard', async (t) => {
  const { gateway, callId, place: here } = await talk(t, { listen_in: 'announced' });
  const listener = await openListener(t, here, callId);
  await listener.untilState('on');
  t.is(listener.states.at(0), 'announcing');
  const said = (await gateway.transcript(callId)).map(({ text }) => text);
  t.true(said.some((text) => text.includes(listenInAnnouncement.ko)));
  await listener.untilHeard('the other party', isHum);
  const second = await openListener(t, here, callId);
  await second.untilState('on');
  t.deepEqual(second.states, ['on'], 'it was told once');
});

test('what is kept from a recording is silence to who listens', async (t) => {
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

test('a call that is not recorded keeps secret keys from who listens, too', async (t) => {
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

test('nothing is heard before the other party agrees to the call', async (t) => {
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
