/** Texts that are spoken over the agent's voice: backchannels, and interruptions. */
export type SpokenKind = 'backchannel' | 'interruption';

/** The position of a text in `voices.ulaw`. */
export type VoiceIndex = {
  kind: SpokenKind;
  language: 'ko' | 'en';
  text: string;
  speaker: number;
  from: number;
  to: number;
};

export const spokenTexts: Readonly<Record<'ko' | 'en', Readonly<Record<SpokenKind, readonly string[]>>>> = {
  ko: {
    backchannel: [
      '네',
      '네네',
      '네에',
      '예',
      '음',
      '응',
      '어',
      '아',
      '아하',
      '오',
      '그쵸',
      '그렇죠',
      '그럼요',
      '그렇군요',
      '그래요',
      '맞아요',
      '맞습니다',
      '네 네',
      '아 네',
      '음 네',
    ],
    interruption: [
      '잠깐만요',
      '아니요',
      '그게 아니고요',
      '다시 말씀해 주세요',
      '못 들었어요',
      '제가 지금 운전 중이라서요',
      '다른 걸 여쭤볼게요',
      '그건 됐고요',
      '몇 시까지 하세요',
      '상담원 바꿔 주세요',
      '네 그런데 가격이 얼마예요',
      '취소해 주세요',
      '왜요',
      '그만하세요',
      '여보세요',
    ],
  },
  en: {
    backchannel: [
      'uh-huh',
      'mm-hm',
      'hmm',
      'mm',
      'yeah',
      'yep',
      'yup',
      'right',
      'okay',
      'ah',
      'aha',
      'oh',
      'uh',
      'um',
      'huh',
      'yeah yeah',
      'right right',
      'oh okay',
      'okay right',
      'oh yeah',
    ],
    interruption: [
      'Stop.',
      'Wait.',
      'No.',
      'Hold on.',
      'Please wait a moment.',
      'That is not what I asked.',
      'Can you say that again?',
      'I have another question.',
      'How much does it cost?',
      'Let me talk to a person.',
      'Yeah, but I need it today.',
      'Cancel it, please.',
      'Why?',
      'Sorry, I am driving right now.',
      'Hello?',
    ],
  },
};
