/** How the model acts by marks in its text: what it is told of them, and what the one that needs no key says. */

const { TRANSFER_TO = '01000000011' } = process.env;

export const controls =
  'To hang up, say goodbye and write <hangup/> behind it. To have the other party type four digits, ask for them and ' +
  'write <collect digits="4"/>; they come as "[keys] 1234". To connect the other party with a person, say so and write ' +
  `<transfer to="${TRANSFER_TO}" mode="warm" briefing="…"/>, with a sentence about the matter in the briefing; ` +
  '"[transfer failed: …]" means that nobody could be connected.';

/** `said` is what the other party has said so far. */
export const replyTo = (said) => {
  const [firstLine, task] = said.at(-1).split('\n');
  if (firstLine.startsWith('[outbound call connected]')) {
    return `Hello, I am calling about the following: ${task?.replace('[task] ', '') ?? 'a question'}. Does that suit you?`;
  }
  const keys = /^\[keys\] ?(?<keys>.*)/.exec(firstLine)?.groups.keys;
  if (keys !== undefined) return `I have noted ${Array.from(keys).join(' ')}. What else can I do for you?`;
  if (firstLine.startsWith('[transfer failed: ')) return 'I am sorry, nobody is free now. Goodbye!<hangup/>';
  if (/order/i.test(firstLine)) return 'Please type the four digits of your order.<collect digits="4"/>';
  if (/person/i.test(firstLine)) {
    return `One moment, I connect you.<transfer to="${TRANSFER_TO}" mode="warm" briefing="It is about an order."/>`;
  }
  const isOver = said[0].startsWith('[outbound call connected]') || /thank|bye/i.test(firstLine);
  return isOver
    ? 'Thank you very much. Goodbye!<hangup/>'
    : `You said: "${firstLine}" What else can I do for you?`;
};
