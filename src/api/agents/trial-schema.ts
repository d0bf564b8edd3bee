/** Request and response of an agent trial without a call in the admin API. */
import * as z from 'zod';
import { trialAgents } from '#src/domain/agent-trial.ts';

const milliseconds = z.number().meta({ description: 'Milliseconds since the turn began.', example: 180 });

const headers = z.record(z.string(), z.string());

const exchange = z
  .object({
    sent: z.object({
      at_ms: milliseconds,
      method: z.literal('POST'),
      url: z.string().meta({ example: 'https://agents.example.com/chat' }),
      headers: headers.meta({
        description: 'The bearer token and the values of your own headers are masked.',
        example: { 'content-type': 'application/json' },
      }),
      body: z.string().meta({ example: '{"message":"What are your hours?"}' }),
    }),
    received: z
      .object({
        status: z.int().meta({ example: 200 }),
        headers: headers.meta({ example: { 'content-type': 'text/plain' } }),
        first_byte_ms: milliseconds.nullable(),
        end_ms: milliseconds.nullable(),
        bytes: z.int().meta({ example: 21 }),
        body: z.string().meta({ description: 'The first 4 kB.', example: 'We open at nine thirty.' }),
      })
      .nullable()
      .meta({ description: 'Null when there was no response.' }),
    error: z.string().nullable().meta({ description: 'Why there was no response, or why it broke off.' }),
  })
  .meta({ id: 'AgentExchange' });

const turn = z.object({
  turn: z.int().meta({ example: 1 }),
  message: z
    .string()
    .meta({ description: "The other party's words, or the kickoff.", example: 'What are your hours?' }),
  exchanges: z.array(exchange),
  spoken: z
    .array(z.object({ text: z.string().meta({ example: 'We open at nine thirty.' }), at_ms: milliseconds }))
    .meta({ description: 'Text that a call would speak, and the time at which it was ready for synthesis.' }),
  controls: z
    .array(
      z.object({
        act: z.enum(['hang_up', 'press_keys', 'collect_keys', 'transfer', 'change_language']),
        keys: z.string().optional().meta({ description: 'For `press_keys`.' }),
        wanted: z
          .object({
            digits: z.int().nullable(),
            finish: z.string().nullable(),
            timeout_sec: z.int(),
            secret: z.boolean(),
          })
          .optional()
          .meta({ description: 'For `collect_keys`.' }),
        transfer: z
          .object({
            to: z.string().meta({ example: '0212345678' }),
            mode: z.enum(['cold', 'warm']),
            say: z.string().nullable(),
            briefing: z.string().nullable(),
            accept_key: z.string().nullable(),
            ring_timeout_sec: z.int().meta({ example: 25 }),
            on_failure: z.enum(['resume', 'hang_up']),
          })
          .optional()
          .meta({
            description:
              'For `transfer`. Whether the number may be called is decided only in a call, by `transfer_to` of its number.',
          }),
        language: z
          .string()
          .optional()
          .meta({ description: 'For `change_language` (BCP 47).', example: 'en' }),
        at_ms: milliseconds,
      }),
    )
    .meta({ description: "The agent's actions, where `controls` is `inline`." }),
  first_byte_ms: milliseconds.nullable(),
  first_sentence_ms: milliseconds.nullable(),
  end_ms: milliseconds,
  remarks: z
    .array(z.string())
    .meta({ description: 'Warnings that a call would log about an accepted reply.' }),
  failure: z
    .object({
      kind: z.string(),
      detail: z.string(),
      server_says: z.string().nullable().meta({ description: "The server's own error text." }),
    })
    .nullable()
    .meta({ example: null }),
  advice: z.string().nullable().meta({ description: 'Recommended change.' }),
});

export const agentTrial = z
  .object({
    call_id: z
      .uuid()
      .meta({ description: 'The id of the trial, which belongs to no call; the session is named after it.' }),
    agent_type: z.enum(trialAgents).meta({ example: 'webhook' }),
    direction: z.enum(['inbound', 'outbound']),
    language: z.string().meta({ example: 'en' }),
    ok: z.boolean().meta({ description: 'Whether every turn got a reply with words or actions.' }),
    notes: z.array(z.string()).meta({ description: 'Given fields that are not used.' }),
    turns: z.array(turn).meta({ description: 'Up to the first failed turn.' }),
  })
  .meta({ id: 'AgentTrial' });
