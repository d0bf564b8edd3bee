/**
 * Sentences that the gateway itself speaks, whatever the agent (guides/design/calls.md, "Sentences of the gateway").
 */
import type { Phrases } from '#machines/conversation-context.ts';
import type { Language } from './language.ts';

/**
 * Sentences by language. The voicemail message does not reveal the subject of the call, which concerns only the callee.
 */
export const phrases: Readonly<Record<Language, Phrases>> = {
  ko: {
    apology: '죄송합니다. 잠시 문제가 있었습니다. 다시 한번 말씀해 주시겠어요?',
    brokenOff: '죄송합니다. 말씀드리던 중에 문제가 생겼습니다. 이어서 말씀해 주시겠어요?',
    failedOpening:
      '안녕하세요. 인공지능이 대신 드리는 전화입니다. 죄송하지만 기술적인 문제로 지금은 말씀을 나누기 어려워 이만 끊겠습니다. 안녕히 계세요.',
    failedGoodbye:
      '죄송합니다. 기술적인 문제로 통화를 이어 가기 어려워 이만 끊겠습니다. 불편을 드려 죄송합니다. 안녕히 계세요.',
    consentRefused: '알겠습니다. 동의하지 않으시면 통화를 이어 갈 수 없어 이만 끊겠습니다. 안녕히 계세요.',
    reprompt: '여보세요? 듣고 계신가요?',
    voicemailMessage:
      '안녕하세요. 전화를 받지 못하셔서 메시지를 남깁니다. 다시 연락드리겠습니다. 감사합니다.',
  },
  en: {
    apology: 'I am sorry, something went wrong. Could you say that again, please?',
    brokenOff: 'I am sorry, I was cut off in the middle of that. Please go ahead.',
    failedOpening:
      'Hello, this is an automated call. I am sorry, because of a technical problem I cannot talk with you now. Please excuse the disturbance. Goodbye.',
    failedGoodbye:
      'I am sorry, because of a technical problem I cannot go on with this call. Please excuse the trouble. Goodbye.',
    consentRefused: 'I understand. Without your consent I cannot go on with this call. Goodbye.',
    reprompt: 'Hello? Are you still there?',
    voicemailMessage: 'Hello. We tried to reach you and will call again. Thank you, and goodbye.',
  },
  ja: {
    apology: '申し訳ございません。少し問題がありました。もう一度おっしゃっていただけますか。',
    brokenOff: '申し訳ございません。途中で途切れてしまいました。どうぞお話しください。',
    failedOpening:
      'もしもし、人工知能が代わりにお電話しております。申し訳ございませんが、技術的な問題のため、ただいまお話しすることができません。失礼いたします。',
    failedGoodbye:
      '申し訳ございません。技術的な問題のため、お話を続けることができません。ご迷惑をおかけいたしますが、失礼いたします。',
    consentRefused:
      '承知いたしました。ご同意をいただけないため、お電話を終わらせていただきます。失礼いたします。',
    reprompt: 'もしもし、聞こえていらっしゃいますか。',
    voicemailMessage:
      'お電話いたしましたが、お出になりませんでしたので、改めてご連絡いたします。失礼いたします。',
  },
};

/** Greeting of the built-in agent for inbound calls to a number without a greeting of its own. */
export const builtInGreeting: Readonly<Record<Language, string>> = {
  ko: '안녕하세요, 전화 주셔서 감사합니다. 무엇을 도와드릴까요?',
  en: 'Hello, thank you for calling. How can I help you?',
  ja: 'お電話ありがとうございます。ご用件をお聞かせください。',
};
