import test from 'ava';
import { Registry } from 'prom-client';
import { trunkMetrics } from '#src/telemetry/trunk-metrics.ts';
import { someRoute, someSound } from '#test/helpers/some-sound.ts';

const createWorld = () => {
  const registry = new Registry();
  const { observer, factPublished } = trunkMetrics(registry);
  let calls = 0;
  const call = (
    direction: 'inbound' | 'outbound',
    route: Partial<typeof someRoute>,
    answeredFor: number | null,
    sound = someSound,
  ): void => {
    const callId = String((calls += 1));
    const whole = { ...someRoute, ...route };
    observer.began({ callId, direction });
    if (answeredFor !== null) factPublished(callId, { type: 'call.answered', at: 1_000, route: whole });
    const at = 1_000 + (answeredFor ?? 0);
    const status = answeredFor === null ? 'no_answer' : 'completed';
    factPublished(callId, { type: 'call.ended', at, reason: 'busy', status, route: whole, sound });
    observer.ended({ callId, direction, status, reason: 'busy' });
  };
  const value = async (line: string): Promise<number | undefined> => {
    const found = (await registry.metrics()).split('\n').find((one) => one.startsWith(`${line} `));
    return found === undefined ? undefined : Number(found.slice(line.length + 1));
  };
  return { registry, factPublished, call, value };
};

test('of each trunk it is counted what was answered, how long it lasted, how soon it rang, how it sounded', async (t) => {
  const { call, value } = createWorld();
  call('outbound', {}, 30_000);
  call('outbound', {}, null);
  call('inbound', { postDialDelayMs: null }, 10_000, {
    ...someSound,
    received: { ...someSound.received, mos: 2 },
  });
  const calls = (labels: string) => value(`trunkline_trunk_calls_total{trunk="carrier",${labels}}`);
  t.is(await calls('direction="outbound",outcome="answered"'), 1);
  t.is(await calls('direction="outbound",outcome="unanswered"'), 1);
  t.is(await calls('direction="inbound",outcome="answered"'), 1);
  t.is(await value('trunkline_trunk_call_seconds_sum{trunk="carrier"}'), 40);
  t.is(await value('trunkline_trunk_call_seconds_count{trunk="carrier"}'), 2);
  t.is(await value('trunkline_trunk_post_dial_delay_seconds_count{trunk="carrier"}'), 2);
  t.is(await value('trunkline_trunk_post_dial_delay_seconds_sum{trunk="carrier"}'), 3.66);
  t.is(await value('trunkline_trunk_mos_sum{trunk="carrier"}'), 4.36 + 4.36 + 2);
  t.is(await value('trunkline_trunk_mos_count{trunk="carrier"}'), 3);
});

test('a trunk that failed a call is counted, though another one took it', async (t) => {
  const { call, value } = createWorld();
  call('outbound', { trunk: { id: 'first', name: 'near' } }, 1_000);
  call('outbound', { trunk: { id: 'second', name: 'far' }, failedTrunks: ['first'] }, 1_000);
  const near = 'trunkline_trunk_calls_total{trunk="near",direction="outbound"';
  t.is(await value(`${near},outcome="failed_over"}`), 1);
  t.is(await value(`${near},outcome="answered"}`), 1);
});

test('however many trunks there are, they have a limited number of names', async (t) => {
  const { registry, call, value } = createWorld();
  for (let trunk = 1; trunk <= 250; trunk += 1)
    call('inbound', { trunk: { id: `id-${trunk}`, name: `trunk ${trunk}` } }, 1_000);
  t.is(await value('trunkline_trunk_calls_total{trunk="other",direction="inbound",outcome="answered"}'), 50);
  const lines = (await registry.metrics()).split('\n');
  t.is(lines.filter((line) => line.startsWith('trunkline_trunk_calls_total{')).length, 201);
});

test('sound that goes one way alone is counted while the call goes on', async (t) => {
  const { factPublished, value } = createWorld();
  t.is(await value('trunkline_one_way_sound_total{missing="nothing_delivered"}'), 0);
  factPublished('a', { type: 'sound.one_way', at: 1, missing: 'nothing_delivered' });
  t.is(await value('trunkline_one_way_sound_total{missing="nothing_delivered"}'), 1);
});

test('a call without a trunk is of none', async (t) => {
  const { registry, factPublished } = createWorld();
  factPublished('a', { type: 'call.ended', at: 1, reason: 'busy', status: 'no_answer' });
  t.notRegex(await registry.metrics(), /trunkline_trunk_calls_total\{/);
});
