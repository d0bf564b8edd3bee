/** Messages between a test thread and `programs-process.ts`, one JSON object a line. `id` is that of a program. */
import { constants } from 'node:os';
import { z } from 'zod';

const id = z.number();
const signal = z.custom<NodeJS.Signals>((name) => typeof name === 'string' && name in constants.signals);

export const request = z.union([
  z.object({ id, signal }),
  z.object({
    id,
    command: z.string(),
    parameters: z.array(z.string()),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
  }),
]);

export type Request = z.infer<typeof request>;

export const told = z.union([
  z.object({ id, from: z.enum(['stdout', 'stderr']), text: z.string() }),
  z.object({ id, failed: z.string() }),
  z.object({ id, code: z.number().nullable(), signal: signal.nullable() }),
]);

export type Told = z.infer<typeof told>;

/** `readline` also ends a line at these two separators. */
export const lineOf = (message: Request | Told): string =>
  `${JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
