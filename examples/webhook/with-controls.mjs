/** A webhook that makes no request of its own: it hangs up, and presses keys, by marks in its replies. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const { PORT = '9005' } = process.env;

const replyTo = (message, gw) => {
  const [firstLine, task] = message.split('\n');
  if (firstLine.startsWith('[outbound call connected]')) {
    const reason = task?.replace('[task] ', '') ?? 'a question';
    return `Hello, this is ${gw.from}. I am calling about the following: ${reason}. Does that suit you?`;
  }
  const key = /press (?<key>[0-9*#])/i.exec(message)?.groups.key;
  if (key !== undefined) return `One moment. <keys press="${key}"/>`;
  const isOver = gw.direction === 'outbound' || /thank|bye|고맙|감사/i.test(message);
  return isOver
    ? 'Thank you very much. Goodbye!<hangup/>'
    : `You said: "${message}" What else can I do for you?`;
};

const server = createServer(async (request, response) => {
  try {
    const { message, gw } = JSON.parse(await text(request));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ reply: replyTo(message, gw) }));
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`The agent listens at http://127.0.0.1:${server.address().port}/`);
});
