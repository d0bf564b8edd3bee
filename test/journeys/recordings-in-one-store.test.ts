/**
 * Recordings of calls with real audio that two gateways held, each a process with a folder of its own, and both with one
 * store: a gateway hands its call over and exits, another one is killed. Media runs in real time.
 */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { until } from '#test/helpers/until.ts';
import { heardIn } from '#test/recordings/pieces.ts';
import { startS3Server, type S3Server } from '#test/recordings/s3-server.ts';
import {
  place,
  recordingOf,
  sharedGateways,
  untilStatus,
  untilTakenOver,
  type Running,
} from './gateways-of-one-database.ts';
import { openWebPhone, soundSettings } from './sound-of-a-call.ts';

/** Time limit of all steps of a test together; each step has a limit of its own. */
const withinMs = 180_000;

const person = '01055551234';

const settingsFor = (server: S3Server): Record<string, string> => ({
  ...soundSettings,
  GW_RECORDINGS_S3_ENDPOINT: server.endpoint,
  GW_RECORDINGS_S3_BUCKET: server.bucket,
  GW_RECORDINGS_S3_REGION: server.region,
  GW_RECORDINGS_S3_ACCESS_KEY: server.accessKey,
  GW_RECORDINGS_S3_SECRET_KEY: server.secretKey,
  GW_RECORDINGS_S3_PART_SEC: '1',
});

/** `next`: the gateway at which the person is, which takes over the calls of the others. */
const arrange = sharedGateways(async ({ start }, scope) => {
  const server = await startS3Server(scope);
  const next = await start('next', settingsFor(server));
  return { server, next, startAnother: (name: string) => start(name, settingsFor(server)) };
});

const piecesOf = (server: S3Server, callId: string, node: string): string[] =>
  [...server.objects.keys()].filter((key) => key.startsWith(`parts/${callId}/`) && key.includes(`/${node}/`));

/** A call of this gateway, of whose audio some pieces are in the store. */
const talk = async (t: ExecutionContext, gateway: Running, name: string) => {
  const { server, next } = await arrange(t);
  const phone = await openWebPhone(t, { url: next.url, token: next.adminToken });
  const callId = await place(gateway, person);
  await phone.answer(callId);
  await until('some pieces are stored', () => piecesOf(server, callId, name).length >= 3 || undefined);
  return { server, next, phone, callId };
};

/** Ends the call, of which the next gateway has stored some pieces as well. */
const finish = async ({ server, next, phone, callId }: Awaited<ReturnType<typeof talk>>) => {
  await untilTakenOver(next, callId);
  await until('more pieces are stored', () => piecesOf(server, callId, 'next').length >= 3 || undefined);
  phone.send({ type: 'hang_up' });
  await untilStatus(next, callId, 'completed');
};

/** Seconds of the call's only file in the store at which the person is heard first and last. */
const heardOf = async (server: S3Server, callId: string) => {
  await until('only the file is in the store', () => {
    const keys = [...server.objects.keys()].filter((key) => key.includes(callId));
    return (keys.length === 1 && !keys[0]?.startsWith('parts/')) || undefined;
  });
  const [, object] = [...server.objects].find(([key]) => key.includes(callId)) ?? [];
  const stretches = heardIn(object?.bytes ?? Buffer.alloc(0));
  return { from: stretches[0]?.[0] ?? Infinity, to: stretches.at(-1)?.[1] ?? -Infinity };
};

test.serial(
  'the recording of a call that a gateway handed over before its exit is one whole file',
  async (t) => {
    t.timeout(withinMs, 'gateways start as processes of their own, and media runs in real time');
    const { startAnother } = await arrange(t);
    const leaving = await startAnother('leaving');
    const talking = await talk(t, leaving, 'leaving');
    const { server, next, callId } = talking;
    leaving.signal('SIGTERM');
    await leaving.ended;
    t.regex(piecesOf(server, callId, 'leaving').at(-1) ?? '', /\.last$/);
    await finish(talking);
    const { truncated, longerBySec, silentTurns } = await recordingOf(next, callId);
    t.false(truncated);
    t.true(Math.abs(longerBySec) < 2, String(longerBySec));
    t.deepEqual(silentTurns, []);
    const { from, to } = await heardOf(server, callId);
    t.true(from <= 2 && to >= 6, `${from} to ${to}`);
  },
);

test.serial('the recording of a call of a killed gateway has its audio up to the last piece', async (t) => {
  t.timeout(withinMs, 'gateways start as processes of their own, and media runs in real time');
  const { startAnother } = await arrange(t);
  const doomed = await startAnother('doomed');
  const talking = await talk(t, doomed, 'doomed');
  const { server, next, callId } = talking;
  doomed.signal('SIGKILL');
  await doomed.ended;
  await finish(talking);
  const recording = z.object({ recording: z.looseObject({ status: z.literal('completed') }) });
  await until(
    'the recording is made without the killed gateway',
    async () => recording.safeParse((await next.client.get(`/api/v1/calls/${callId}`)).body).data,
    55_000,
  );
  const { truncated, longerBySec, silentTurns } = await recordingOf(next, callId);
  t.true(truncated);
  t.true(Math.abs(longerBySec) < 2, String(longerBySec));
  t.deepEqual(silentTurns, []);
  const files = [...server.objects].filter(([key]) => key.endsWith(`${callId}.truncated.ogg`));
  const [[, object] = ['', undefined]] = files;
  const stretches = heardIn(object?.bytes ?? Buffer.alloc(0));
  t.true((stretches[0]?.[0] ?? Infinity) <= 2 && (stretches.at(-1)?.[1] ?? 0) >= 6, String(stretches));
});
