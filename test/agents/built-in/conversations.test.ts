/** Whole conversations with the built-in agent, and how it ends them. */
import test from 'ava';
import { Refusal } from '#src/domain/refusal.ts';
import { type Call, talk } from './talk.ts';

const ko: Call = { language: 'ko', direction: 'outbound', task: '내일 오후 3시 예약을 확인해 주세요' };

const en: Call = {
  language: 'en',
  direction: 'outbound',
  task: 'Please confirm the booking for tomorrow at 3 pm',
};

/** Their turns and its answers, in order; the last answer comes with its one hangup. */
const transcripts: [title: string, call: Call, turns: string[]][] = [
  [
    'a task that is agreed to, in Korean',
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
    'a task that is answered with another time, in Korean',
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
    'a call without a task, in Korean',
    { ...ko, task: null },
    [
      '안녕하세요, 요청을 받고 대신 전화드렸습니다. 혹시 전해 드릴 말씀이 있으신가요?',
      '늦는다고 전해 주세요',
      '네, 그 말씀도 함께 전해 드리겠습니다. 시간 내 주셔서 감사합니다. 안녕히 계세요.',
    ],
  ],
  [
    'a question and a wait, in English',
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
    'a task that is refused, in English',
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
    'an inbound message that is corrected, in English',
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
  test(`a conversation: ${title}`, async (t) => {
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

/** In English, up to where the next "no" leads to the farewell. */
const talkToTheEnd = async (hangUpFails?: Error) => {
  const conversation = talk(en, hangUpFails);
  await conversation.open();
  await conversation.say('Yes, certainly.');
  return conversation;
};

const immediates = ({ hangups }: { hangups: { immediate: boolean }[] }) =>
  hangups.map(({ immediate }) => immediate);

test('a farewell that is spoken into is answered and said again; the third one hangs up at once', async (t) => {
  const conversation = await talkToTheEnd();
  await conversation.say('No, thank you.', () => 'Thank you for your');
  t.is(
    await conversation.say('Oh, and when does he come?', () => 'I am afraid'),
    'I am afraid that I do not know, but I will pass on that you asked. Thank you for your time. Goodbye.',
  );
  t.deepEqual(immediates(conversation), [false, false]);
  t.is(await conversation.say('And another thing.'), '');
  t.deepEqual(immediates(conversation), [false, false, true]);
});

test('asked to wait after its farewell, it waits', async (t) => {
  const conversation = await talkToTheEnd();
  await conversation.say('No, thank you.');
  t.is(await conversation.say('Wait a moment!'), 'Of course, take your time. I will wait.');
  t.deepEqual(immediates(conversation), [false]);
});

test('when the hangup is refused it goes on talking', async (t) => {
  const conversation = await talkToTheEnd(new Refusal('hangup_unavailable', 'There is no media server.'));
  t.is(
    await conversation.say('No, thank you.'),
    'Thank you for your time. Goodbye. We are still connected, so please tell me if there is anything else.',
  );
  t.regex(await conversation.say('Thanks.'), /^You are welcome\. .* We are still connected/);
  t.regex(await conversation.say('Hm.'), /Goodbye\. We are still connected/);
  t.deepEqual(immediates(conversation), [false, false, true]);
});

test('a hangup that fails in any other way is a crash of the reply', async (t) => {
  const broken = new Error('broken');
  const conversation = await talkToTheEnd(broken);
  t.is(await t.throwsAsync(conversation.say('No, thank you.')), broken);
});

test('the hangup is asked for after the first words of the farewell', async (t) => {
  const { messages, hangups, reply } = await talkToTheEnd();
  const hangupsByPiece: number[] = [];
  await reply([...messages, { role: 'user', content: 'No, thank you.' }], () =>
    hangupsByPiece.push(hangups.length),
  );
  t.deepEqual(hangupsByPiece, [0]);
  t.is(hangups.length, 1);
});

test('a farewell that was cut off while it was being said asks for no hangup', async (t) => {
  const { messages, hangups, reply, abort } = await talkToTheEnd();
  await reply([...messages, { role: 'user', content: 'No, thank you.' }], () => abort.abort());
  t.deepEqual(hangups, []);
});

test('a question that was not heard to its end is asked again', async (t) => {
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

test('sentences that the line joined with spaces of its own were heard all the same', async (t) => {
  const conversation = talk({ language: 'ja', direction: 'outbound', task: '予約の確認' });
  await conversation.open((whole) => whole.replaceAll('。', '。 '));
  t.regex(await conversation.say('はい'), /^はい、そのようにお伝えいたします/);
});

test('an instruction may have several lines', async (t) => {
  t.regex(
    await talk({ ...ko, task: '예약 확인\n\n그리고  인원 확인' }).open(),
    /예약 확인 그리고 인원 확인\./,
  );
});
