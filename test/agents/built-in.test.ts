/** The built-in agent: conversations, language models, summaries, tools and turns. */
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import pino from 'pino';
import { replyLimits } from '#config/policy.ts';
import type { Message } from '#machines/reply.ts';
import { AgentFailure } from '#src/agents/agent.ts';
import { hear } from '#src/agents/built-in/dialogue.ts';
import { wordsFor } from '#src/agents/built-in/languages.ts';
import { languageModelAgent, returnable } from '#src/agents/language-model.ts';
import type { LanguageModel } from '#src/agents/language-model/ask-model.ts';
import { createRehearsalModel } from '#src/agents/language-model/play-persona.ts';
import { createSummarizeByModel } from '#src/agents/language-model/summarize-by-model.ts';
import { createTools } from '#src/agents/language-model/tools.ts';
import { lingerMs } from '#src/agents/message-end.ts';
import { systemClock } from '#src/clocks.ts';
import { builtInTools, type BuiltInSettings } from '#src/domain/agent-binding.ts';
import type { Clock } from '#src/domain/clock.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { createEndpointClient, type EndpointClient } from '#src/outgoing/endpoint-client.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { hangUpConnection, sendBody, sendJson, stayQuiet } from '#test/helpers/agent-server.ts';
import { heardParts, hearReply, textOf } from '#test/helpers/heard-reply.ts';
import { type ModelAnswer, type ModelRequest, startModelServer } from '#test/helpers/model-server.ts';
import { bodyOf } from '#test/helpers/recorded-replies.ts';
import { type Call, talk } from './built-in/talk.ts';

// Conversations
// Whole conversations with the built-in agent, and their ends.

const ko: Call = { language: 'ko', direction: 'outbound', task: '내일 오후 3시 예약을 확인해 주세요' };

const en: Call = {
  language: 'en',
  direction: 'outbound',
  task: 'Please confirm the booking for tomorrow at 3 pm',
};

/** Words of the other party and replies in turn; the agent requests its only hangup with the last reply. */
const transcripts: [title: string, call: Call, turns: string[]][] = [
  [
    'an accepted task, in Korean',
    ko,
    [
      '안녕하세요, 요청을 받고 대신 전화드렸습니다. 부탁받은 내용을 말씀드릴게요. 내일 오후 3시 예약을 확인해 주세요. 어떻게 전해 드리면 될까요?',
      '네, 예약되어 있습니다.',
      '네, 그렇게 전해 드리겠습니다. 더 전하실 말씀이 있으신가요?',
      '아니요, 없습니다.',
      '시간 내 주셔서 감사합니다. 안녕히 계세요.',
    ],
  ],
  [
    'a task answered with another time, in Korean',
    ko,
    [
      '안녕하세요, 요청을 받고 대신 전화드렸습니다. 부탁받은 내용을 말씀드릴게요. 내일 오후 3시 예약을 확인해 주세요. 어떻게 전해 드리면 될까요?',
      '여보세요?',
      '내일 오후 3시 예약을 확인해 주세요. 어떻게 전해 드리면 될까요?',
      '모레 4시 30분에 두 명이면 가능해요.',
      '네, 확인할게요. 모레, 4시 30분. 맞으신가요?',
      '네, 맞아요.',
      '네, 그렇게 전해 드리겠습니다. 시간 내 주셔서 감사합니다. 안녕히 계세요.',
    ],
  ],
  [
    'an invitation to speak after the task was heard, which is not read out again',
    ko,
    [
      '안녕하세요, 요청을 받고 대신 전화드렸습니다. 부탁받은 내용을 말씀드릴게요. 내일 오후 3시 예약을 확인해 주세요. 어떻게 전해 드리면 될까요?',
      '네, 말씀하세요.',
      '어떻게 전해 드리면 될까요?',
      '네, 예약되어 있습니다.',
      '네, 그렇게 전해 드리겠습니다. 더 전하실 말씀이 있으신가요?',
      '아니요, 없습니다.',
      '시간 내 주셔서 감사합니다. 안녕히 계세요.',
    ],
  ],
  [
    'a call without a task, in Korean',
    { ...ko, task: null },
    [
      '안녕하세요, 요청을 받고 대신 전화드렸습니다. 혹시 전해 드릴 말씀이 있으신가요?',
      '늦는다고 전해 주세요',
      '네, 그 말씀도 함께 전해 드리겠습니다. 시간 내 주셔서 감사합니다. 안녕히 계세요.',
    ],
  ],
  [
    'a question and a request to wait, in English',
    en,
    [
      'Hello, I am calling on behalf of someone who asked me to. This is what I was asked to tell you. Please confirm the booking for tomorrow at 3 pm. What may I pass on?',
      'One moment, please.',
      'Of course, take your time. I will wait.',
      'Who is calling?',
      'I am afraid that I do not know, but I will pass on that you asked. What may I pass on?',
      'We can only do Friday at 4:30 p.m.',
      'Let me confirm that. Friday, 4:30 p.m. Is that right?',
      'No, at 5 p.m.',
      'Let me confirm that. 5 p.m. Is that right?',
      'Yes.',
      'Thank you, I will pass that on. Thank you for your time. Goodbye.',
    ],
  ],
  [
    'a refused task, in English',
    en,
    [
      'Hello, I am calling on behalf of someone who asked me to. This is what I was asked to tell you. Please confirm the booking for tomorrow at 3 pm. What may I pass on?',
      'I am sorry, we cannot do that.',
      'I see. I will pass on that it is not possible. Is there anything else that you would like to add?',
      'Please call the main office.',
      'Thank you, I will pass that on as well. Thank you for your time. Goodbye.',
    ],
  ],
  [
    'a task in Japanese',
    { language: 'ja', direction: 'outbound', task: '明日の予約を確認してください' },
    [
      'もしもし、ご依頼を受けて代わりにお電話しております。お伝えする内容を申し上げます。明日の予約を確認してください。どのようにお伝えすればよろしいでしょうか。',
      'はい、大丈夫です。',
      'はい、そのようにお伝えいたします。ほかにお伝えすることはございますか。',
      'いいえ、ありません。',
      'お時間をいただきありがとうございました。失礼いたします。',
    ],
  ],
  [
    'an inbound message, in Korean',
    { ...ko, direction: 'inbound', task: null },
    [
      '안녕하세요, 문의드릴 것이 있어서 전화드렸습니다.',
      '어떤 내용을 전해 드리면 될까요?',
      '예약을 금요일로 바꾸고 싶어요',
      '말씀하신 내용을 다시 읽어 드릴게요. 예약을 금요일로 바꾸고 싶어요. 맞으신가요?',
      '네.',
      '네, 그렇게 전해 드리겠습니다. 시간 내 주셔서 감사합니다. 안녕히 계세요.',
    ],
  ],
  [
    'a corrected inbound message, in English',
    { ...en, direction: 'inbound', task: null },
    [
      'Please tell him that I cannot come.',
      'Let me read that back to you. Please tell him that I cannot come. Is that right?',
      'No.',
      'I am sorry. Could you say that again, please?',
      'Please tell her that I cannot come.',
      'Let me read that back to you. Please tell her that I cannot come. Is that right?',
      'Correct.',
      'Thank you, I will pass that on. Thank you for your time. Goodbye.',
    ],
  ],
];

for (const [title, call, turns] of transcripts) {
  test.serial(`follows the expected transcript: ${title}`, async (t) => {
    const conversation = talk(call);
    let expected = turns;
    if (call.direction === 'outbound') {
      t.is(await conversation.open(), turns[0] ?? '');
      expected = turns.slice(1);
    }
    for (let index = 0; index < expected.length; index += 2) {
      t.deepEqual(conversation.hangups, []);
      t.is(await conversation.say(expected[index] ?? ''), expected[index + 1] ?? '');
    }
    t.deepEqual(conversation.hangups, [{ callId: 'call-1', immediate: false }]);
  });
}

/** In English, up to the point where the next "no" leads to the farewell. */
const talkToTheEnd = async (hangUpFails?: Error) => {
  const conversation = talk(en, hangUpFails);
  await conversation.open();
  await conversation.say('Yes, certainly.');
  return conversation;
};

const immediates = ({ hangups }: { hangups: { immediate: boolean }[] }) =>
  hangups.map(({ immediate }) => immediate);

test.serial(
  'answers speech during its farewell and repeats the farewell; hangs up at the third farewell',
  async (t) => {
    const conversation = await talkToTheEnd();
    await conversation.say('No, thank you.', () => 'Thank you for your');
    t.is(
      await conversation.say('Oh, and when does he come?', () => 'I am afraid'),
      'I am afraid that I do not know, but I will pass on that you asked. Thank you for your time. Goodbye.',
    );
    t.deepEqual(immediates(conversation), [false, false]);
    t.is(await conversation.say('And another thing.'), '');
    t.deepEqual(immediates(conversation), [false, false, true]);
  },
);

test.serial('waits when the other party asks it to wait after the farewell', async (t) => {
  const conversation = await talkToTheEnd();
  await conversation.say('No, thank you.');
  t.is(await conversation.say('Wait a moment!'), 'Of course, take your time. I will wait.');
  t.deepEqual(immediates(conversation), [false]);
});

test.serial('continues talking when the gateway rejects its hangup', async (t) => {
  const conversation = await talkToTheEnd(new Refusal('hangup_unavailable', 'There is no media server.'));
  t.is(
    await conversation.say('No, thank you.'),
    'Thank you for your time. Goodbye. We are still connected, so please tell me if there is anything else.',
  );
  t.regex(await conversation.say('Thanks.'), /^You are welcome\. .* We are still connected/);
  t.regex(await conversation.say('Hm.'), /Goodbye\. We are still connected/);
  t.deepEqual(immediates(conversation), [false, false, true]);
});

test.serial('throws when a hangup fails with an unexpected error', async (t) => {
  const broken = new Error('broken');
  const conversation = await talkToTheEnd(broken);
  t.is(await t.throwsAsync(conversation.say('No, thank you.')), broken);
});

test.serial('requests the hangup after the first words of the farewell', async (t) => {
  const { messages, hangups, reply } = await talkToTheEnd();
  const hangupsByPiece: number[] = [];
  await reply([...messages, { role: 'user', content: 'No, thank you.' }], () =>
    hangupsByPiece.push(hangups.length),
  );
  t.deepEqual(hangupsByPiece, [0]);
  t.is(hangups.length, 1);
});

test.serial('requests no hangup for an interrupted farewell', async (t) => {
  const { messages, hangups, reply, abort } = await talkToTheEnd();
  await reply([...messages, { role: 'user', content: 'No, thank you.' }], () => abort.abort());
  t.deepEqual(hangups, []);
});

test.serial('repeats a question of which the callee heard only a part', async (t) => {
  const conversation = talk(ko);
  await conversation.open(() => '안녕하세요, 요청을');
  t.is(
    await conversation.say('네?'),
    '네, 다시 말씀드릴게요. 내일 오후 3시 예약을 확인해 주세요. 어떻게 전해 드리면 될까요?',
  );
  const cutOff = talk(ko);
  await cutOff.open(() => '');
  t.is(await cutOff.say('네.'), '내일 오후 3시 예약을 확인해 주세요. 어떻게 전해 드리면 될까요?');
});

test.serial(
  'recognizes its own sentences in the history even if the line joined them with other spaces',
  async (t) => {
    const conversation = talk({ language: 'ja', direction: 'outbound', task: '予約の確認' });
    await conversation.open((whole) => whole.replaceAll('。', '。 '));
    t.regex(await conversation.say('はい'), /^はい、そのようにお伝えいたします/);
  },
);

test.serial('joins the lines of an instruction into one sentence', async (t) => {
  t.regex(
    await talk({ ...ko, task: '예약 확인\n\n그리고  인원 확인' }).open(),
    /예약 확인 그리고 인원 확인\./,
  );
});

// Hear
// How the built-in agent classifies the other party's words, and that every conversation ends.

test.serial('uses English for an unsupported language, and the base language for a regional variant', (t) => {
  t.is(wordsFor('fr'), wordsFor('en'));
  t.is(wordsFor('ko-KR'), wordsFor('ko'));
  t.is(wordsFor('JA'), wordsFor('ja'));
  t.is(wordsFor(''), wordsFor('en'));
});

const meanings: [language: string, text: string, meaning: string, details: string[]][] = [
  ['ko', '예약했습니다', 'statement', []],
  ['ko', '예, 그렇습니다', 'yes', []],
  ['ko', '잠시만요', 'wait', []],
  ['ko', '못 들었어요', 'repeat', []],
  ['ko', '안녕히 계세요', 'goodbye', []],
  [
    'ko',
    '11월 21일 토요일 오전 열 시 반에 4명이요',
    'statement',
    ['11월 21일', '토요일', '오전 열 시 반', '4명'],
  ],
  ['en', 'Not today, sorry.', 'no', ['today']],
  ['en', 'May I ask who this is?', 'question', []],
  ['en', 'On March 3rd, noon, for 4, at 555-1234.', 'statement', ['March 3rd', 'noon', '4', '555-1234']],
  ['ja', 'もう一度お願いします', 'repeat', []],
  ['ja', '明日の午後3時半に2名です', 'statement', ['明日', '午後3時半', '2名']],
];

for (const [language, text, meaning, details] of meanings) {
  test.serial(`classifies "${text}" as ${meaning}${details.length > 0 ? ' with details' : ''}`, (t) => {
    t.deepEqual(hear(text, wordsFor(language)), { text, meaning, details });
  });
}

const anyTurn = fc.oneof(
  fc.constantFrom(
    ...meanings.map(([, text]) => text),
    'Yes.',
    'No.',
    'Hello?',
    'Wait!',
    'What?',
    '네.',
    '아니요.',
    '네?',
  ),
  fc.string(),
);

test.serial('ends every conversation, at a point that depends only on the history', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('ko', 'en', 'ja'),
      fc.constantFrom('inbound' as const, 'outbound' as const),
      fc.option(fc.string()),
      fc.array(anyTurn, { minLength: 16, maxLength: 16 }),
      async (language, direction, task, turns) => {
        const call = { language, direction, task };
        const conversation = talk(call);
        if (direction === 'outbound') await conversation.open();
        for (const turn of turns) {
          const text = await conversation.say(turn);
          t.is(text, await talk(call).reply(conversation.messages.slice(0, text === '' ? undefined : -1)));
        }
        t.true(conversation.hangups.some(({ immediate }) => immediate));
      },
    ),
    { numRuns: 200 },
  );
});

// Language model

type Doors = {
  /** Permitted transfer targets of the number; without transfers by default. */
  transferTo?: string[];
  hangUpFails?: Error;
  pressFails?: Error;
  canPress?: boolean;
  firstTokenMs?: number;
  apiKey?: string;
  /** Settings of the number. */
  own?: Partial<BuiltInSettings>;
};

const setUpLanguageModel = async (
  t: ExecutionContext,
  answering: (asked: ModelRequest, round: number) => ModelAnswer,
  { hangUpFails, pressFails, canPress = true, firstTokenMs = 60_000, apiKey, transferTo, own }: Doors = {},
) => {
  const server = await startModelServer(answering);
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true, anywhere: true },
    connectMs: 60_000,
    maxBodyBytes: replyLimits.streamBytes,
    connectionsPerHost: 4,
  });
  t.teardown(async () => {
    await client.close();
    await server.close();
  });
  const done: string[] = [];
  const logged: string[] = [];
  const model: LanguageModel = {
    baseUrl: server.url,
    model: 'small',
    otherModels: ['large'],
    apiKey: apiKey ?? null,
    client,
    clock: systemClock,
    limits: replyLimits,
    firstTokenMs,
  };
  const agent = languageModelAgent(
    model,
    {
      context: {
        call_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
        direction: 'outbound',
        from: '0212345678',
        to: '01000000001',
        language: 'ko',
      },
      binding: {
        direction: 'outbound',
        agent: 'builtin',
        agentType: null,
        chatUrl: null,
        assistantId: null,
        agentId: null,
        controls: 'off',
        model: null,
        prompt: null,
        tools: null,
        ...own,
      },
      bearerToken: null,
      headers: {},
      instruction: '예약 확인',
      ...(transferTo && { transferTo }),
    },
    {
      hangUp: (_callId, { immediate }) => {
        done.push(`hang up ${immediate ? 'at once' : 'after the farewell'}`);
        return hangUpFails === undefined ? Promise.resolve() : Promise.reject(hangUpFails);
      },
      pressKeys: canPress
        ? (_callId, keys) => {
            done.push(`press ${keys}`);
            return pressFails === undefined ? Promise.resolve() : Promise.reject(pressFails);
          }
        : null,
      logger: pino({}, { write: (line: string) => logged.push(line) }),
    },
  );
  const ask = (messages: readonly Message[] = [kickoff], signal = new AbortController().signal) =>
    agent.reply({ turn: 1, messages }, signal);
  return { ask, server, done, logged, model };
};

const kickoff = { role: 'user', content: kickoffFor('예약 확인') } as const;
const says = (...pieces: string[]): ModelAnswer => ({ pieces });

test.serial('sends the model its prompt, the complete history and its tools', async (t) => {
  const { ask, server } = await setUpLanguageModel(
    t,
    () => says('안녕하', '세요. 예약 ', '확인차 전화드렸습니다.'),
    {
      apiKey: 'model-key',
    },
  );
  const history: Message[] = [
    kickoff,
    { role: 'assistant', content: '안녕하세요.' },
    { role: 'user', content: '누구세요?' },
  ];
  t.is(await textOf(ask(history)), '안녕하세요. 예약 확인차 전화드렸습니다.');
  const [asked] = server.requests;
  t.deepEqual(server.paths(), ['/v1/chat/completions']);
  t.is(asked?.model, 'small');
  t.is(asked?.authorization, 'Bearer model-key');
  t.deepEqual(asked?.messages.slice(1), history);
  t.is(asked?.messages[0]?.role, 'system');
  t.regex(
    asked?.messages[0]?.content ?? '',
    /전화를 걸었습니다[\s\S]*우리 번호는 0212345678, 상대방 번호는 01000000001/,
  );
  t.deepEqual(
    asked?.tools.map((tool) => tool.function.name),
    ['hang_up', 'press_keys', 'collect_keys'],
  );
});

test.serial(
  'sends no Authorization header without a key, and offers no DTMF tool where DTMF is unavailable',
  async (t) => {
    const { ask, server } = await setUpLanguageModel(t, () => says('네.'), { canPress: false });
    await textOf(ask());
    t.is(server.requests[0]?.authorization, undefined);
    t.deepEqual(
      server.requests[0]?.tools.map((tool) => tool.function.name),
      ['hang_up', 'collect_keys'],
    );
  },
);

const toolsAndPrompt = async (t: ExecutionContext, transferTo?: string[]) => {
  const { ask, server } = await setUpLanguageModel(t, () => says('네.'), transferTo ? { transferTo } : {});
  await textOf(ask());
  return JSON.stringify(server.requests[0]);
};

test.serial('offers the transfer tool only if the number permits transfers', async (t) => {
  t.notRegex(await toolsAndPrompt(t), /transfer/);
  t.notRegex(await toolsAndPrompt(t, []), /transfer/);
  t.regex(await toolsAndPrompt(t, ['0215881234', '0312*']), /transfer_call 도구[^]*"name":"transfer_call"/);
});

const namesOf = (asked: ModelRequest | undefined) => asked?.tools.map((tool) => tool.function.name);

/** The request to the model of a number with these settings, and what was logged. */
const requestWith = async (t: ExecutionContext, own: Partial<BuiltInSettings>) => {
  const { ask, server, logged } = await setUpLanguageModel(t, () => says('네.'), {
    own,
    transferTo: ['0215881234'],
  });
  await textOf(ask());
  return { asked: server.requests[0], prompt: server.requests[0]?.messages[0]?.content ?? '', logged };
};

test.serial('uses the model of the number, if the operator offers it', async (t) => {
  t.is((await requestWith(t, { model: 'large' })).asked?.model, 'large');
  const usual = await requestWith(t, { model: 'small' });
  t.is(usual.asked?.model, 'small');
  t.deepEqual(usual.logged, []);
  const withdrawn = await requestWith(t, { model: 'huge' });
  t.is(withdrawn.asked?.model, 'small');
  t.regex(withdrawn.logged.join(), /not in GW_LLM_MODELS: the default one is used/);
  t.notRegex(withdrawn.logged.join(), /huge/);
});

test.serial(
  "sends the number's instructions after those of the gateway, and logs none of them",
  async (t) => {
    const instructions = '강변치과입니다.\n일요일은 쉽니다.';
    const { prompt, logged } = await requestWith(t, { prompt: instructions });
    const usual = (await requestWith(t, {})).prompt;
    t.true(prompt.startsWith(`${usual}\n`));
    t.true(prompt.endsWith(`\n${instructions}`));
    t.notRegex(logged.join(), /강변/);
  },
);

test.serial('offers the model only the allowed tools, and tells it about no others', async (t) => {
  t.deepEqual(namesOf((await requestWith(t, {})).asked), [...builtInTools]);
  const some = await requestWith(t, { tools: ['transfer_call', 'hang_up'] });
  t.deepEqual(namesOf(some.asked), ['hang_up', 'transfer_call']);
  t.regex(some.prompt, /hang_up[^]*transfer_call/);
  t.notRegex(some.prompt, /press_keys|collect_keys/);
  const none = await requestWith(t, { tools: [] });
  t.deepEqual(namesOf(none.asked), []);
  t.notRegex(none.prompt, /hang_up|press_keys|collect_keys|transfer_call/);
});

test.serial('refuses a tool that the number does not allow', async (t) => {
  const { ask, server, done } = await setUpLanguageModel(
    t,
    (_asked, round) =>
      round === 1 ? { calls: [{ name: 'hang_up', arguments: '{}' }] } : says('계속 말씀하세요.'),
    { own: { tools: ['press_keys'] } },
  );
  t.is(await textOf(ask()), '계속 말씀하세요.');
  t.deepEqual(done, []);
  t.is(server.requests[1]?.messages.at(-1)?.content, 'error: there is no such tool');
});

const transferControl = (wanted: object) => ({
  act: 'transfer',
  transfer: {
    mode: 'cold',
    say: null,
    briefing: null,
    acceptKey: null,
    ringTimeoutSec: 25,
    onFailure: 'resume',
    ...wanted,
  },
});

const collectControl = (wanted: object) => ({
  act: 'collect_keys',
  wanted: { digits: null, finish: null, timeoutSec: 10, secret: false, ...wanted },
});

/** The reply with a tool call in its first response, and its requests to the call. */
const acts = async (
  t: ExecutionContext,
  first: ModelAnswer,
  { next = says('네.'), transferTo = ['0215881234'] }: { next?: ModelAnswer; transferTo?: string[] } = {},
) => {
  const { ask, server, logged } = await setUpLanguageModel(
    t,
    (_asked, round) => (round === 1 ? first : next),
    { transferTo },
  );
  return { parts: await heardParts(ask()), asked: server.requests, logged };
};

test.serial("emits a transfer control after the model's words and ends the reply", async (t) => {
  const given = '{"to":"02-1588-1234","mode":"warm","briefing":"환불 문의","accept_key":null,"say":""}';
  const call = { name: 'transfer_call', arguments: given };
  const { parts, asked } = await acts(t, { pieces: ['연결해 드릴', '게요.'], calls: [call] });
  const control = transferControl({ to: '02-1588-1234', mode: 'warm', briefing: '환불 문의' });
  t.deepEqual(parts, ['연결해 드릴게요.', control]);
  t.is(asked.length, 1);
});

test.serial('says a built-in sentence before a transfer for which the model has no words', async (t) => {
  const call = { name: 'transfer_call', arguments: '{"to":"0215881234"}' };
  const { parts } = await acts(t, { calls: [call, { name: 'hang_up', arguments: '{}' }] });
  t.deepEqual(parts, [
    '잠시만 기다려 주세요.',
    '담당자에게 연결해 드리겠습니다.',
    transferControl({ to: '0215881234' }),
  ]);
});

test.serial('returns an invalid or unavailable transfer to the model as an error', async (t) => {
  for (const [given, transferTo] of [
    ['{"to":"somebody"}', ['0215881234']],
    ['{"to":"0215881234"}', []],
  ] as const) {
    const call = { name: 'transfer_call', arguments: given };
    const { parts, asked, logged } = await acts(t, { calls: [call] }, { transferTo: [...transferTo] });
    t.deepEqual(parts, ['네.']);
    t.regex(asked[1]?.messages.at(-1)?.content ?? '', /^error: /);
    t.notRegex(logged.join(''), /somebody|0215881234/);
  }
});

test.serial('collects digits after the words that the model returns with its tool call', async (t) => {
  const call = { name: 'collect_keys', arguments: '{"digits":4,"secret":true,"finish":""}' };
  const { parts, asked } = await acts(t, { pieces: ['비밀번호 네 자리를 눌러 주세요.'], calls: [call] });
  t.deepEqual(parts, ['비밀번호 네 자리를 눌러 주세요.', collectControl({ digits: 4, secret: true })]);
  t.is(asked.length, 1);
});

test.serial('says a built-in request for digits when the model has said no words', async (t) => {
  const call = { name: 'collect_keys', arguments: '' };
  const { parts, asked } = await acts(t, { calls: [call] }, { next: says('번호를 눌러 주세요.') });
  t.deepEqual(parts, ['번호를 눌러 주세요.', collectControl({})]);
  t.regex(asked[1]?.messages.at(-1)?.content ?? '', /Say what to press/);
});

test.serial("speaks the model's goodbye before requesting the hangup", async (t) => {
  const order: string[] = [];
  const { ask, done, server } = await setUpLanguageModel(t, () => ({
    pieces: ['감사합니다. ', '안녕히 계세요.'],
    calls: [{ name: 'hang_up', arguments: '{}' }],
  }));
  for await (const piece of ask())
    order.push(typeof piece === 'symbol' ? `end, ${done.length}` : JSON.stringify(piece));
  t.deepEqual(order, ['"감사합니다. "', '"안녕히 계세요."', 'end, 0']);
  t.deepEqual(done, ['hang up after the farewell']);
  t.is(server.requests.length, 1, 'nothing is left to say');
});

test.serial('says a built-in goodbye when the model hangs up without words', async (t) => {
  const { ask, done } = await setUpLanguageModel(t, () => ({ calls: [{ name: 'hang_up', arguments: '' }] }));
  t.is(await textOf(ask()), '시간 내 주셔서 감사합니다. 안녕히 계세요.');
  t.deepEqual(done, ['hang up after the farewell']);
});

test.serial('returns a rejected hangup to the model and continues the conversation', async (t) => {
  const { ask, server } = await setUpLanguageModel(
    t,
    (_asked, round) =>
      round === 1
        ? { pieces: ['안녕히 계세요.'], calls: [{ name: 'hang_up', arguments: '{}' }] }
        : says('아직 통화 중이네요.'),
    { hangUpFails: new Refusal('hangup_unavailable', 'The media server is not available.') },
  );
  const { sentences, error } = await hearReply(ask());
  t.is(error, undefined);
  t.deepEqual(sentences, ['안녕히 계세요.', '아직 통화 중이네요.']);
  t.deepEqual(server.requests[1]?.messages.slice(-2), [
    {
      role: 'assistant',
      content: '안녕히 계세요.',
      tool_calls: [{ id: 'call_0', function: { name: 'hang_up', arguments: '{}' } }],
    },
    { role: 'tool', content: 'refused: The media server is not available.', tool_call_id: 'call_0' },
  ]);
});

test.serial('sends DTMF digits and reports invalid ones to the model', async (t) => {
  const rounds: ModelAnswer[] = [
    {
      calls: [
        { name: 'press_keys', arguments: '{"keys":"1w#"}' },
        { name: 'press_keys', arguments: '{"keys":"x"}' },
      ],
    },
    {
      calls: [
        { name: 'press_keys', arguments: 'not json' },
        { name: 'transfer', arguments: '{}' },
      ],
    },
    says('눌렀습니다.'),
  ];
  const { ask, server, done } = await setUpLanguageModel(
    t,
    (_asked, round) => rounds[round - 1] ?? says('?'),
  );
  t.is(await textOf(ask()), '눌렀습니다.');
  t.deepEqual(done, ['press 1w#']);
  const told = server.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content);
  t.deepEqual(told, [
    'The keys are being pressed.',
    'error: keys must be 1 to 64 of 0-9, *, #, A-D and w',
    'error: keys must be 1 to 64 of 0-9, *, #, A-D and w',
    'error: there is no such tool',
  ]);
});

test.serial('stops a model that keeps calling tools without words, and logs the reason', async (t) => {
  const { ask, server } = await setUpLanguageModel(t, () => ({
    calls: [{ name: 'press_keys', arguments: '{"keys":"1"}' }],
  }));
  const { text, error } = await hearReply(ask());
  t.is(text, '');
  t.like(error, { failure: 'no_reply', message: 'the language model: it called tools again and again' });
  t.is(server.requests.length, 3);
});

test.serial('returns the words between endless tool calls as the reply', async (t) => {
  const { ask } = await setUpLanguageModel(t, () => ({
    pieces: ['눌러 볼게요.'],
    calls: [{ name: 'press_keys', arguments: '{"keys":"1"}' }],
  }));
  const { remarks, error } = await hearReply(ask());
  t.is(error, undefined);
  t.deepEqual(remarks, ['it called tools again and again']);
});

const failures: [string, ModelAnswer, failure: string, Partial<Doors>?][] = [
  ['an HTTP error', sendJson({ error: { message: '비밀' } }, 500), 'http_error'],
  ['a wrong key', sendJson({ error: { message: '비밀' } }, 401), 'http_error'],
  ['a connection that breaks', hangUpConnection, 'connection_failed'],
  ['an error in the stream', sendBody('data: {"error":"비밀"}\n\n'), 'agent_reported_error'],
  ['an empty stream', sendBody(''), 'no_reply'],
  ['a web page', sendBody('<html>비밀</html>'), 'invalid_reply'],
  ['a model that takes too long', stayQuiet, 'first_token_timeout', { firstTokenMs: 100 }],
];

for (const [title, answer, failure, doors] of failures) {
  test.serial(`${title} fails the turn, and no built-in answer replaces it`, async (t) => {
    const { ask } = await setUpLanguageModel(t, () => answer, doors);
    const { text, error } = await hearReply(ask());
    t.is(text, '');
    t.like(error, { name: 'AgentFailure', failure });
    t.regex(String(error), /the language model: /);
    t.notRegex(String(error), /비밀|예약/);
  });
}

test.serial('speaks the words of a model that breaks off, then fails the reply', async (t) => {
  const { ask } = await setUpLanguageModel(t, () =>
    sendBody(
      'data: {"choices":[{"index":0,"delta":{"content":"안녕하세요. 저는"}}]}\n\ndata: {"error":"overloaded"}\n\n',
    ),
  );
  const { text, error } = await hearReply(ask());
  t.is(text, '안녕하세요. 저는');
  t.like(error, { failure: 'agent_reported_error', serverSays: 'overloaded' });
});

// Turns
// A turn ends for any model output: in words, in declared silence, or in a failure.

/** One response of the model: its words, its tool calls, and how it breaks off. */
type Round = { words: string; tools: string[]; breaks: 'no' | 'status' | 'stream' | 'connection' };

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (value: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: value, finish_reason: finish }] });

const streamOf = ({ words, tools, breaks }: Round): string =>
  (words === '' ? '' : delta({ content: words })) +
  (breaks === 'stream'
    ? event({ error: 'overloaded' })
    : tools
        .map((name, index) =>
          delta({ tool_calls: [{ index, function: { name, arguments: '{"keys":"5"}' } }] }),
        )
        .join('') + delta({}, 'stop'));

const setUpTurns = (
  rounds: readonly Round[],
  { isRefused = false, clock = systemClock, tookMs = 0 } = {},
) => {
  const done: string[] = [];
  let asked = 0;
  let waited = 0;
  const client: EndpointClient = {
    post() {
      const round = rounds[asked % rounds.length];
      asked += 1;
      waited += tookMs;
      if (round === undefined || round.breaks === 'connection') {
        return Promise.reject(new EndpointFailure('connection_failed', 'ECONNREFUSED'));
      }
      return Promise.resolve({
        status: round.breaks === 'status' ? 503 : 200,
        headers: {},
        body: bodyOf([Buffer.from(streamOf(round))]),
        discard: () => undefined,
      });
    },
    close: () => Promise.resolve(),
  };
  const act = (what: string): Promise<void> => {
    if (isRefused) return Promise.reject(new Refusal('call_not_active', 'Not in progress.'));
    done.push(what);
    return Promise.resolve();
  };
  /** Time limits for the first word. */
  const limits: number[] = [];
  const observedClock: Clock = {
    now: () => clock.now() + waited,
    setTimeout(callback, milliseconds) {
      if (milliseconds !== lingerMs) limits.push(milliseconds);
      return clock.setTimeout(callback, milliseconds);
    },
    clearTimeout: (timer) => clock.clearTimeout(timer),
  };
  const agent = languageModelAgent(
    {
      baseUrl: 'https://models.example/v1',
      model: 'small',
      otherModels: [],
      apiKey: null,
      client,
      clock: observedClock,
      limits: replyLimits,
      firstTokenMs: 5_000,
    },
    {
      context: { call_id: 'call-1', direction: 'outbound', from: '021', to: '010', language: 'en' },
      binding: {
        direction: 'outbound',
        agent: 'builtin',
        agentType: null,
        chatUrl: null,
        assistantId: null,
        agentId: null,
        controls: 'off',
        model: null,
        prompt: null,
        tools: null,
      },
      bearerToken: null,
      headers: {},
      instruction: 'Confirm the booking',
    },
    {
      hangUp: () => act('hang up'),
      pressKeys: (_callId, keys) => act(`press ${keys}`),
      logger: pino({ level: 'silent' }),
    },
  );
  const messages = [{ role: 'user', content: kickoffFor('Confirm the booking') }] as const;
  const hear = () => hearReply(agent.reply({ turn: 1, messages }, new AbortController().signal));
  return { hear, done, limits, asked: () => asked };
};

const opening = wordsFor('en').opening;
const goodbye = wordsFor('en').goodbye;

const round: fc.Arbitrary<Round> = fc.record({
  words: fc.constantFrom('', 'Hello. ', 'Is Friday fine?'),
  tools: fc.array(fc.constantFrom('hang_up', 'press_keys', 'collect_keys', 'transfer'), { maxLength: 3 }),
  breaks: fc.constantFrom('no', 'no', 'status', 'stream', 'connection'),
});

test.serial(
  'each turn ends with words, declared silence or a failure, after at most three requests and one hangup',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(round, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (rounds, isRefused) => {
          const { hear, done, asked } = setUpTurns(rounds, { isRefused });
          const { text, error } = await hear();
          t.true(error === undefined || error instanceof AgentFailure);
          t.true(asked() <= 3);
          const isSilent = text === '' && error === undefined;
          const last = rounds[(asked() - 1) % rounds.length];
          if (isSilent) t.like(last, { words: '', tools: [], breaks: 'no' });
          t.true(done.filter((what) => what === 'hang up').length <= 1);
          // The other party hears something before the hangup.
          if (done.at(-1) === 'hang up') t.not(text, '');
          t.false(text.includes(opening), 'the agent without a model stays out of it');
          if (text === `${wordsFor('en').thanks} ${goodbye}`) t.is(done.at(-1), 'hang up');
        },
      ),
      { numRuns: 300 },
    );
  },
);

test.serial('fails the reply when the model fails after sending DTMF digits', async (t) => {
  const { hear, done } = setUpTurns([
    { words: '', tools: ['press_keys'], breaks: 'no' },
    { words: '', tools: [], breaks: 'status' },
  ]);
  const { text, error } = await hear();
  t.is(text, '');
  t.deepEqual(done, ['press 5']);
  t.like(error, { failure: 'http_error', status: 503 });
});

test.serial("treats DTMF digits as an answer, and logs the model's silence after them", async (t) => {
  const { hear, done } = setUpTurns([
    { words: '', tools: ['press_keys'], breaks: 'no' },
    { words: '', tools: [], breaks: 'no' },
  ]);
  const { text, error } = await hear();
  t.deepEqual([text, error, done], ['', undefined, ['press 5']]);
});

test.serial('applies one time limit to the first word across all rounds of tool calls', async (t) => {
  // The clock advances only while the model responds.
  const took = { clock: { ...systemClock, now: () => 0 }, tookMs: 2_000 };
  const silent = setUpTurns([{ words: '', tools: ['transfer'], breaks: 'no' }], took);
  await silent.hear();
  t.deepEqual(silent.limits, [5_000, 3_000, 1_000]);

  const talking = setUpTurns([{ words: 'Just a moment. ', tools: ['transfer'], breaks: 'no' }], took);
  await talking.hear();
  t.deepEqual(talking.limits.slice(1), [5_000, 5_000]);
});

const calls = [
  { id: 'a', function: { name: 'press_keys', arguments: '{"keys":"1"}' } },
  { id: 'b', function: { name: 'press_keys', arguments: '{"keys":"2"}' } },
];
const numbered = calls.map((call) => ({ index: 0, ...call }));
const whole = (value: object): string =>
  JSON.stringify({ choices: [{ index: 0, message: value, finish_reason: 'tool_calls' }] });

for (const [title, body] of [
  ['both with index 0', numbered.map((call) => delta({ tool_calls: [call] })).join('')],
  ['without an index', calls.map((call) => delta({ tool_calls: [call] })).join('')],
  ['in one chunk', delta({ tool_calls: calls })],
  ['in a complete document', whole({ content: null, tool_calls: calls })],
  [
    'with arguments that are objects',
    whole({
      tool_calls: calls.map(({ id, function: { name } }, index) => ({
        id,
        function: { name, arguments: { keys: `${index + 1}` } },
      })),
    }),
  ],
] as const) {
  test.serial(`runs each of two parallel tool calls once: ${title}`, async (t) => {
    const { ask, done } = await setUpLanguageModel(t, (_, round) =>
      round === 1 ? sendBody(body) : says('눌렀습니다.'),
    );
    t.is(await textOf(ask()), '눌렀습니다.');
    t.deepEqual(done, ['press 1', 'press 2']);
  });
}

test.serial("returns the model's earlier words to the model without its reasoning", async (t) => {
  const { ask, server } = await setUpLanguageModel(t, (_, round) =>
    round === 1
      ? {
          pieces: ['<think>번호를 ', '누르자.</think>', '잠시만요.<|im_end|>'],
          calls: [{ name: 'press_keys', arguments: '{"keys":"1"}' }],
        }
      : says('눌렀습니다.'),
  );
  t.is(await textOf(ask()), '잠시만요.눌렀습니다.');
  t.like(server.requests[1]?.messages.at(-2), { role: 'assistant', content: '잠시만요.' });
});

// Summaries

const summaryOf = async (t: ExecutionContext, body: string): Promise<string> => {
  const { model } = await setUpLanguageModel(t, () => sendBody(body));
  const call = { language: 'ko', durationSec: 12, endReason: 'agent_hangup', turns: [] } as const;
  return createSummarizeByModel(model)(call, new AbortController().signal);
};
const words = (content: string, finish = 'stop'): string => delta({ content }) + delta({}, finish);

for (const written of [
  '예약을 확인했다.<|im_end|>',
  '생각 중.</think>예약을 확인했다.',
  '<|channel|>analysis<|message|>음.<|end|><|start|>assistant<|channel|>final<|message|>예약을 확인했다.<|return|>',
  '<tool_call>{"name":"x","arguments":{}}</tool_call>예약을 확인했다.',
  `${'생각 '.repeat(1_000)}</think>예약을 확인했다.`,
]) {
  test.serial(`removes machine markup of the model from summaries: ${written.slice(0, 100)}`, async (t) => {
    t.is(await summaryOf(t, words(written)), '예약을 확인했다.');
    t.is(
      await summaryOf(t, Array.from(written, (content) => delta({ content })).join('') + words('')),
      '예약을 확인했다.',
    );
  });
}

test.serial('shortens a long summary', async (t) => {
  const summary = await summaryOf(t, words('예약을 확인했다. '.repeat(1_000)));
  t.is(summary, '예약을 확인했다. '.repeat(1_000).slice(0, 2_000));
});

test.serial('rejects a summary that was cut off or is endless, because it may be reasoning', async (t) => {
  for (const body of [words('생각 중이다.', 'length'), delta({ content: '생각 중이다.' })])
    await t.throwsAsync(summaryOf(t, body), { instanceOf: AgentFailure, message: /cut off|end mark/ });
  await t.throwsAsync(summaryOf(t, words('생각 '.repeat(40_000))), { instanceOf: AgentFailure });
});

test.serial('plays a persona without reasoning, whatever its length', async (t) => {
  const turnOf = async (body: string) => {
    const { model } = await setUpLanguageModel(t, () => sendBody(body));
    const { playPersona } = createRehearsalModel(model);
    const persona = { description: '손님', goal: '예약', language: 'ko', lines: [] };
    return playPersona(persona, new AbortController().signal);
  };
  t.like(await turnOf(words(`${'생각 '.repeat(1_000)}</think>예약해 주세요.`)), { says: '예약해 주세요.' });
  await t.throwsAsync(turnOf(words('생각 중이다.', 'length')), { instanceOf: AgentFailure });
});

test.serial('removes NUL from a summary', async (t) => {
  t.is(await summaryOf(t, words('예약을\0확인했다.')), '예약을 확인했다.');
});

test.serial('accepts a summary with an unknown finish reason and removes a repetition', async (t) => {
  t.is(await summaryOf(t, words('예약을 확인했다.', 'eos')), '예약을 확인했다.');
  t.is(
    await summaryOf(
      t,
      delta({ content: '예약을 ' }) + delta({ content: '확인했다.' }) + words('예약을 확인했다.'),
    ),
    '예약을 확인했다.',
  );
});

// Tools

const setUpTools = (fails?: Error) => {
  const done: string[] = [];
  const end = (what: string): Promise<void> => {
    done.push(what);
    return fails === undefined ? Promise.resolve() : Promise.reject(fails);
  };
  const tools = createTools('call-1', {
    hangUp: (callId, { immediate }) => end(`${callId} hang up ${immediate ? 'now' : 'later'}`),
    pressKeys: (callId, keys) => end(`${callId} press ${keys}`),
  });
  const run = (name: string, given: string) => tools.run({ id: 'a', name, arguments: given });
  return { done, run };
};

test.serial('sends the DTMF digits exactly as the model wrote them', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom(...Array.from('0123456789*#ABCDw')), minLength: 1, maxLength: 64 }),
      async (keys) => {
        const { done, run } = setUpTools();
        t.is((await run('press_keys', JSON.stringify({ keys }))).did, 'pressed keys');
        t.deepEqual(done, [`call-1 press ${keys}`]);
      },
    ),
  );
});

test.serial('returns unexpected tool input to the model as an error and performs no action', async (t) => {
  const nonsense = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom('{"keys":""}', '{"keys":"1 2"}', '{"keys":12}', '{"keys":"e"}', '{"keys":', '[]', 'null'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('press_keys', 'transfer_call', '', 'transfer', '__proto__'),
      nonsense,
      async (name, given) => {
        const { done, run } = setUpTools();
        const { did, result } = await run(name, given);
        t.is(did, 'nothing');
        t.true(result.startsWith('error: '));
        t.deepEqual(done, []);
      },
    ),
  );
});

test.serial('accepts a hangup with empty arguments in any form, and rejects malformed ones', async (t) => {
  const { done, run } = setUpTools();
  for (const given of ['', '{}', ' ', 'null', '{"reason":"done"}']) {
    t.is((await run('hang_up', given)).did, 'hung up', given);
  }
  t.deepEqual(new Set(done), new Set(['call-1 hang up later']));
  for (const given of ['{', '7', '"now"']) t.is((await run('hang_up', given)).did, 'nothing', given);
});

test.serial('returns a rejected action to the model, but hides internal errors from it', async (t) => {
  const refused = setUpTools(new Refusal('call_not_active', 'This call is not in progress.'));
  for (const [name, given] of [
    ['hang_up', '{}'],
    ['press_keys', '{"keys":"1"}'],
  ] as const) {
    const expected = { did: 'nothing', result: 'refused: This call is not in progress.' } as const;
    t.deepEqual(await refused.run(name, given), expected);
  }
  await t.throwsAsync(setUpTools(new TypeError('a mistake')).run('hang_up', '{}'), { message: 'a mistake' });
});

test.serial('sends tool calls back to the model with an id and object arguments', (t) => {
  const call = (id: string, given: string) => ({ id, name: 'press_keys', arguments: given });
  t.deepEqual(returnable([call('x', '{"keys":"1"}'), call('', ''), call('y', '[1]'), call('', '{"ke')]), [
    call('x', '{"keys":"1"}'),
    call('call_1', '{}'),
    call('y', '{}'),
    call('call_3', '{}'),
  ]);
});
