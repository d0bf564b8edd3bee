/** Chat completions, streamed word by word, without a request of its own: it acts by marks in its text. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const { TRANSFER_TO = '01000000011', PORT = '9006' } = process.env;

const replyTo = (words, direction) => {
  const [firstLine, task] = words.split('\n');
  if (firstLine.startsWith('[outbound call connected]')) {
    const reason = task?.replace('[task] ', '') ?? 'a question';
    return `Hello, I am calling about the following: ${reason}. Does that suit you?`;
  }
  const keys = /^\[keys\] ?(?<keys>.*)/.exec(firstLine)?.groups.keys;
  if (keys !== undefined) return `I have noted ${Array.from(keys).join(' ')}. What else can I do for you?`;
  if (firstLine.startsWith('[transfer failed: ')) return 'I am sorry, nobody is free now. Goodbye!<hangup/>';
  if (/order|주문/i.test(firstLine)) return 'Please type the four digits of your order.<collect digits="4"/>';
  if (/person|somebody|상담/i.test(firstLine)) {
    return `One moment, I connect you.<transfer to="${TRANSFER_TO}" mode="warm" briefing="It is about an order."/>`;
  }
  const isOver = direction === 'outbound' || /thank|bye|고맙|감사/i.test(firstLine);
  return isOver
    ? 'Thank you very much. Goodbye!<hangup/>'
    : `You said: "${firstLine}" What else can I do for you?`;
};

const chunk = (delta, finishReason = null) => {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\n`;
};

const speak = async (request, response) => {
  const { messages } = JSON.parse(await text(request));
  const reply = replyTo(messages.at(-1).content, request.headers['x-gw-direction']);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: '' }));
  for (const word of reply.split(/(?<= )/)) {
    // The other party has interrupted: the gateway has closed the connection.
    if (response.destroyed) return;
    response.write(chunk({ content: word }));
    await pause(30);
  }
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
};

const server = createServer((request, response) => {
  if (request.url !== '/v1/chat/completions') return response.writeHead(404).end();
  return speak(request, response).catch((error) => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  });
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`The agent listens at http://127.0.0.1:${server.address().port}/v1`);
});
