/** The few sentences that the gateway says by itself, whatever the agent (decisions 3 and 4). */
import type { Language } from './language.ts';

export type Phrases = {
  /** Said when a reply failed; then the gateway goes on listening. */
  apology: string;
  /** Said once when nobody has spoken for the silence time-out. */
  reprompt: string;
  /** Left on an answering machine. What the call is about is nobody's but the callee's, so it is not said. */
  voicemailMessage: string;
};

export const phrases: Readonly<Record<Language, Phrases>> = {
  ko: {
    apology: '죄송합니다. 잠시 문제가 있었습니다. 다시 한번 말씀해 주시겠어요?',
    reprompt: '여보세요? 듣고 계신가요?',
    voicemailMessage:
      '안녕하세요. 전화를 받지 못하셔서 메시지를 남깁니다. 다시 연락드리겠습니다. 감사합니다.',
  },
  en: {
    apology: 'I am sorry, something went wrong. Could you say that again, please?',
    reprompt: 'Hello? Are you still there?',
    voicemailMessage: 'Hello. We tried to reach you and will call again. Thank you, and goodbye.',
  },
  ja: {
    apology: '申し訳ございません。少し問題がありました。もう一度おっしゃっていただけますか。',
    reprompt: 'もしもし、聞こえていらっしゃいますか。',
    voicemailMessage:
      'お電話いたしましたが、お出になりませんでしたので、改めてご連絡いたします。失礼いたします。',
  },
};

/** What the built-in agent greets an inbound caller with when the number has no greeting of its own. */
export const builtInGreeting: Readonly<Record<Language, string>> = {
  ko: '안녕하세요, 전화 주셔서 감사합니다. 무엇을 도와드릴까요?',
  en: 'Hello, thank you for calling. How can I help you?',
  ja: 'お電話ありがとうございます。ご用件をお聞かせください。',
};
