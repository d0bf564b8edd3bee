/** Returns a short factual summary, based only on the transcript (guides/design/calls.md, "Summary"). */
import type { EndReason } from '#machines/outcome.ts';
import type { CallToSummarize } from '#src/domain/call-summary.ts';

type Words = {
  reasons: Readonly<Record<EndReason, string>>;
  duration: (seconds: number) => string;
  talk: (agentTurns: number, otherTurns: number) => string;
  noTalk: string;
  lastWords: (text: string) => string;
  /** Separator between sentences. */
  space: string;
};

const korean: Words = {
  reasons: {
    transfer_completed: '담당자에게 연결되어 통화를 마쳤습니다.',
    transfer_failed: '담당자에게 연결하지 못해 끝났습니다.',
    consent_refused: '상대방이 동의하지 않아 끝났습니다.',
    agent_hangup: '이쪽에서 통화를 마쳤습니다.',
    counterparty_hangup: '상대방이 전화를 끊었습니다.',
    max_duration: '최대 통화 시간이 지나 끝났습니다.',
    silence_timeout: '아무도 말하지 않아 끝났습니다.',
    no_answer: '상대방이 전화를 받지 않았습니다.',
    busy: '상대방이 통화 중이었습니다.',
    declined: '상대방이 전화를 거절했습니다.',
    cancelled: '받기 전에 전화를 취소했습니다.',
    invalid_number: '없는 번호였습니다.',
    trunk_error: '전화 회선 오류로 연결하지 못했습니다.',
    media_error: '음성 연결 오류로 끝났습니다.',
    agent_error: '에이전트가 응답하지 못해 끝났습니다.',
    no_agent_endpoint: '연결된 에이전트가 없어 받지 않았습니다.',
    caller_rejected: '발신자 확인을 통과하지 못해 받지 않았습니다.',
    system_error: '시스템 오류로 끝났습니다.',
  },
  duration: (seconds) => `${seconds}초 통화,`,
  talk: (agentTurns, otherTurns) => `AI ${agentTurns}번, 상대방 ${otherTurns}번 발화.`,
  noTalk: '대화는 없었습니다.',
  lastWords: (text) => `상대방의 마지막 말: "${text}"`,
  space: ' ',
};

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

const english: Words = {
  reasons: {
    transfer_completed: 'The call was transferred to a person.',
    transfer_failed: 'The call ended because nobody could be reached to transfer it to.',
    consent_refused: 'The other party did not agree to what it was told first, so the call was ended.',
    agent_hangup: 'Our side ended the call.',
    counterparty_hangup: 'The other party hung up.',
    max_duration: 'The call reached its maximum duration.',
    silence_timeout: 'Nobody spoke, so the call was ended.',
    no_answer: 'Nobody answered.',
    busy: 'The line was busy.',
    declined: 'The call was declined.',
    cancelled: 'The call was cancelled before it was answered.',
    invalid_number: 'The number does not exist.',
    trunk_error: 'The call could not be connected: the telephone line failed.',
    media_error: 'The call ended because its audio was lost.',
    agent_error: 'The call ended because the agent did not answer.',
    no_agent_endpoint: 'The call was not taken: no agent is connected.',
    caller_rejected: 'The call was not taken: the caller was rejected.',
    system_error: 'The call ended because of an error in the gateway.',
  },
  duration: (seconds) => `${seconds} s connected.`,
  talk: (agentTurns, otherTurns) =>
    `The AI spoke ${times(agentTurns)}, the other party ${times(otherTurns)}.`,
  noTalk: 'Nothing was said.',
  lastWords: (text) => `Last words of the other party: "${text}"`,
  space: ' ',
};

const japanese: Words = {
  reasons: {
    transfer_completed: '担当者に転送され、通話が終わりました。',
    transfer_failed: '担当者に転送できなかったため終了しました。',
    consent_refused: '相手の同意が得られなかったため終了しました。',
    agent_hangup: 'こちら側から通話を終了しました。',
    counterparty_hangup: '相手が電話を切りました。',
    max_duration: '最大通話時間に達したため終了しました。',
    silence_timeout: '誰も話さなかったため終了しました。',
    no_answer: '相手は電話に出ませんでした。',
    busy: '相手は通話中でした。',
    declined: '相手が電話を拒否しました。',
    cancelled: '応答の前に通話が取り消されました。',
    invalid_number: '存在しない番号でした。',
    trunk_error: '電話回線のエラーで接続できませんでした。',
    media_error: '音声が途切れたため終了しました。',
    agent_error: 'エージェントが応答できなかったため終了しました。',
    no_agent_endpoint: '接続されたエージェントがないため、着信を受けませんでした。',
    caller_rejected: '発信者を確認できなかったため、着信を受けませんでした。',
    system_error: 'システムのエラーで終了しました。',
  },
  duration: (seconds) => `${seconds}秒の通話、`,
  talk: (agentTurns, otherTurns) => `AI ${agentTurns}回、相手 ${otherTurns}回の発話。`,
  noTalk: '会話はありませんでした。',
  lastWords: (text) => `相手の最後の言葉:「${text}」`,
  space: '',
};

const wordsIn: Readonly<Record<string, Words>> = { ko: korean, en: english, ja: japanese };

const longest = 120;

/** Cuts the text between characters, never within a surrogate pair. */
const shorten = (text: string): string => {
  const characters = Array.from(text);
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
};

/** Summarizes a call in its language, or in English for unsupported languages. */
export const summarize = ({ language, durationSec, endReason, turns }: CallToSummarize): string => {
  const words = wordsIn[language.split('-', 1)[0] ?? ''] ?? english;
  const spoken = turns.filter(({ text }) => text !== '');
  const others = spoken.filter(({ role }) => role === 'user');
  const lastWords = others.at(-1)?.text;
  const sentences = [
    ...(spoken.length === 0
      ? [words.noTalk]
      : [
          ...(durationSec === null ? [] : [words.duration(Math.round(durationSec))]),
          words.talk(spoken.length - others.length, others.length),
        ]),
    words.reasons[endReason],
    ...(lastWords === undefined ? [] : [words.lastWords(shorten(lastWords))]),
  ];
  return sentences.join(words.space);
};
