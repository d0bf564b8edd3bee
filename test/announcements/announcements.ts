/**
 * Sixty openings of outbound calls: voicemails, network announcements, call screening, menus and people, in Korean,
 * English and Japanese. The texts were written for these tests, modelled on those of carriers and telephones.
 */
import type { AnsweredBy } from '#machines/line.ts';

export type AnnouncementLanguage = 'ko' | 'en' | 'ja';

/** A sentence, a pause in milliseconds, or the beep after which a machine records. */
export type AnnouncementPart =
  | { say: string; /** Reading for a synthesizer without kanji. */ kana?: string }
  | number
  | 'beep';

export type Announcement = {
  language: AnnouncementLanguage;
  /** The kind of speaker. */
  by: AnsweredBy;
  parts: readonly AnnouncementPart[];
};

const breath = 400;

/** Sentences with a breath between them. */
const sentences = (...all: readonly (string | readonly [text: string, kana: string])[]): AnnouncementPart[] =>
  all.flatMap((one, index) => {
    const part = typeof one === 'string' ? { say: one } : { say: one[0], kana: one[1] };
    return index === 0 ? [part] : [breath, part];
  });

const withBeep = (parts: readonly AnnouncementPart[]): AnnouncementPart[] => [...parts, 700, 'beep'];

const korean: Readonly<Record<AnsweredBy, readonly (readonly AnnouncementPart[])[]>> = {
  machine: [
    withBeep(sentences('지금은 전화를 받을 수 없습니다.', '삐 소리가 난 후 메시지를 남겨 주세요.')),
    withBeep(
      sentences('고객님께서 전화를 받지 않아 소리샘으로 연결됩니다.', '연결된 후에는 통화료가 부과됩니다.'),
    ),
    withBeep(
      sentences('전화기가 꺼져 있어 소리샘으로 연결되오니, 남기실 말씀이 있으시면 녹음해 주시기 바랍니다.'),
    ),
    sentences('지금 거신 번호는 없는 번호입니다.', '확인하신 후 다시 걸어 주시기 바랍니다.'),
    withBeep(
      sentences(
        '안녕하세요, 박지훈입니다.',
        '회의 중이라 전화를 받지 못하고 있습니다.',
        '성함과 연락처를 남겨 주시면 바로 연락드리겠습니다.',
      ),
    ),
    sentences(
      '저희 고객센터의 업무 시간은 평일 오전 아홉 시부터 오후 여섯 시까지입니다.',
      '지금은 업무 시간이 아니오니, 업무 시간에 다시 전화해 주시기 바랍니다.',
    ),
    sentences('고객님의 사정으로 당분간 수신이 정지되어 있습니다.'),
  ],
  screening: [
    sentences(
      '안녕하세요.',
      '성함과 전화하신 용건을 말씀해 주시면, 지금 통화할 수 있는지 확인해 보겠습니다.',
    ),
    sentences('이 전화는 통화 비서가 먼저 받고 있습니다.', '누구신지, 무슨 일로 전화하셨는지 말씀해 주세요.'),
    sentences('인공지능 비서가 대신 전화를 받았습니다.', '용건을 말씀해 주시면 바로 전달해 드리겠습니다.'),
    withBeep(
      sentences(
        '스팸 전화를 막기 위해 전화 거신 분을 확인하고 있습니다.',
        '신호음이 울리면 성함과 전화하신 이유를 말씀하시고 끊지 말고 기다려 주세요.',
      ),
    ),
    sentences('전화 거신 분의 이름을 말씀해 주세요.', '받으시는 분이 확인하면 연결해 드립니다.'),
  ],
  menu: [
    sentences(
      '안녕하십니까, 한빛은행입니다.',
      '잔액 조회는 1번, 카드 분실은 2번, 상담원 연결은 0번을 눌러 주세요.',
    ),
    sentences('내선 번호를 알고 계시면 지금 눌러 주시고, 모르시면 잠시만 기다려 주십시오.'),
    sentences('언어를 선택해 주세요.', '한국어는 1번, 영어는 2번입니다.'),
    sentences('생년월일 여섯 자리를 입력하신 뒤 우물 정자를 눌러 주십시오.'),
  ],
  human: [
    sentences('네, 여보세요.'),
    sentences('네, 한빛물산 영업팀 김민수입니다.'),
    sentences(
      '여보세요? 제가 지금 운전 중이라 통화가 어려운데, 누구시죠?',
      '이따가 다시 전화 주실 수 있을까요?',
    ),
    sentences(
      '감사합니다, 서울치과입니다.',
      '무엇을 도와드릴까요?',
      '예약이시면 성함이랑 연락처를 말씀해 주세요.',
    ),
  ],
};

const english: typeof korean = {
  machine: [
    withBeep(
      sentences(
        "Hi, you've reached Sam Porter.",
        "I can't come to the phone right now.",
        "Please leave your name and number after the beep, and I'll call you back.",
      ),
    ),
    withBeep(
      sentences(
        'Your call has been forwarded to an automatic voice message system.',
        'Five five five, zero one four two, is not available.',
        'At the tone, please record your message.',
      ),
    ),
    sentences('The number you have dialed is not in service.', 'Please check the number and dial again.'),
    sentences('The mailbox is full and cannot accept messages at this time.', 'Goodbye.'),
    withBeep(sentences("Hey, it's Jo.", 'You know what to do.')),
    sentences(
      'Thank you for calling Greenfield Dental.',
      'Our office is now closed.',
      'Our hours are Monday to Friday, from nine to five.',
    ),
    sentences('The phone you are calling is switched off or out of coverage.', 'Please try again later.'),
  ],
  screening: [
    sentences(
      'Hello.',
      'If you tell me your name and why you are calling, I will see whether this person is available.',
    ),
    sentences(
      "The person you're calling is using a screening service and will get a copy of this conversation.",
      "Go ahead and say your name, and why you're calling.",
    ),
    withBeep(
      sentences(
        'Calls to this number are screened.',
        'Please state your name after the tone, and then hold.',
      ),
    ),
    sentences(
      'This is the call assistant of Dana.',
      'May I have your name and the reason for your call?',
      'I will put you through if she can take it.',
    ),
    withBeep(
      sentences(
        'The subscriber has asked us to find out who is calling.',
        'After the beep, please say your name and your company, then stay on the line.',
      ),
    ),
  ],
  menu: [
    sentences(
      'Thank you for calling Riverside Bank.',
      'For balances, press one.',
      'For cards, press two.',
      'To speak with someone, press zero.',
    ),
    sentences('Welcome.', 'For English, press one, or stay on the line.', 'For Spanish, press two.'),
    sentences(
      "If you know your party's extension, you may dial it at any time.",
      'For the directory, press the pound key.',
    ),
    sentences(
      'Please listen carefully, as our menu options have changed.',
      'You can say billing, support, or sales.',
    ),
  ],
  human: [
    sentences('Hello?'),
    sentences('Riverside Motors, this is Anna speaking, how can I help?'),
    sentences(
      "Hi, who's this? Sorry, I'm in a meeting right now.",
      'Can you call me back in, like, an hour?',
    ),
    sentences(
      "Good afternoon, Doctor Lindner's practice, you're speaking with Tom.",
      'Are you calling about an appointment, or would you like to leave a message for the doctor?',
    ),
  ],
};

const japanese: typeof korean = {
  machine: [
    withBeep(
      sentences(
        ['ただいま電話に出ることができません。', 'ただいま でんわに でることが できません。'],
        [
          'ピーという発信音のあとに、お名前とご用件をお話しください。',
          'ピーという はっしんおんの あとに、おなまえと ごようけんを おはなしください。',
        ],
      ),
    ),
    sentences([
      'おかけになった電話は、電波の届かない場所にあるか、電源が入っていないため、かかりません。',
      'おかけになった でんわは、でんぱの とどかない ばしょにあるか、でんげんが はいっていないため、かかりません。',
    ]),
    sentences(
      [
        'おかけになった電話番号は、現在使われておりません。',
        'おかけになった でんわばんごうは、げんざい つかわれておりません。',
      ],
      [
        '番号をお確かめになって、おかけ直しください。',
        'ばんごうを おたしかめになって、おかけなおしください。',
      ],
    ),
    withBeep(
      sentences(
        ['こちらは留守番電話サービスです。', 'こちらは るすばんでんわサービスです。'],
        ['発信音のあとにメッセージをお入れください。', 'はっしんおんの あとに メッセージを おいれください。'],
      ),
    ),
    withBeep(
      sentences(
        ['はい、田中です。', 'はい、たなかです。'],
        ['ただいま外出しております。', 'ただいま がいしゅつしております。'],
        [
          'ご用の方は、お名前とお電話番号をお残しください。',
          'ごようのかたは、おなまえと おでんわばんごうを おのこしください。',
        ],
      ),
    ),
    sentences(
      [
        'お電話ありがとうございます。本日の営業は終了いたしました。',
        'おでんわ ありがとうございます。ほんじつの えいぎょうは しゅうりょういたしました。',
      ],
      [
        '営業時間は、平日の午前九時から午後六時までです。',
        'えいぎょうじかんは、へいじつの ごぜん くじから ごご ろくじまでです。',
      ],
    ),
    sentences([
      'おかけになった番号は、お客様のご都合によりお繋ぎできません。',
      'おかけになった ばんごうは、おきゃくさまの ごつごうにより おつなぎできません。',
    ]),
  ],
  screening: [
    sentences([
      'お名前とご用件をお話しいただければ、この電話に出られるか確認いたします。',
      'おなまえと ごようけんを おはなし いただければ、この でんわに でられるか かくにんいたします。',
    ]),
    sentences(
      ['この電話はアシスタントがお受けしています。', 'この でんわは アシスタントが おうけしています。'],
      [
        'どなたからのお電話か、ご用件とあわせてお聞かせください。',
        'どなたからの おでんわか、ごようけんと あわせて おきかせください。',
      ],
    ),
    withBeep(
      sentences(
        [
          '迷惑電話防止のため、お名前を伺っております。',
          'めいわくでんわ ぼうしのため、おなまえを うかがっております。',
        ],
        [
          'ピッという音のあとにお名前をおっしゃって、そのままお待ちください。',
          'ピッという おとの あとに おなまえを おっしゃって、そのまま おまちください。',
        ],
      ),
    ),
    sentences(
      ['発信者の確認をしております。', 'はっしんしゃの かくにんを しております。'],
      [
        'お名前とお電話の理由をおっしゃってください。おつなぎできるかお調べします。',
        'おなまえと おでんわの りゆうを おっしゃってください。おつなぎできるか おしらべします。',
      ],
    ),
    sentences(
      ['AIが代わりに応答しています。', 'エーアイが かわりに おうとうしています。'],
      [
        'ご用件をお話しいただければ、本人にお伝えします。',
        'ごようけんを おはなしいただければ、ほんにんに おつたえします。',
      ],
    ),
  ],
  menu: [
    sentences(
      ['お電話ありがとうございます。', 'おでんわ ありがとうございます。'],
      [
        'ご注文は一番を、配送のお問い合わせは二番を押してください。',
        'ごちゅうもんは いちばんを、はいそうの おといあわせは にばんを おしてください。',
      ],
    ),
    sentences([
      '内線番号がお分かりの場合は、続けて番号を押してください。',
      'ないせんばんごうが おわかりの ばあいは、つづけて ばんごうを おしてください。',
    ]),
    sentences([
      '音声ガイダンスに従って、ご希望のメニューをお選びください。',
      'おんせいガイダンスに したがって、ごきぼうの メニューを おえらびください。',
    ]),
    sentences([
      'お客様番号を入力し、最後にシャープを押してください。',
      'おきゃくさま ばんごうを にゅうりょくし、さいごに シャープを おしてください。',
    ]),
  ],
  human: [
    sentences(['はい、もしもし。', 'はい、もしもし。']),
    sentences(['はい、山田商事の佐藤でございます。', 'はい、やまだしょうじの さとうでございます。']),
    sentences(
      [
        'もしもし、すみません、今ちょっと電車の中なので、あとでかけ直してもいいですか。',
        'もしもし、すみません、いま ちょっと でんしゃの なかなので、あとで かけなおしても いいですか。',
      ],
      ['どちら様でしょうか。', 'どちらさまでしょうか。'],
    ),
    sentences(
      [
        'お電話ありがとうございます。青空歯科でございます。',
        'おでんわ ありがとうございます。あおぞらしかでございます。',
      ],
      [
        'ご予約でしょうか。お名前とご用件をお願いいたします。',
        'ごよやくでしょうか。おなまえと ごようけんを おねがいいたします。',
      ],
    ),
  ],
};

const languages = { ko: korean, en: english, ja: japanese } as const;
const kinds = ['machine', 'screening', 'menu', 'human'] as const satisfies readonly AnsweredBy[];

export const announcements: readonly Announcement[] = (['ko', 'en', 'ja'] as const).flatMap((language) =>
  kinds.flatMap((by) => languages[language][by].map((parts) => ({ language, by, parts }))),
);
