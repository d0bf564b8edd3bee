/** The judge of a turn's end: what may be chosen, of a number and of its workspace. */
import test from 'ava';
import { fakeGateway } from './fake-gateway.ts';

const path = '/api/v1/admin/numbers';

test('who decides about the end of a turn is given by a mode, and must be there', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${path}/${number.id}`;
  const usual = { mode: 'pause', min_silence_ms: 200, max_silence_ms: 3_000 };
  t.like((await admin.patch(one, { turn_end: { mode: 'pause' } })).body, { turn_end: usual });
  for (const [name, value] of [
    ['min_silence_ms', 99],
    ['min_silence_ms', 1_001],
    ['max_silence_ms', 999],
    ['max_silence_ms', 10_001],
  ] as const) {
    const { status, body } = await admin.patch(one, { turn_end: { mode: 'pause', [name]: value } });
    t.is(status, 400, `${name}: ${value}`);
    t.like(body, { errors: [{ path: `turn_end.${name}` }] });
  }
  const refusedWith = async (change: Record<string, unknown>): Promise<unknown> => {
    const { status, body } = await admin.patch(one, change);
    t.is(status, 400);
    return body['errors'];
  };
  t.deepEqual(await refusedWith({ turn_end: { mode: 'model' } }), [
    {
      path: 'turn_end.mode',
      message: 'No model that hears the end of a turn is configured on this gateway (GW_TURN_MODEL).',
    },
  ]);
  const byRecognizer = { turn_end: { mode: 'recognizer' } };
  const deaf = [
    {
      path: 'turn_end.mode',
      message: 'The recognizer vosk does not tell where a turn ends; there is deepgram.',
    },
  ];
  t.deepEqual(await refusedWith({ ...byRecognizer, recognizer: 'vosk' }), deaf);
  t.is((await admin.patch(one, { recognizer: 'vosk' })).status, 200);
  t.deepEqual(await refusedWith(byRecognizer), deaf);
  t.is((await admin.patch(one, { ...byRecognizer, recognizer: 'deepgram' })).status, 200);
  t.like((await admin.get(one)).body, { turn_end: { ...usual, mode: 'recognizer' } });
  t.is((await admin.post(path, { number: '07000000000', ...byRecognizer, recognizer: 'vosk' })).status, 400);
  const workspace = '/api/v1/admin/workspace';
  t.is((await admin.patch(workspace, { turn_end: { mode: 'model' } })).status, 400);
  t.like((await admin.patch(workspace, byRecognizer)).body, {
    effective: { turn_end: { mode: 'recognizer' } },
  });
});

test('where no recognizer tells the end of a turn, none is left to it', async (t) => {
  const engines = {
    recognizers: ['vosk'],
    synthesizers: [],
    tellTurnEnds: [],
    turnModel: true,
    isVoice: () => false,
  };
  const { admin, number } = await fakeGateway(t, { engines });
  const one = `${path}/${number.id}`;
  t.deepEqual((await admin.patch(one, { turn_end: { mode: 'recognizer' } })).body['errors'], [
    { path: 'turn_end.mode', message: 'No recognizer of this gateway tells where a turn ends.' },
  ]);
  t.is((await admin.patch(one, { turn_end: { mode: 'model' } })).status, 200);
});
