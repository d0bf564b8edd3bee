/** Records of the fake models (`model-replies.js`). */
import { z } from 'zod';

export type Message = { role: string; content: string };

const message = z.object({ role: z.string(), content: z.string() });

const note = z.object({
  /** Wall clock, milliseconds. */
  at: z.number(),
  fact: z.enum(['asked', 'answered', 'aborted']),
  /** The call context, as received. */
  gw: z.looseObject({ call_id: z.string() }),
  /** The requested agent, if the server has several. */
  agent: z.string().optional(),
  /** The conversation in the model's request. */
  messages: z.array(message).optional(),
});

export type Note = z.infer<typeof note>;

export const readNotes = (text: string, callId: string): Note[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => note.parse(JSON.parse(line)))
    .filter(({ gw }) => gw.call_id === callId);
