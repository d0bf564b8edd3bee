/** Replaces the example's model: records its requests. */
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { controls, replyTo as actingReplyTo } from './controls.js';
import { millisecondsPerCharacter, note, replyTo } from '../model-replies.js';

const roles = { human: 'user', ai: 'assistant' };

export const model = {
  async invoke(prompt, config) {
    const messages = prompt
      .filter((message) => message.getType() !== 'system')
      .map((message) => ({ role: roles[message.getType()], content: message.text }));
    const { gw } = config.configurable;
    note({ fact: 'asked', gw, messages });
    config.signal.addEventListener('abort', () => note({ fact: 'aborted', gw }));
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    const words = prompt[0].text.includes(controls) ? actingReplyTo(said) : replyTo(messages);
    const model = new FakeListChatModel({ responses: [words], sleep: millisecondsPerCharacter });
    const reply = await model.invoke(prompt, config);
    note({ fact: 'answered', gw });
    return reply;
  },
};
