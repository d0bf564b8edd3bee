/** Persons of a rehearsal who are played by a language model, here one on loopback. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { TrunklineProblem } from '#src/client/client.ts';
import { runRehearse } from '#src/commands/rehearse.ts';
import { sharedGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { startModelServer, type ModelAnswer, type ModelRequest } from '#test/helpers/model-server.ts';
import { emptyFolder } from '#test/start/gateway-process.ts';

/** Answers of the persona in each test, by a word of its description. */
const personas: Readonly<Record<string, (turn: number, asked: ModelRequest) => ModelAnswer>> = {
  Anna: (turn) =>
    turn === 1
      ? { pieces: ['Please move my booking ', 'to Friday.'] }
      : {
          pieces: ['Thank you, goodbye.'],
          calls: [{ name: 'end_call', arguments: '{"outcome":"reached","reason":"It is on Friday now."}' }],
        },
  Endless: (turn) => ({ pieces: [`And question ${turn}?`] }),
  Broken: () => (response) => void response.writeHead(500).end(),
};

const played = new Map<string, ModelRequest[]>();

const withModel = sharedGateway(async (scope) => {
  const models = await startModelServer((asked) => {
    const [system, ...lines] = asked.messages;
    const prompt = system?.content ?? '';
    if (prompt.startsWith('You judge')) {
      const statement = lines[0]?.content.split('\n')[0] ?? '';
      const holds = !statement.includes('rude') && lines[0]?.content.includes('on Friday') === true;
      return { pieces: ['```json\n{"reason": "It said Friday.", ', `"holds": ${holds}}\n\`\`\``] };
    }
    const name = Object.keys(personas).find((one) => prompt.includes(`Who you are: ${one}`));
    if (name === undefined) return { pieces: ['Your booking is on Friday now.'] };
    played.set(name, [...(played.get(name) ?? []), asked]);
    const turn = lines.filter(({ role }) => role === 'assistant').length + 1;
    return personas[name]?.(turn, asked) ?? {};
  });
  scope.teardown(models.close);
  return { GW_LLM_BASE_URL: models.url, GW_LLM_MODEL: 'small' };
});

const withoutModel = sharedGateway();

const rehearse = async (t: ExecutionContext, gateway: TestGateway, cases: string) => {
  const file = join(await emptyFolder(t), 'suite.yaml');
  await writeFile(file, `cases:\n${cases}`);
  let printed = '';
  const write = (text: string): string => (printed += text);
  const exit = await runRehearse([file, '--parallel', '4'], {
    environment: { GW_DATA_DIR: dirname(gateway.credentials.file) },
    output: { write },
    errors: { write },
    asked: new AbortController().signal,
  });
  return { exit, printed };
};

/** Time limits on the line pass twenty times as fast as the model answers, so they are long. */
const caseOf = (name: string, steps: string, expect = '{}'): string =>
  `  - name: ${name}\n    timeout_sec: 600\n    ${steps}\n    expect: ${expect}\n`;

test.serial('a persona talks with the agent and hangs up when its goal is reached', async (t) => {
  const { exit, printed } = await rehearse(
    t,
    await withModel(t),
    caseOf(
      'moves a booking',
      'caller: [{ persona: Anna with a booking, goal: Move it to Friday }]',
      '{ end_reason: counterparty_hangup, says: [on Friday now], goal: reached, rubric: The agent named the day }',
    ),
  );
  t.is(exit, 0, printed);
  t.regex(printed, /“The agent named the day” holds: It said Friday\.\n/);
  t.regex(printed, /the person: reached: It is on Friday now\.\n/);
  const [first, second] = played.get('Anna') ?? [];
  t.regex(first?.messages[0]?.content ?? '', /Your goal in this call: Move it to Friday/);
  t.deepEqual(
    second?.messages.slice(-2).map(({ role, content }) => `${role}: ${content}`),
    ['assistant: Please move my booking to Friday.', 'user: Your booking is on Friday now.'],
  );
});

test.serial('a persona that does not end, or whose model fails, fails its case', async (t) => {
  const { exit, printed } = await rehearse(
    t,
    await withModel(t),
    [
      caseOf('asks on', 'caller: [{ persona: Endless, goal: Know everything, max_turns: 2 }]'),
      caseOf('is silent', 'callee: [{ persona: Broken, goal: Answer }]'),
    ].join(''),
  );
  t.is(exit, 1);
  t.regex(printed, /✘ asks on[^✘]*step 1 \(persona: Endless[^✘]*no end within 2 turns/);
  t.regex(printed, /✘ is silent[^✘]*the language model could not play the person \(HTTP 500\)/);
  t.is(played.get('Endless')?.length, 2);
});

test.serial('a statement of a rubric that does not hold fails its case with the reason', async (t) => {
  const { exit, printed } = await rehearse(
    t,
    await withModel(t),
    caseOf(
      'is judged',
      'caller: [{ says: Hello. }, { hears: Friday }, { hangs_up: true }]',
      '{ rubric: [The agent named the day, The agent was rude] }',
    ),
  );
  t.is(exit, 1);
  t.regex(printed, /rubric: “The agent was rude” does not hold: It said Friday\./);
  t.notRegex(printed, /rubric: “The agent named the day” does not hold/);
});

test.serial('a gateway without a language model refuses personas and rubrics before any call', async (t) => {
  const gateway = await withoutModel(t);
  const persona = caseOf('asks', 'caller: [{ says: Hello. }, { persona: Anna, goal: Move a booking }]');
  const rubric = caseOf('says', 'caller: [{ says: Hello. }]', '{ rubric: The agent is polite }');
  for (const cases of [persona, rubric]) {
    const refused = await t.throwsAsync(rehearse(t, gateway, cases), { instanceOf: TrunklineProblem });
    t.regex(refused?.errors[0]?.message ?? '', /This gateway has no language model \(GW_LLM_BASE_URL\)/);
  }
  t.deepEqual((await gateway.admin.get('/api/v1/admin/calls')).body['calls'], []);
});
