/** Rehearsals: starting a suite, its results, and what its calls visited. */
import test from 'ava';
import { explain } from '#src/console/language/explain.ts';
import { rehearsalWords as korean } from '#src/console/language/ko/rehearsal-words.ts';
import { until } from '#test/helpers/until.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, pressInPlace, turnTo, type ConsoleWorld } from './in-browser.ts';

const suite = `cases:
  - name: declines
    callee: [{ declines: true }]
    expect: { end_reason: declined }
  - name: is never polite
    caller: [{ says: Hello. }, { hears: /./ }, { hangs_up: true }]
    expect: { says: [xyzzy] }
`;

consoleTest('runs an included suite chosen by its name, and one typed in', async (t, { gateway, open }) => {
  const page = await open({ page: '/rehearsals' });
  const yaml = page.getByLabel('Cases in YAML');
  await page.getByText('No runs yet').waitFor();
  await page.getByLabel('Suite', { exact: true }).selectOption('Things that go wrong');
  await until(
    'the suite is shown',
    async () => (await yaml.inputValue()).includes('line_fails') || undefined,
  );
  t.is(await page.getByLabel('Name').inputValue(), 'things-that-go-wrong.yaml');
  await page.getByLabel('Suite', { exact: true }).selectOption('Your own suite');
  await yaml.fill('cases:\n  - name: one\n');
  await pressInPlace(page.getByRole('button', { name: 'Start' }));
  await page.getByText('2:5: A case has either a caller (inbound) or a callee (outbound)').waitFor();
  await everybodyCanUse(t, page, 'a refused suite');

  await yaml.fill(suite);
  await page.getByLabel('Name').fill('mine.yaml');
  await pressInPlace(page.getByRole('button', { name: 'Start' }));
  await page.getByRole('heading', { name: 'mine.yaml' }).waitFor();
  await page.getByText('says: the agent never said xyzzy').waitFor();
  await page.locator('.lead .pill.bad').waitFor();
  await page.getByRole('button', { name: 'Show what was said' }).click();
  await page.locator('.said', { hasText: 'Other party Hello.' }).waitFor();

  await page.locator('.state-map .busy', { hasText: 'alerting' }).waitFor();
  await page.locator('.state-map .unvisited', { hasText: 'bridged' }).waitFor();
  await page.getByRole('button', { name: 'Arrows' }).click();
  await page.locator('.chart [data-state="ringing"].visited').waitFor();
  await page.locator('.chart [data-state="active.bridged"].never').waitFor();
  await page.locator('.chart .edge.visited').first().waitFor({ state: 'attached' });
  await page.getByText(/^States never visited/).click();
  await page.locator('.never code', { hasText: 'active.bridged' }).first().waitFor();
  await page.getByRole('button', { name: 'Conversation' }).click();
  await page.locator('.chart [data-state="listening"].visited').waitFor();
  await everybodyCanUse(t, page, 'the results');

  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByText('Nothing has changed.').waitFor();
  await page.getByRole('link', { name: '← Rehearsals' }).click();
  const runs = page.locator('.rows a', { hasText: 'mine.yaml' });
  await runs.nth(1).waitFor();
  t.is(await runs.count(), 2);
  const { body } = await gateway.admin.get('/api/v1/admin/rehearsals');
  t.like(body, { rehearsals: { 0: { suite: 'mine.yaml', status: 'failed' } } });
});

/** Shows the page while the included suite that is chosen at first is on its way. */
const openBeforeSuite = async (open: ConsoleWorld['open']) => {
  const page = await open({ page: '/numbers' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  const mayArrive = Promise.withResolvers<void>();
  await page.route('**/good-agent-*.js', async (route) => {
    await mayArrive.promise;
    await route.continue();
  });
  const requested = page.waitForRequest('**/good-agent-*.js');
  await turnTo(page, '/rehearsals');
  const url = (await requested).url();
  return {
    page,
    arrive: async (): Promise<void> => {
      mayArrive.resolve();
      // The page's own import resolves first.
      await page.evaluate(`import(${JSON.stringify(url)})`);
    },
  };
};

consoleTest('keeps a typed suite when the chosen suite arrives later', async (t, { open }) => {
  const { page, arrive } = await openBeforeSuite(open);
  const yaml = page.getByLabel('Cases in YAML');
  await yaml.fill(suite);
  await arrive();
  t.is(await yaml.inputValue(), suite);
  t.is(await page.getByLabel('Name').inputValue(), '');
});

consoleTest('keeps an opened suite when the chosen suite arrives in the same frame', async (t, { open }) => {
  const { page, arrive } = await openBeforeSuite(open);
  // Preact runs effects after the next frame, or after 35 ms without one.
  await page.evaluate(`
    const setTimer = setTimeout;
    globalThis.setTimeout = (run, milliseconds, ...more) =>
      milliseconds === 35 ? 0 : setTimer(run, milliseconds, ...more);
    globalThis.requestAnimationFrame = () => 0;
  `);
  const yaml = page.getByLabel('Cases in YAML');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'opened.yaml', mimeType: 'application/yaml', buffer: Buffer.from(suite) });
  await until('the file is shown', async () => (await yaml.inputValue()) === suite || undefined);
  await arrive();
  t.is(await yaml.inputValue(), suite);
  t.is(await page.getByLabel('Name').inputValue(), 'opened.yaml');
});

consoleTest('keeps a typed name when a suite is chosen or opened afterwards', async (t, { open }) => {
  const page = await open({ page: '/rehearsals' });
  const yaml = page.getByLabel('Cases in YAML');
  const name = page.getByLabel('Name');
  const shows = (words: string) =>
    until('the suite is shown', async () => (await yaml.inputValue()).includes(words) || undefined);
  const choose = (option: string) => page.getByLabel('Suite', { exact: true }).selectOption(option);
  const openFile = (file: string) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: file, mimeType: 'application/yaml', buffer: Buffer.from(`# ${file}`) });
  await openFile('opened.yaml');
  await shows('opened.yaml');
  t.is(await name.inputValue(), 'opened.yaml');
  await choose('Things that go wrong');
  await shows('line_fails');
  t.is(await name.inputValue(), 'things-that-go-wrong.yaml');

  await name.fill('mine.yaml');
  await choose('Your own suite');
  await yaml.fill('cases: []');
  await choose('Things that go wrong');
  await shows('line_fails');
  t.is(await name.inputValue(), 'mine.yaml');
  await openFile('other.yaml');
  await shows('other.yaml');
  t.is(await name.inputValue(), 'mine.yaml');
});

consoleTest(
  'shows the suite that was chosen last, although an earlier one arrives later',
  async (t, { open }) => {
    const { page, arrive } = await openBeforeSuite(open);
    const yaml = page.getByLabel('Cases in YAML');
    const isShown = async (): Promise<boolean> => (await yaml.inputValue()).includes('line_fails');
    await page.getByLabel('Suite', { exact: true }).selectOption('Things that go wrong');
    await until('the suite is shown', async () => (await isShown()) || undefined);
    await arrive();
    t.true(await isShown());
    t.is(await page.getByLabel('Name').inputValue(), 'things-that-go-wrong.yaml');
  },
);

consoleTest(
  'is readable in Korean, dark and on a telephone, and cancels a run',
  async (t, { gateway, open }) => {
    // Silence ends a call, a hold does not. All of them take five minutes at the speed of this gateway.
    const holds = Array.from({ length: 10 }, () => '{ holds_sec: 600 }').join(', ');
    const lasting = `cases:\n  - name: holds\n    caller: [{ says: Hello. }, ${holds}]\n`;
    await gateway.admin.post('/api/v1/admin/rehearsals', {
      suite: lasting,
      name: 'long.yaml',
      number: gateway.credentials.number,
    });
    const page = await open({ page: '/rehearsals', locale: 'ko-KR', width: 390, dark: true });
    await page.getByText('long.yaml').waitFor();
    await page.getByLabel('시나리오(YAML)').fill('cases:\n  - name: one\n');
    await pressInPlace(page.getByRole('button', { name: '시작' }));
    await page.getByText('2:5: 시나리오에는 caller(수신)와 callee(발신) 중 하나만 있어야 합니다').waitFor();
    await everybodyCanUse(t, page, 'the list in Korean');
    await page.getByText('long.yaml').click();
    await page.getByText('아직 끝난 시나리오가 없습니다.').waitFor();
    await page.getByRole('button', { name: '실행 그만두기' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '실행 그만두기' }).click();
    await page.locator('.pill', { hasText: '취소됨' }).waitFor();
    await everybodyCanUse(t, page, 'a cancelled run in Korean');
  },
);

test('says in Korean what is wrong with a suite, by line and column', (t) => {
  const problem = (message: string): string => explain(message, korean.suiteProblems);
  t.is(problem('3:16: There is no hear here'), '3:16: 여기에 hear을(를) 쓸 수 없습니다');
  t.is(problem('4:5: after_ms belongs to interrupts'), '4:5: after_ms은(는) interrupts와(과) 함께 씁니다');
  t.is(
    problem('5:7: There is no state nowhere in the charts call and conversation'),
    '5:7: nowhere(이)라는 상태가 없습니다',
  );
  t.is(problem('1:1: Nested mappings are not allowed'), '1:1: Nested mappings are not allowed');
});

test('says in Korean what failed and what has changed since the last run', (t) => {
  const failed = (message: string): string => explain(message, korean.failures);
  t.is(failed('says: the agent never said /내일/'), 'says: 에이전트가 /내일/에 맞는 말을 하지 않았습니다');
  t.is(
    failed('end_reason: busy was expected, and it was declined'),
    'end_reason: busy(이)어야 하는데 declined입니다',
  );
  t.is(
    failed('duration_sec: at most 5 was expected, and it was 7'),
    'duration_sec: 5 이하여야 하는데 7입니다',
  );
  t.is(
    failed('step 2 (hears /x/) did not come about within 30 s'),
    '2단계(hears /x/)가 30초 안에 이루어지지 않았습니다',
  );
  t.is(korean.changed('is busy: failed → passed'), 'is busy: 실패 → 통과');
  t.is(korean.changed('books: passed → flaky (passed 2 of 3)'), 'books: 통과 → 불안정 (3번 중 2번 통과)');
  t.is(korean.changed('call: states 9/26 → 10/26'), '통화: 상태 9/26 → 10/26');
});
