/** The calls by state on the chart, a call as a file, and two calls replayed in step. */
import test from 'ava';
import * as fc from 'fast-check';
import { z } from 'zod';
import type { Locator } from 'playwright-core';
import { align, alone, differencesOf, marksOf, shownAt } from '#src/console/compare/align.ts';
import { stepMs, turnAt } from '#src/console/compare/in-step.ts';
import type { LoadedCall } from '#src/console/compare/loaded-call.ts';
import { isProblem, readCallFile } from '#src/console/compare/read-call-file.ts';
import { arrowNamed, callsIn, stateRows, statesInPicture, timesTaken } from '#src/console/fleet/tallies.ts';
import { lastName, nestedStates } from '#src/console/parts/state-boxes.ts';
import { until } from '#test/helpers/until.ts';
import { downloadedText } from './downloaded.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, turnInto, turnTo } from './in-browser.ts';
import { allowLongSilence, hangUp, placeHeldCall } from './lasting-calls.ts';

const onHold = { GW_SIMULATOR_SPEED: '1' };

consoleTest(
  'shows how many calls are in each state now and where they went, and leads to them',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const over = await placeHeldCall(gateway);
    await hangUp(gateway, over);
    await gateway.untilStatus(over, 'completed');
    const held = [await placeHeldCall(gateway), await placeHeldCall(gateway)];
    await until('the transitions of three calls are stored', async () => {
      const { body } = await gateway.admin.get(
        '/api/v1/admin/call-count?visited=call.active.talking.conversing',
      );
      return body['calls'] === 3 || undefined;
    });
    const page = await open({ page: '/fleet' });
    await page.getByText('2 calls in progress at one gateway.').waitFor();
    // The boxes, the table and the picture show the same number.
    const box = page.locator('.state-map .busy', { hasText: 'conversing' });
    await box.getByText('2 Now', { exact: true }).waitFor();
    await box.getByText(/^3 times · /).waitFor();
    await box.getByRole('list', { name: 'Next states' }).waitFor();
    const heldCalls = '#/calls?state=call.active.talking.conversing';
    t.is(await box.getByRole('link').getAttribute('href'), heldCalls);
    await everybodyCanUse(t, page, 'the calls by state in boxes');
    await page.getByRole('button', { name: 'Arrows' }).click();
    // The picture shows it on the outer states, too.
    const state = page.locator('.chart [data-state="active.talking.conversing"]');
    await state.locator(':scope > .tally').getByText('2', { exact: true }).waitFor();
    await page.locator('.chart [data-state="active"] > .tally').getByText('2', { exact: true }).waitFor();
    const row = page.getByRole('row', { name: /active\.\s*talking\.\s*conversing/ });
    await row.getByRole('link', { name: '2 in active.talking.conversing' }).waitFor();
    await row.getByRole('link', { name: /^3 times into/ }).waitFor();
    t.regex((await row.locator('td').nth(2).textContent()) ?? '', /\d/, 'the median time in the state');
    await page
      .locator('.chart .edge.taken text')
      .getByText(/^\d+ × /)
      .first()
      .waitFor();
    await page.getByRole('table', { name: 'Where calls went' }).getByText('completed').first().waitFor();
    await page.getByText(/^Past: 3 calls\. As of \d\d:\d\d:\d\d\.$/).waitFor();
    await everybodyCanUse(t, page, 'the calls by state', 'look');

    // One call fewer, without a reload.
    await hangUp(gateway, held[0] ?? '');
    await page.getByText('1 call in progress at one gateway.').waitFor();
    await state.locator(':scope > .tally').getByText('1', { exact: true }).waitFor();

    // The past is a minute old at most, and is read at once on request.
    const completed = page.getByRole('row', { name: /^completed/ }).getByRole('link', { name: /^2 times/ });
    await until('the end of the call is shown', async () => {
      await page.getByRole('button', { name: 'Read the past again' }).click();
      return (await completed.count()) === 1 || undefined;
    });

    // A click on a state leads to its calls, as does the table.
    await state.locator(':scope > text').click();
    await page.getByRole('button', { name: /Now in: call\.active\.talking\.conversing/ }).waitFor();
    const rows = page.locator('.call-table tbody tr');
    await rows.first().waitFor();
    t.is(await rows.count(), 1);
    t.is(await page.locator(`#party-${held[1]}`).count(), 1);
    await page.goBack();
    await page.getByRole('link', { name: /times into active\.talking\.conversing/ }).click();
    await page.getByRole('button', { name: /Was in: call\.active/ }).waitFor();
    await rows.nth(2).waitFor();
    t.is(await rows.count(), 3);

    await turnInto(page, { width: 390, dark: true, locale: 'ko-KR' });
    await turnTo(page, '/fleet');
    await page.getByText('게이트웨이 1개에서 통화 1건이 진행 중입니다.').waitFor();
    await page.locator('.state-map .busy').first().waitFor();
    await everybodyCanUse(t, page, 'the calls by state, narrow', 'look');
  },
  onHold,
);

consoleTest(
  'saves a call as a file, opens it again, and replays it beside another call',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const script = [{ listen: true }, { say: '네, 말씀하세요.' }, { listen: true }];
    const one = await placeHeldCall(gateway, script, '내일 오후 3시 예약을 확인해 주세요');
    const other = await gateway.call('01000000003');
    await gateway.untilStatus(other, 'no_answer');

    const page = await open({ page: `/calls/${one}` });
    await page.locator('.turns .user').getByText('말씀하세요').waitFor();
    await hangUp(gateway, one);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a file' }).click();
    const saved = await saving;
    t.is(saved.suggestedFilename(), `${one}.call.json`);
    const text = await downloadedText(saved);
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.getByText('Step 1 of', { exact: false }).first().waitFor();
    const first = page.getByRole('region', { name: 'First call' });
    await first.locator('.chart .current').waitFor();

    // Anything else than a call is refused with its reason.
    const second = page.getByRole('region', { name: 'Second call' });
    const give = (name: string, content: string) =>
      second.locator('input[type=file]').setInputFiles({
        name,
        mimeType: 'application/json',
        buffer: Buffer.from(content),
      });
    await give('a.txt', 'garbage');
    await second
      .getByRole('alert')
      .getByText('a.txt: This is not a file of a call: it is not JSON.')
      .waitFor();
    await give('b.json', '{"format": "other"}');
    await second.getByRole('alert').getByText('it was not exported by Trunkline').waitFor();
    await give('c.json', text.replace('"direction":"outbound"', '"direction":"sideways"'));
    await second.getByRole('alert').getByText('call.direction is missing or wrong').waitFor();
    await everybodyCanUse(t, page, 'a call and the choice of another');

    // The same call as a file goes the same way, whether the file is chosen or dropped.
    await give('call.json', text);
    await page.getByText('Both calls have the same steps.').waitFor();
    await second.getByText('From the file call.json.').waitFor();
    await second.locator('.turns').getByText('말씀하세요').waitFor();
    await second.getByRole('button', { name: 'Choose another call' }).click();
    await drag(second, 'dragover', 'dropped.json', text);
    await page.locator('.open-call.over').waitFor();
    await drag(second, 'dragleave', 'dropped.json', text);
    await page.locator('.open-call:not(.over)').waitFor();
    const isOpenedByBrowser =
      "document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true }))";
    t.false(await page.evaluate(isOpenedByBrowser), 'a file beside the frame does not replace the page');
    await drag(second, 'drop', 'dropped.txt', 'garbage');
    await second.getByRole('alert').getByText('dropped.txt: This is not a file of a call').waitFor();
    await drag(second, 'drop', 'dropped.json', text);
    await second.getByText('From the file dropped.json.').waitFor();
    await page.getByText('Both calls have the same steps.').waitFor();

    // A call with two more steps and a changed one is aligned again behind each of them.
    await second.getByRole('button', { name: 'Choose another call' }).click();
    await drag(second, 'drop', 'other.json', withDifferences(text));
    const summary = page.getByText(
      'Steps only in the first call: 1; only in the second call: 2; different: 1.',
    );
    await summary.waitFor();
    const kind = page.locator('.row-kind');
    const next = page.getByRole('button', { name: 'Next difference' });
    await kind.getByText('The same in both calls.').waitFor();
    await next.click();
    await kind.getByText('Only the second call has this step.').waitFor();
    await page.getByText('Step 2 of', { exact: false }).first().waitFor();
    await first.getByText('no step here').waitFor();
    await second.getByText('test.one').waitFor();
    await everybodyCanUse(t, page, 'a gap in one of two calls');
    await next.click();
    await kind.getByText('This step differs.').waitFor();
    await next.click();
    await kind.getByText('Only the first call has this step.').waitFor();
    await second.getByText('no step here').waitFor();
    t.is(await next.getAttribute('aria-disabled'), 'true', 'it is the last difference');
    await page.getByRole('button', { name: 'Previous difference' }).click();
    await kind.getByText('This step differs.').waitFor();
    t.is(await page.locator('.in-step-marks i').count(), 3);

    // Another call parts from it.
    await second.getByRole('button', { name: 'Choose another call' }).click();
    await second
      .getByRole('button', { name: /No answer|Cancelled|Busy/ })
      .first()
      .click();
    await page.getByText(/They differ from step \d+\./).waitFor();
    await page.getByRole('button', { name: 'Next difference' }).click();
    await page.locator('.row-kind:not(.same)').waitFor();
    await first.locator('.chart .current').waitFor();
    await page.getByRole('slider', { name: 'Step in both calls' }).press('End');
    await first.locator('.turns [aria-current]').waitFor();
    await everybodyCanUse(t, page, 'two calls');

    await turnInto(page, { width: 390, dark: true, locale: 'ko-KR' });
    await turnTo(page, '/calls');
    await page.getByRole('heading', { level: 1, name: '통화' }).waitFor();
    await turnTo(page, `/compare?one=${one}&other=${other}`);
    await page.getByText(/\d+단계에서 갈라집니다\./).waitFor();
    await page.getByRole('button', { name: '다음 차이' }).click();
    await page.locator('.row-kind:not(.same)').waitFor();
    await page.locator('.compared .chart .current').nth(1).waitFor();
    await everybodyCanUse(t, page, 'two calls, narrow', 'look');
  },
  onHold,
);

/** Drags a file from outside of the browser over a place of the page, or drops it there. */
const drag = async (
  place: Locator,
  event: 'dragover' | 'dragleave' | 'drop',
  name: string,
  content: string,
): Promise<void> => {
  const file = `new File([${JSON.stringify(content)}], ${JSON.stringify(name)}, { type: 'application/json' })`;
  const dataTransfer = await place.page().evaluateHandle(`(() => {
    const dragged = new DataTransfer();
    dragged.items.add(${file});
    return dragged;
  })()`);
  await place.locator('.drop').dispatchEvent(event, { dataTransfer });
  await dataTransfer.dispose();
};

const callWithSteps = z.looseObject({
  steps: z.array(z.looseObject({ event: z.string(), call: z.string() })),
});

/**
 * Changes the steps of a call's file: adds two behind the first, changes the state of the one after the next, and removes
 * the last but one.
 */
const withDifferences = (text: string): string => {
  const call = callWithSteps.parse(JSON.parse(text));
  const [begin, ...others] = call.steps;
  const changed = others.at(1);
  if (begin === undefined || changed === undefined || others.length < 6)
    throw new Error('The call is too short');
  const steps = [
    begin,
    { ...begin, event: 'test.one' },
    { ...begin, event: 'test.two' },
    ...others.with(1, { ...changed, call: 'ringing.elsewhere' }).toSpliced(-2, 1),
  ];
  return JSON.stringify({ ...call, steps });
};

// Numbers on the chart

test('counts the calls of a state and of its inner states', (t) => {
  const now = { 'active.talking.conversing': 3, 'active.bridged': 1, 'active-ish': 5 };
  t.deepEqual(
    ['active', 'active.talking', 'active.talking.conversing', 'ringing', ''].map((box) => callsIn(now, box)),
    [4, 3, 3, 0, 9],
  );
});

test('finds the innermost arrow of a transition', (t) => {
  const arrows = [
    '(any) → failed',
    'active → completed',
    'active.talking → completed',
    'ringing → active',
  ].map(arrowNamed);
  const taken = timesTaken(arrows, [
    { from: null, to: 'ringing', count: 9 },
    { from: 'ringing.alerting', to: 'active.talking.conversing', count: 5 },
    { from: 'active.talking.conversing', to: 'completed', count: 3 },
    { from: 'active.bridged', to: 'completed', count: 1 },
    { from: 'ringing.alerting', to: 'failed', count: 2 },
    { from: 'completed', to: 'ringing', count: 7 },
  ]);
  t.deepEqual(
    arrows.map((arrow) => taken.get(arrow)),
    [2, 1, 3, 5],
  );
});

test('lists the states of now and of the past in the order of the picture', (t) => {
  const picture = '<g data-state=""><g data-state="ringing"/><g data-state="active"/></g>';
  const counts = { calls: 1, gateways: 1, states: { call: { active: 1 }, conversation: {}, voicemail: {} } };
  const told = (chart: 'call' | 'conversation', state: string) => ({
    chart,
    state,
    entries: 2,
    median_ms: 5,
    failed: 1,
  });
  const history = {
    since: '',
    until: '',
    calls: 2,
    is_whole: true,
    states: [told('call', 'newer'), told('call', 'ringing'), told('conversation', 'opening')],
    transitions: [],
  };
  t.deepEqual(
    stateRows('call', statesInPicture(picture), counts, history).map(({ state, now, entries }) => [
      state,
      now,
      entries,
    ]),
    [
      ['ringing', 0, 2],
      ['active', 1, 0],
      ['newer', 0, 2],
    ],
  );
});

test('nests the states of a picture, and shortens their names', (t) => {
  t.deepEqual(nestedStates(['', 'active', 'active.talking', 'active.talking.conversing', 'over']), [
    {
      state: 'active',
      inner: [{ state: 'active.talking', inner: [{ state: 'active.talking.conversing', inner: [] }] }],
    },
    { state: 'over', inner: [] },
  ]);
  t.deepEqual(['active.talking.conversing', 'over', ''].map(lastName), ['conversing', 'over', '']);
});

// Two calls in step

const stepAt = (second: number, conversation: string, event = 'line.heard') => ({
  at: new Date(Date.UTC(2026, 10, 21, 3, 0, second)).toISOString(),
  event,
  fact: null,
  call: 'active.talking.conversing',
  conversation,
  voicemail: null,
});

type Step = LoadedCall['steps'][number];

const [opening, listening, awaiting] = [
  stepAt(0, 'opening'),
  stepAt(2, 'listening.silent'),
  stepAt(5, 'awaiting'),
];

/** Rows as text: the kind with the step of each call. */
const rowsOf = (first: readonly Step[], second: readonly Step[], work?: number): string[] =>
  align(first, second, work).rows.map(({ kind, steps }) => `${kind} ${steps.join(' ')}`);

test('aligns two calls that go the same way, whatever their times are', (t) => {
  const path = [opening, listening, awaiting];
  const later = path.map((step) => ({ ...step, at: '2026-11-22T00:00:00.000Z', fact: 3 }));
  t.deepEqual(rowsOf(path, later), ['same 0 0', 'same 1 1', 'same 2 2']);
  t.deepEqual(rowsOf([], []), []);
  t.deepEqual(alone(path).rows.at(-1), { kind: 'same', steps: [2] });
});

test('aligns two calls again behind steps that only one of them has', (t) => {
  const [one, two] = [stepAt(3, 'one', 'test.one'), stepAt(3, 'two', 'test.two')];
  t.deepEqual(rowsOf([opening, listening, awaiting], [opening, one, two, listening, awaiting]), [
    'same 0 0',
    'second  1',
    'second  2',
    'same 1 3',
    'same 2 4',
  ]);
  t.deepEqual(rowsOf([opening, one, awaiting], [opening, two, awaiting]), [
    'same 0 0',
    'first 1 ',
    'second  1',
    'same 2 2',
  ]);
  t.deepEqual(rowsOf([opening, listening], [opening]), ['same 0 0', 'first 1 ']);
});

test('puts steps with the same event and another state beside each other as changed', (t) => {
  const elsewhere = stepAt(2, 'replying.speaking');
  t.deepEqual(rowsOf([opening, listening, awaiting], [opening, elsewhere, awaiting]), [
    'same 0 0',
    'changed 1 1',
    'same 2 2',
  ]);
  const [gone, come] = [stepAt(3, 'one', 'test.one'), stepAt(3, 'two', 'test.two')];
  t.deepEqual(rowsOf([opening, gone, listening, awaiting], [opening, elsewhere, come, awaiting]), [
    'same 0 0',
    'first 1 ',
    'changed 2 1',
    'second  2',
    'same 3 3',
  ]);
});

/** Length of a longest common subsequence, by the plain quadratic method. */
const commonLength = (one: readonly string[], other: readonly string[]): number => {
  let row: number[] = Array.from({ length: other.length + 1 }, () => 0);
  for (const mine of one) {
    const before = row;
    row = [0];
    for (const [index, theirs] of other.entries())
      row.push(
        mine === theirs ? (before[index] ?? 0) + 1 : Math.max(before[index + 1] ?? 0, row[index] ?? 0),
      );
  }
  return row.at(-1) ?? 0;
};

const someSteps = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 });

test('finds as many equal steps as there are, and shows each step once and in order', (t) => {
  fc.assert(
    fc.property(someSteps, someSteps, (one, other) => {
      const [first, second] = [one, other].map((names) =>
        names.map((name) => stepAt(0, name, `test.${name}`)),
      );
      const { rows, numberedFrom } = align(first ?? [], second ?? []);
      t.is(numberedFrom, null);
      const same = rows.filter(({ kind }) => kind === 'same');
      t.is(same.length, commonLength(one, other));
      for (const { steps } of same) t.is(one[steps[0] ?? -1], other[steps[1] ?? -1]);
      const of = (side: number): number[] => rows.flatMap(({ steps }) => steps[side] ?? []);
      t.deepEqual([of(0), of(1)], [[...one.keys()], [...other.keys()]]);
    }),
    { numRuns: 500 },
  );
});

test('puts calls that are too different side by side by number', (t) => {
  const first = [opening, ...Array.from({ length: 50 }, (_, index) => stepAt(index, 'a', `one.${index}`))];
  const second = [opening, ...Array.from({ length: 60 }, (_, index) => stepAt(index, 'a', `two.${index}`))];
  const { rows, numberedFrom } = align(first, second, 1_000);
  t.is(numberedFrom, 1);
  t.is(rows.length, 61);
  t.deepEqual(
    [rows[0], rows[50], rows[60]],
    [
      { kind: 'same', steps: [0, 0] },
      { kind: 'changed', steps: [50, 50] },
      { kind: 'second', steps: [null, 60] },
    ],
  );
  t.is(align(first, second).numberedFrom, null, 'the usual limit is far higher');
});

test('aligns the longest calls that are alike, and stops at those that are not', (t) => {
  const long = (name: string) =>
    Array.from({ length: 50_000 }, (_, index) => stepAt(0, `state ${index % 97}`, `${name}.${index % 89}`));
  const path = long('test');
  t.is(align(path, path.toSpliced(20_000, 3)).numberedFrom, null);
  t.is(align(path, long('other')).numberedFrom, 0);
});

test('finds the differences of two calls, and what each shows in a gap', (t) => {
  const { rows } = align(
    [opening, listening, stepAt(3, 'x', 'test.x'), awaiting],
    [stepAt(0, 'y', 'test.y'), opening, listening, awaiting, stepAt(9, 'z', 'test.z')],
  );
  t.deepEqual(
    rows.map(({ kind }) => kind),
    ['second', 'same', 'same', 'first', 'same', 'second'],
  );
  t.deepEqual(differencesOf(rows), [0, 3, 5]);
  const shown = (side: number) =>
    rows.map((_, index) => {
      const { step, isGap, isOver } = shownAt(rows, side, index);
      return `${step}${isGap ? ' gap' : ''}${isOver ? ' over' : ''}`;
    });
  t.deepEqual(shown(0), ['0 gap', '0', '1', '2', '3', '3 gap over']);
  t.deepEqual(shown(1), ['0', '1', '2', '2 gap', '3', '4']);
  t.deepEqual(shownAt([], 0, 0), { step: null, isGap: true, isOver: true });
});

test('marks the differences on the scrubber, and no more of them than fit', (t) => {
  const row = (kind: 'same' | 'changed' | 'first') => ({ kind, steps: [0, 0] });
  t.deepEqual(marksOf([row('same'), row('changed'), row('changed'), row('first')]), [
    { kind: 'changed', from: 0.25, to: 0.75 },
    { kind: 'first', from: 0.75, to: 1 },
  ]);
  const many = Array.from({ length: 1_000 }, (_, index) => row(index === 501 ? 'first' : 'same'));
  t.deepEqual(marksOf(many, 10), [{ kind: 'first', from: 0.5, to: 0.6 }]);
  t.deepEqual(marksOf([]), []);
});

const emptyCall: LoadedCall = {
  source: { is: 'stored' },
  call: {
    id: 'a',
    direction: 'outbound',
    counterparty: '010',
    status: 'completed',
    end_reason: 'agent_hangup',
    language: 'ko',
    started_at: '2026-11-21T02:59:55.000Z',
    answered_at: '2026-11-21T03:00:00.000Z',
  },
  steps: [stepAt(0, 'opening'), stepAt(1, 'listening.silent'), stepAt(9, 'awaiting')],
  turns: [
    { sequence: 1, role: 'assistant', text: 'one', t_offset_sec: 0.5 },
    { sequence: 2, role: 'user', text: 'two', t_offset_sec: 3 },
  ],
  sip: [],
  audio: null,
};

test('knows the turn and the time of a step', (t) => {
  t.deepEqual(
    emptyCall.steps.map((step) => turnAt(emptyCall, step)),
    [undefined, 1, 2],
  );
  t.deepEqual(
    [0, 1, 2].map((index) => stepMs([emptyCall], [index])),
    [1_000, 1_500, 150],
  );
  t.is(stepMs([emptyCall, emptyCall], [null, 0]), 1_000, 'a call in a gap takes no time');
});

// Files

const callFile = {
  format: 'trunkline.call',
  version: 1,
  masked: true,
  call: { ...emptyCall.call, more: 'is ignored' },
  steps: emptyCall.steps,
  turns: emptyCall.turns,
  sip: { messages: [] },
  audio: { content_type: 'audio/ogg', base64: 'T2dnUw==' },
};

const problemOf = (json: unknown): unknown => {
  const read = readCallFile(typeof json === 'string' ? json : JSON.stringify(json), 'a.json');
  return isProblem(read) ? read : null;
};

test('reads a call from its file, and says what is wrong with another one', async (t) => {
  const read = readCallFile(JSON.stringify(callFile), 'a.json');
  if (isProblem(read)) return t.fail(JSON.stringify(read));
  t.like(read, { source: { is: 'file', name: 'a.json', masked: true }, turns: emptyCall.turns });
  t.is(await read.audio?.text(), 'OggS');
  t.deepEqual(problemOf('{'), { is: 'not_json' });
  t.deepEqual(problemOf('null'), { is: 'other_format' });
  t.deepEqual(problemOf([callFile]), { is: 'other_format' });
  t.deepEqual(problemOf({ ...callFile, version: 2 }), { is: 'newer' });
  t.deepEqual(problemOf({ ...callFile, turns: [{ ...emptyCall.turns[0], text: 1 }] }), {
    is: 'wrong_field',
    field: 'turns.0.text',
  });
  t.deepEqual(problemOf({ ...callFile, audio: { content_type: 'text/html', base64: '' } }), {
    is: 'wrong_field',
    field: 'audio.content_type',
  });
  return undefined;
});
