/**
 * Replies of the fake models of both example servers, and their records: one line of JSON whenever a model is
 * requested, has answered or was stopped, in the file named by MODEL_NOTES.
 */
import { appendFileSync } from 'node:fs';

const longReply = Array.from({ length: 30 }, (_, index) => `긴 안내의 ${index + 1}번째 문장입니다.`).join(
  ' ',
);

/** `messages` are those of the conversation, `{role, content}`; the last one of the user is answered. */
export const replyTo = (messages) => {
  const asked = messages.filter(({ role }) => role === 'user');
  const words = asked.at(-1)?.content.split('\n').at(-1) ?? '';
  return words.includes('길게') ? longReply : `네, ${asked.length}번째로 "${words}"라고 하셨군요.`;
};

/** Faster than speech, but slow enough to be interrupted. */
export const millisecondsPerCharacter = 10;

export const note = (fact) => {
  appendFileSync(process.env.MODEL_NOTES, `${JSON.stringify({ at: Date.now(), ...fact })}\n`);
};
