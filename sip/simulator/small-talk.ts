/** Small talk of the simulated people, in the gateway's languages. */
import { languages, type Language } from '#src/domain/language.ts';

export type SmallTalk = {
  /** First words of an inbound caller. */
  opening: string;
  /** Replies that fit any sentence, used in turn. */
  polite: readonly [string, ...string[]];
  intoFarewell: string;
  interruptions: readonly [string, ...string[]];
  /** Farewell before hanging up. */
  parting: string;
};

const smallTalk: Readonly<Record<Language, SmallTalk>> = {
  ko: {
    opening: '안녕하세요, 문의드릴 것이 있어서 전화드렸습니다.',
    polite: [
      '네, 안녕하세요. 말씀하세요.',
      '네, 그렇게 하면 좋겠습니다.',
      '알겠습니다. 저는 오후 세 시가 편합니다.',
      '네, 잘 이해했습니다.',
      '그 부분은 괜찮습니다. 감사합니다.',
      '네, 더 궁금한 것은 없습니다.',
    ],
    intoFarewell: '잠깐만요, 하나만 더 여쭤볼게요.',
    interruptions: ['잠시만요, 제가 먼저 말씀드릴게요.', '아니요, 그게 아니라요.', '죄송한데 다시 한번만요.'],
    parting: '지금은 통화하기 어렵습니다. 다음에 다시 전화해 주세요.',
  },
  en: {
    opening: 'Hello, I am calling because I have a question.',
    polite: [
      'Hello, yes, please go ahead.',
      'Yes, that would be fine.',
      'I see. Three in the afternoon suits me best.',
      'Yes, I understand.',
      'That is all right with me, thank you.',
      'No, I have no further questions.',
    ],
    intoFarewell: 'Wait a moment, just one more question.',
    interruptions: [
      'Sorry, let me say something first.',
      'No, that is not what I meant.',
      'Could you repeat that?',
    ],
    parting: 'I cannot talk right now. Please call again later.',
  },
  ja: {
    opening: 'もしもし、お伺いしたいことがあってお電話しました。',
    polite: [
      'はい、こんにちは。どうぞお話しください。',
      'はい、それで結構です。',
      'わかりました。午後三時が都合がいいです。',
      'はい、よくわかりました。',
      'それで大丈夫です。ありがとうございます。',
      'いいえ、ほかに質問はありません。',
    ],
    intoFarewell: 'ちょっと待ってください、もう一つだけ聞かせてください。',
    interruptions: [
      'すみません、先に言わせてください。',
      'いいえ、そうではなくて。',
      'もう一度お願いできますか。',
    ],
    parting: '今は電話に出られません。また今度かけてください。',
  },
};

/** Returns the texts of a BCP 47 tag; English for a language that the simulated people do not speak. */
export const smallTalkIn = (tag: string): SmallTalk => {
  const primary = tag.split('-', 1)[0]?.toLowerCase();
  return smallTalk[languages.find((language) => language === primary) ?? 'en'];
};

/** Returns the texts in a repeating cycle. */
export const inTurn = (texts: readonly [string, ...string[]]): (() => string) => {
  let next = 0;
  return () => {
    const text = texts[next % texts.length] ?? texts[0];
    next += 1;
    return text;
  };
};
