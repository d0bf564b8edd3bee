/** A webhook that makes no request of its own: it acts by marks in its replies, and by controls beside them. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const { TRANSFER_TO = '01000000011', PORT = '9005' } = process.env;

const replyTo = (message, gw) => {
  const [firstLine, task] = message.split('\n');
  if (firstLine.startsWith('[outbound call connected]')) {
    const reason = task?.replace('[task] ', '') ?? 'a question';
    return `Hello, this is ${gw.from}. I am calling about the following: ${reason}. Does that suit you?`;
  }
  const keys = /^\[keys\] ?(?<keys>.*)/.exec(firstLine)?.groups.keys;
  if (keys !== undefined) return `I have noted ${Array.from(keys).join(' ')}. What else can I do for you?`;
  if (firstLine.startsWith('[transfer failed: ')) return 'I am sorry, nobody is free now. Goodbye!<hangup/>';
  if (/order|주문/i.test(message)) return 'Please type the four digits of your order.<collect digits="4"/>';
  const key = /press (?<key>[0-9*#])/i.exec(message)?.groups.key;
  if (key !== undefined) return `One moment. <keys press="${key}"/>`;
  const isOver = gw.direction === 'outbound' || /thank|bye|고맙|감사/i.test(message);
  return isOver
    ? 'Thank you very much. Goodbye!<hangup/>'
    : `You said: "${message}" What else can I do for you?`;
};

/** Controls may stand beside the reply as well: they are done behind all of it. */
const answerTo = (message, gw) => {
  if (!/person|somebody|상담/i.test(message)) return { reply: replyTo(message, gw) };
  const briefing = `The other party has said: ${message}`;
  return {
    reply: 'One moment, I connect you.',
    controls: [{ transfer: { to: TRANSFER_TO, mode: 'warm', briefing } }],
  };
};

const server = createServer(async (request, response) => {
  try {
    const { message, gw } = JSON.parse(await text(request));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answerTo(message, gw)));
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`The agent listens at http://127.0.0.1:${server.address().port}/`);
});
